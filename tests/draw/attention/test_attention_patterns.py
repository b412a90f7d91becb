from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from embspace.draw.attention.attention_patterns import (
    EXAMPLES,
    TENSORS,
    draw_attention_patterns,
)
from embspace.measure.attention.attention_patterns import ATTENTION_PATTERNS
from tests.analyses import as_drawn, settings_of
from tests.draw.attention.tables import examples, types, types_of_heads
from tests.draw.fits import assert_words_fit


def results(**change: Any) -> dict[str, Any]:
    tokens, maps = examples()
    found = {"heads": types_of_heads(), "types": types(**change), EXAMPLES: tokens}
    return found | {TENSORS: {"example": maps}}


def draw(given: dict[str, Any]) -> tuple[Figure, str]:
    settings = settings_of(draw_attention_patterns)
    return draw_attention_patterns(
        as_drawn(ATTENTION_PATTERNS, given), "a model of a long name", **settings
    )


def test_the_clearest_head_of_each_type_is_shown_with_its_tokens():
    figure, tables = draw(results())
    assert_words_fit(figure)
    first, second = figure.axes[:2]
    assert first.get_title("left") == "vertical: 1.1"
    assert second.get_title("left") == "diagonal: 1.2"
    assert np.ravel(second.collections[0].get_array())[0] == 0.01
    assert [label.get_text() for label in first.get_yticklabels()] == (
        ["[CLS]", "extraordin", "[SEP]"]
    )
    title = " ".join(figure.get_suptitle().split())
    assert title == (
        "By our bounds 50 % of the heads are vertical (25 % without the first token's key), 25 % "
        "(100 % with random weights) heterogeneous"
    )
    assert "vertical + diagonal" in tables
    assert "types of Kovaleva et al." in tables


def test_bars_are_the_shares():
    figure, _ = draw(results())
    widths = [bar.get_width() for bar in figure.axes[5].patches]
    assert sorted(widths) == sorted(types(("kovaleva",))["share"])


def test_a_type_that_depends_on_the_first_key_says_so_beside_its_diamond():
    figure, tables = draw(results())
    shares = figure.axes[5]
    assert [text.get_text() for text in shares.texts][:2] == ["vertical: depends", "diagonal"]
    (diamonds,) = (line for line in shares.lines if line.get_marker() == "D")
    expected = types(("kovaleva",))["share_without_first_key"].tolist()
    assert list(diamonds.get_xdata()) == expected
    assert "depends" in tables


def test_a_type_without_a_head_says_so():
    figure, _ = draw(results(empty_type=True))
    said = figure.axes[1].texts[0].get_text().replace("\n", " ")
    assert said == "no head is diagonal by these bounds"


def test_one_set_of_rules_leaves_the_other_panels_empty():
    figure, _ = draw(results(sets=("kovaleva",)))
    assert any(text.get_text() == "there is one set of rules" for text in figure.axes[7].texts)


def test_without_heads_it_says_so():
    empty = {
        name: pd.DataFrame(columns=each.columns)
        for name, each in results().items()
        if name != TENSORS
    }
    figure, tables = draw(empty | {TENSORS: {}})
    assert figure.get_suptitle().startswith("No heads")
    assert "The model reads no text." in tables
