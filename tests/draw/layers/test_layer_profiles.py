"""Holds the figure of measures over layers to the tables, and five figures to their words."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.clouds.layers import SPACES as KNOWN_SPACES
from embspace.clouds.layers import Change
from embspace.draw.layers.direction import draw_direction
from embspace.draw.layers.layer_profiles import CHANGES
from embspace.draw.page.looks import LAYER_SPACES, NULLS, corpus_looks
from embspace.draw.page.saving import Results
from embspace.geometry.inference.null_clouds import NULLS_OF_FAMILY
from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.layers.random_weights import KINDS
from tests.draw.fits import assert_words_fit
from tests.draw.layer_tables import (
    LAYERS,
    empty_tables,
    profile_tables,
    squeezed,
    title_of,
    value,
    without_values,
)

SPACES = [look.name for look in LAYER_SPACES.values()]
LOOKS = corpus_looks(["articles", "posts"])
NULL = "isotropic_gaussian"
SHOWN = ["mean_cosine", "n_outlier_dimensions"]
TABLES = profile_tables([*SHOWN, "top_dimension_share"])
SETTINGS: dict[str, Any] = {"corpus": "articles", "row_height_mm": 55.0, "digits": 3}


def drawn(tables: Any = TABLES, **change: Any) -> tuple[Figure, str]:
    settings = SETTINGS | {"measures": SHOWN, "nulls": [NULL]} | change
    return draw_direction(Results(tables, {}), "a model", **settings)


@pytest.fixture(scope="module")
def figure() -> Figure:
    return drawn()[0]


def lines(ax: Any, label: str) -> list[float]:
    [line] = [each for each in ax.lines if each.get_label() == label]
    assert list(line.get_xdata()) == list(range(LAYERS))
    return [float(each) for each in line.get_ydata()]


def test_a_row_a_measure_and_a_column_a_space(figure: Figure) -> None:
    assert_words_fit(figure)
    titles = [ax.get_title("left") or ax.get_title() for ax in figure.axes]
    assert titles == ["Tokens", "First token", "Mean pooling", "", "", ""]
    labels = [figure.axes[row * 3].get_ylabel() for row in (0, 1)]
    assert labels == ["mean cosine", "outlier dimensions"]
    assert [ax.get_xlabel() for ax in figure.axes] == [""] * 3 + ["layer"] * 3


def test_lines_are_the_values_with_their_intervals_in_the_look_of_the_corpus(
    figure: Figure,
) -> None:
    for row, measure in enumerate(SHOWN):
        for column, space in enumerate(LAYER_SPACES):
            ax = figure.axes[row * 3 + column]
            for corpus, look in LOOKS.items():
                expected = [value(corpus, space, "as_is", n, measure) for n in range(LAYERS)]
                assert lines(ax, corpus) == pytest.approx(expected)
                [line] = [each for each in ax.lines if each.get_label() == corpus]
                assert (line.get_color(), line.get_marker()) == (look.color, look.marker)
            band = ax.collections[-1].get_paths()[0].vertices[:, 1]
            last = [value("posts", space, "as_is", n, measure) for n in (0, LAYERS - 1)]
            assert [band.min(), band.max()] == pytest.approx([last[0] - 0.05, last[1] + 0.05])


def test_each_corpus_has_its_own_null_in_its_color() -> None:
    nulls = TABLES["nulls"]
    nulls = nulls.assign(null_mean=np.where(nulls["corpus"] == "posts", -2.0, -1.0))
    for ax in drawn({**TABLES, "nulls": nulls})[0].axes:
        own = [line for line in ax.lines if line.get_label() == NULL]
        found = {line.get_color(): list(line.get_ydata()) for line in own}
        expected = {"articles": [-1.0] * LAYERS, "posts": [-2.0] * LAYERS}
        assert found == {LOOKS[corpus].color: expected[corpus] for corpus in LOOKS}
        assert {line.get_linestyle() for line in own} == {NULLS[NULL].line}
    lacking = nulls[nulls["corpus"] != "articles"]
    figure = drawn({**TABLES, "nulls": lacking})[0]
    [line] = [line for line in figure.axes[0].lines if line.get_label() == NULL]
    assert line.get_color() == LOOKS["posts"].color
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "thin: null, isotropic Gaussian (posts)" in words


def test_a_corpus_of_ones_own_has_its_line_of_dashes() -> None:
    renamed = {
        name: table.replace({"corpus": {"articles": "my_texts"}}) for name, table in TABLES.items()
    }
    look = corpus_looks(["my_texts", "posts"])["my_texts"]
    assert isinstance(look.line, tuple)
    made, _ = drawn(renamed, corpus="my_texts")
    [line] = [each for each in made.axes[0].lines if each.get_label() == "my texts"]
    assert line.is_dashed()


def test_what_has_not_converged_is_hollow(figure: Figure) -> None:
    for row, layers in enumerate([[1], []]):
        hollow = [each for each in figure.axes[row * 3].lines if each.get_mfc() == "white"]
        assert [list(each.get_xdata()) for each in hollow] == [layers] * 2


def test_what_has_no_interval_is_not_drawn() -> None:
    table = TABLES["profiles"]
    bare = table["corpus"] == "posts"
    table = table.assign(low=table["low"].mask(bare), high=table["high"].mask(bare))
    names = {line.get_label() for line in drawn({**TABLES, "profiles": table})[0].axes[0].lines}
    assert "articles" in names and "posts" not in names


def test_a_layer_whose_vectors_are_all_one_is_not_drawn() -> None:
    table = TABLES["profiles"].copy()
    is_first = (table["space"] == "cls") & (table["layer"] == 0)
    table.loc[is_first & (table["measure"] == "mean_cosine"), "value"] = 1.0
    figure = drawn({**TABLES, "profiles": table})[0]
    for row in (0, 1):
        of_posts = [each for each in figure.axes[row * 3 + 1].lines if each.get_label() == "posts"]
        assert [list(each.get_xdata()) for each in of_posts] == [[1, 2]]
        assert lines(figure.axes[row * 3], "posts")


def test_panels_of_a_row_share_their_axis_logarithmic_where_values_differ_tenfold() -> None:
    tables = {name: table.copy() for name, table in TABLES.items()}
    linear = drawn()[0].axes[:3]  # the null is below 0
    assert {ax.get_yscale() for ax in linear} == {"linear"}
    assert len({ax.get_ylim() for ax in linear}) == 1
    tables["nulls"]["null_mean"] = 400.0
    axes = drawn(tables)[0].axes[:3]
    assert {ax.get_yscale() for ax in axes} == {"log"}
    assert len({ax.get_ylim() for ax in axes}) == 1
    low, high = axes[0].get_ylim()
    assert 0 < low < 0.11 and high > 400


def test_the_title_says_where_the_measure_is_extreme_and_what_stands_beside_it() -> None:
    assert title_of(drawn()[0]) == (
        "Tokens of articles point most alike at the last layer: mean cosine 2.11 "
        "(isotropic Gaussian -1.00)"
    )
    table = TABLES["profiles"].copy()
    table["value"] = -table["value"]
    assert title_of(drawn({**TABLES, "profiles": table}, corpus="posts")[0]) == (
        "Tokens of posts point most alike at layer 0 of 2: mean cosine -0.21 "
        "(isotropic Gaussian -1.00, last layer -2.21)"
    )
    table.loc[table["layer"] == 1, "value"] = 12.3
    said = title_of(drawn({**TABLES, "profiles": table}, corpus="essays")[0])
    assert "Tokens of articles point most alike at layer 1 of 2: mean cosine 12 (" in said
    assert "not converged" in said
    nowhere = without_values(TABLES, "mean_cosine")
    assert title_of(drawn(nowhere)[0]) == "Mean cosine of tokens is undefined in all layers"


def test_the_subtitle_has_the_number_of_vectors_of_each_corpus(figure: Figure) -> None:
    said = " ".join(" ".join(text.get_text() for text in figure.texts).split())
    for corpus in LOOKS:
        assert f"{corpus}: 1,234 tokens, 1,234 pooled" in said


def test_a_null_near_zero_alone_makes_no_axis_logarithmic() -> None:
    near_zero = TABLES["nulls"].assign(null_mean=5e-5)
    level = TABLES["profiles"].assign(value=lambda rows: 0.1 + rows["value"] / 20)
    figure, _ = drawn({**TABLES, "profiles": level, "nulls": near_zero})
    assert {ax.get_yscale() for ax in figure.axes} == {"linear"}
    assert all(ax.get_ylim()[0] < 5e-5 for ax in figure.axes)


def test_a_panel_without_values_says_so() -> None:
    tables = without_values(TABLES, "mean_cosine")
    figure, text = drawn({**tables, "nulls": tables["nulls"][:0]})
    for ax in figure.axes[:3]:
        assert [each.get_text() for each in ax.texts] == ["undefined"]
    assert all(not ax.texts for ax in figure.axes[3:])
    assert "| outlier dimensions |" in squeezed(text)


def test_each_look_is_named_once(figure: Figure) -> None:
    [legend] = figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    null = "thin: null, isotropic Gaussian"
    known = "gray: known models on posts, by share of depth"
    assert names == ["articles", "posts", null, "hollow: not converged", known]


def test_all_that_may_come_has_a_name_and_a_look() -> None:
    from typing import get_args

    assert set(LAYER_SPACES) == set(KNOWN_SPACES)
    assert set(CHANGES) == set(get_args(Change)) - {"as_is"}
    of_families = {null for names in NULLS_OF_FAMILY.values() for null in names}
    assert set(NULLS) >= of_families | {"exchanged_between_texts", *KINDS}


def test_measures_of_a_single_space_stand_side_by_side() -> None:
    figure, text = drawn(profile_tables(SHOWN, spaces=["token"]))
    assert [ax.get_ylabel() for ax in figure.axes] == ["mean cosine", "outlier dimensions"]
    assert [ax.get_xlabel() for ax in figure.axes] == ["layer", "layer"]
    assert "first token" not in text


@pytest.mark.parametrize("name", profiled_measures())
def test_any_measure_may_be_shown(name: str) -> None:
    tables = profile_tables([name], spaces=["token"])
    figure, _ = drawn(tables, measures=[name], nulls=[])
    [ax] = figure.axes
    assert lines(ax, "posts")


def test_the_text_has_every_table() -> None:
    text = squeezed(drawn()[1])
    assert text.startswith("# Direction of a model\n")
    assert "Stage `measure_direction`" in text
    for corpus in ("articles", "posts"):
        for space in SPACES:
            assert f"## {corpus}, {space}" in text
    assert "1,234 vectors of 56 texts." in text
    assert "| measure | layer 0 | layer 1 | layer 2 |" in text
    # All measures, not only those that are drawn.
    assert "| top dimension's share |" in text
    not_converged = text.partition("## Not converged")[2].partition("\n## ")[0]
    assert "| mean cosine | 1 | 3 |" in not_converged
    assert "outlier dimensions" not in not_converged
    curves = text.partition("## Tokens of the last layer")[2]
    assert curves.count("| mean cosine |") == 2 * 2


def test_the_text_counts_the_vectors_of_layers_that_have_them() -> None:
    profiles = TABLES["profiles"].copy()
    profiles.loc[profiles["layer"] == 0, "n"] = 1  # all first tokens are one vector there
    text = drawn({**TABLES, "profiles": profiles})[1]
    assert "1,234 vectors of 56 texts." in text
    assert "\n1 vectors" not in text


def test_a_gap_is_a_gap() -> None:
    table = TABLES["profiles"]
    gap = table.assign(value=np.where(table["layer"] == 1, np.nan, table["value"]))
    figure, text = drawn({**TABLES, "profiles": gap})
    found = lines(figure.axes[0], "posts")
    assert np.isnan(found).tolist() == [False, True, False]
    assert "## posts, tokens" in text


def test_a_model_without_large_corpora_says_so() -> None:
    figure, text = drawn(empty_tables())
    words = [each.get_text() for ax in figure.axes for each in ax.texts]
    assert words == ["a model: no corpus has enough documents"]
    assert text.startswith("# Direction of a model\n")


def test_what_the_final_norm_makes_stands_in_the_tables_alone() -> None:
    after = {
        name: table[table["layer"] == table["layer"].max()].assign(
            space="final_norm_" + table["space"]
        )
        for name, table in TABLES.items()
    }
    both = {name: pd.concat([table, after[name]]) for name, table in TABLES.items()}
    (figure, text), (without, plain) = drawn(both), drawn()
    assert len(figure.axes) == len(without.axes)
    assert "articles, tokens, after the final norm" in text
    assert "after the final norm" not in plain
    of_last = text[text.index("articles, tokens, after the final norm") :]
    assert f"layer {LAYERS - 1}" in of_last and "layer 0" not in of_last[: of_last.index("#")]


def test_of_layers_with_one_number_the_last_is_the_extreme_one() -> None:
    table = TABLES["profiles"].copy()
    table.loc[table["measure"] == "mean_cosine", "value"] = 0.5
    table.loc[table["layer"] == 1, "value"] += 0.001
    said = title_of(drawn({**TABLES, "profiles": table})[0])
    assert said.startswith(
        "Tokens of articles point most alike at the last layer: mean cosine 0.50"
    )
