from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.attention.word_order import draw_word_order
from embspace.measure.attention.word_order import WORD_ORDER
from tests.analyses import as_drawn, settings_of
from tests.draw.attention.tables import facts, order
from tests.draw.fits import assert_words_fit


def draw(table: pd.DataFrame, scalars: dict[str, Any]) -> tuple[Figure, str]:
    results = as_drawn(WORD_ORDER, {"csv": table, "json": scalars})
    return draw_word_order(results, "a model of a long name", **settings_of(draw_word_order))


@pytest.mark.parametrize(
    ("removed", "verdict", "sees", "said"),
    [
        ("table", True, True, "Without positions shuffling a text only shuffles its states;"),
        ("rotation", False, False, "knows the order of tokens, for its mask hides later tokens;"),
        ("table", False, True, "Even without positions the model knows the order of tokens;"),
        ("nothing", None, True, "Positions cannot be taken away from this model;"),
    ],
)
def test_the_title_says_what_was_found(removed: str, verdict: bool | None, sees: bool, said: str):
    figure, tables = draw(order(removed), facts(removed, verdict, sees))
    assert_words_fit(figure)
    title = " ".join(figure.get_suptitle().split())
    assert said in title
    assert "move" in title
    assert "30 % of their norm, with random weights by" in title
    assert ("Tokens see those" if sees else "Tokens do not see those") in tables


def test_a_distance_that_layer_0_has_already_is_said_to_be_there():
    table = order()
    is_first = (table["layer"] == 0) & (table["positions"] == "kept")
    for distance, is_said in ((0.2999, True), (0.29, False)):
        table.loc[is_first, ["distance", "distance_high"]] = [distance, 0.35]
        title = " ".join(draw(table, facts())[0].get_suptitle().split())
        assert ("30 % of their norm, at layer 0 already, with random" in title) == is_said
    title = " ".join(draw(table[table["layer"] == 0], facts())[0].get_suptitle().split())
    assert "29 % of their norm, with random" in title


def test_lines_are_the_table_and_the_number_of_the_title_is_printed():
    figure, _ = draw(order(), facts())
    [ax] = figure.axes
    lines = {line.get_label(): list(line.get_ydata()) for line in ax.lines}
    assert lines["with positions, up to 30 %"] == pytest.approx([0.1, 0.2, 0.3])
    [without] = [name for name in lines if name.startswith("without positions")]
    assert lines[without] == pytest.approx([0, 1e-6, 2e-6])
    assert "with positions, up to 30 %" in [text.get_text() for text in ax.texts]


def test_what_cannot_be_removed_has_no_line():
    [ax] = draw(order("nothing"), facts("nothing", None))[0].axes
    assert not [line for line in ax.lines if line.get_label().startswith("without positions")]


def test_without_texts_it_says_so():
    figure, tables = draw(order()[:0], {"removed": None})
    assert figure.get_suptitle().startswith("No order")
    assert "The model reads no text." in tables
