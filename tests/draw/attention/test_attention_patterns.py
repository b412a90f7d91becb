from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from embspace.app.page.nothing import says_nothing
from embspace.draw.attention.attention_patterns import (
    DIVERGENCE,
    EXAMPLES,
    TENSORS,
    draw_attention_patterns,
)
from embspace.draw.page.canvas import panels_of
from embspace.measure.attention.attention_patterns import ATTENTION_PATTERNS
from tests.analyses import as_drawn, settings_of
from tests.draw.attention.tables import divergence, examples, types, types_of_heads
from tests.draw.fits import assert_words_fit


def results(**change: Any) -> dict[str, Any]:
    tokens, maps = examples()
    tables = {"heads": types_of_heads(), "types": types(**change), EXAMPLES: tokens}
    tables |= {DIVERGENCE: divergence()}
    return tables | {TENSORS: {"example": maps}}


def draw(given: dict[str, Any]) -> tuple[Figure, str]:
    settings = settings_of(draw_attention_patterns)
    return draw_attention_patterns(
        as_drawn(ATTENTION_PATTERNS, given), "a model of a long name", **settings
    )


def test_the_clearest_head_of_each_type_is_shown_with_its_tokens():
    figure, tables = draw(results())
    assert_words_fit(figure)
    first, second = figure.axes[:2]
    assert first.get_title("left") == "Vertical: layer 1, head 1"
    assert second.get_title("left") == "Diagonal: layer 1, head 2"
    assert np.ravel(second.collections[0].get_array())[0] == 0.01
    assert [label.get_text() for label in first.get_yticklabels()] == (
        ["[CLS]", "extraordin", "[SEP]"]
    )
    title = " ".join(figure.get_suptitle().split())
    assert title == (
        "75 % of the heads make a pattern by our bounds, 88 % without the first token's key, none "
        "with random weights; heads differ less within a layer than between layers"
    )
    assert "vertical + diagonal" in tables
    assert "types of Kovaleva et al." in tables


def test_no_example_is_of_a_type_without_a_clear_head_and_none_stands_twice():
    given = results(empty_type=True)
    table = given["types"]
    block = (table["type"] == "block") & (table["set"] == "kovaleva")
    given["types"] = table.assign(clearest_margin=table["clearest_margin"].mask(block, 0.01))
    figure, _ = draw(given)
    titles = [ax.get_title("left") or ax.get_title() for ax in panels_of(figure)]
    assert titles == [
        "Vertical: layer 1, head 1",
        "Vertical + diagonal: layer 1, head 3",
        "Share of each type",
        "Difference of heads by layer",
    ]
    given["types"] = table.assign(clearest_margin=0.01)
    figure, _ = draw(given)
    assert len(panels_of(figure)) == 2


def test_patterns_at_random_weights_are_in_the_title():
    given = results()
    given["types"] = given["types"].assign(random_weights=0.25)
    title = " ".join(draw(given)[0].get_suptitle().split())
    assert title.startswith(
        "75 % of the heads make a pattern by our bounds, 75 % with random weights; heads"
    )


def test_a_type_of_most_heads_that_hangs_on_the_first_key_gives_the_title():
    given, table = results(), types()
    is_first = table["type"] == "vertical"
    given["types"] = table.assign(
        share=table["share"].mask(is_first, 0.58),
        share_without_first_key=table["share_without_first_key"].mask(is_first, 0.05),
    )

    def title() -> str:
        return " ".join(draw(given)[0].get_suptitle().split())

    assert title() == (
        "By our bounds 58 % of the heads are vertical (5 % without the first token's key), none "
        "with random weights; heads differ less within a layer than between layers"
    )
    assert not says_nothing(title())
    for change in ({"share_without_first_key": 0.4}, {"random_weights": 0.5}, {"share": 0.45}):
        given["types"] = given["types"].assign(
            **{k: table[k].mask(is_first, x) for k, x in change.items()}
        )
        assert "make a pattern by our bounds" in title(), change


def test_a_name_in_a_bar_stands_left_of_the_diamond():
    given, table = results(), types()
    is_last = table["type"] == "heterogeneous"
    bounds = {"share": 0.12, "share_low": 0.1, "share_high": 0.13, "share_without_first_key": 0.23}
    given["types"] = table.assign(**{key: table[key].mask(is_last, x) for key, x in bounds.items()})
    name = draw(given)[0].axes[4].texts[-1]
    assert name.get_text().startswith("any of these\n88 %")
    assert name.get_ha() == "right" and name.get_position()[0] < 0.77


def test_heads_without_a_pattern_are_said_to_have_none_as_at_random_weights():
    given = results()
    shares = dict.fromkeys(["share", "share_without_first_key", "random_weights"], 1.0)
    given["types"] = given["types"].assign(clearest_margin=0.0, **shares)
    figure, _ = draw(given)
    title = " ".join(figure.get_suptitle().split())
    none = "one of 12 heads makes a pattern by our bounds, as at random weights"
    assert title == f"Heads differ less within a layer than between layers; n{none}"
    assert "maps:" not in " ".join(text.get_text() for text in figure.texts)
    given[DIVERGENCE] = divergence()[:0]
    title = " ".join(draw(given)[0].get_suptitle().split())
    assert title == f"N{none}"
    given["types"] = given["types"].assign(random_weights=0.75)
    title = draw(given)[0].get_suptitle()
    assert title.startswith("0 % of the heads make a pattern")


def test_bars_are_the_shares():
    figure, _ = draw(results())
    widths = [bar.get_width() for bar in figure.axes[4].patches]
    assert widths == [*types(("kovaleva",))["share"][:-1], 0.75]  # any pattern, not none
    assert "any of these" in figure.axes[4].texts[-1].get_text()


def test_shares_stand_beside_random_weights_and_the_first_key():
    figure, tables = draw(results())
    marks = {line.get_marker(): line for line in figure.axes[4].lines}
    expected = types(("kovaleva",))
    assert list(marks["D"].get_xdata()) == [*expected["share_without_first_key"][:-1], 0.875]
    assert list(marks["x"].get_xdata()) == [0.0] * len(expected)
    assert "depends" in tables


def test_divergences_of_heads_stand_beside():
    figure, tables = draw(results())
    assert list(figure.axes[5].lines[0].get_ydata()) == [0.3] * 3
    assert [words.get_text() for words in figure.axes[5].texts] == ["random weights, same layer"]
    assert "## Divergence" in tables and "| heads of other layers" in tables


def test_a_model_of_one_head_has_none_to_compare():
    figure, _ = draw(results() | {DIVERGENCE: divergence()[:0]})
    assert figure.axes[5].texts[0].get_text().startswith("there are no two heads")


def test_a_model_of_one_layer_has_no_heads_of_others():
    figure, _ = draw(results() | {DIVERGENCE: divergence(float("nan"))})
    assert " ".join(figure.get_suptitle().split()).endswith("none with random weights")


def test_without_heads_it_says_so():
    empty = {
        name: pd.DataFrame(columns=table.columns)
        for name, table in results().items()
        if name != TENSORS
    }
    figure, tables = draw(empty | {TENSORS: {}})
    assert figure.get_suptitle().startswith("No heads")
    assert "The model reads no text." in tables
