from typing import Any

import pandas as pd
import pytest

from embspace.draw.attention.head_map import draw_head_map
from tests.draw.attention.tables import divergence, plane
from tests.draw.fits import assert_words_fit

DRAWN: dict[str, Any] = {"height_mm": 95.0, "digits": 3}


def results(difference: float = 0.1) -> dict[str, Any]:
    return {"head_features/plane": plane(), "head_features/divergence": divergence(difference)}


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [(0.1, "less than"), (-0.1, "more than"), (0.01, "not clearly otherwise than")],
)
def test_the_title_says_what_was_found(difference: float, verdict: str):
    figure, tables = draw_head_map(results(difference), "a model of a long name", **DRAWN)
    assert_words_fit(figure)
    assert f"0.30 bits, {verdict} those" in " ".join(figure.get_suptitle().split())
    words = " ".join(" ".join(each.get_text() for each in figure.texts).split())
    assert "12 heads" in words
    assert "keeps 40 %" in words
    assert "90 % intervals" in words
    assert "|    1.1 |" in tables


def test_the_title_shows_the_digits_in_which_heads_surely_differ():
    small = results()
    table = small["head_features/divergence"].copy()
    columns = ["divergence", "divergence_low", "divergence_high"]
    table[columns] = table[columns] / 1000
    table["random_weights"] = 5.6e-5
    small["head_features/divergence"] = table
    title = " ".join(draw_head_map(small, "x", **DRAWN)[0].get_suptitle().split())
    assert "differ by 0.0003 bits, less than those of different layers, 0.0004 bits" in title
    assert title.endswith("with random weights by less than 0.001")


def test_heads_that_are_all_but_equal_are_not_told_apart_by_equal_numbers():
    small = results()
    table = small["head_features/divergence"].copy()
    columns = ["divergence", "divergence_low", "divergence_high"]
    table[columns] = table[columns] / 1e7
    small["head_features/divergence"] = table
    told = "Heads of one layer differ by 0.000000 bits"
    title = " ".join(draw_head_map(small, "x", **DRAWN)[0].get_suptitle().split())
    assert title.startswith(f"{told}, as much as those of different layers; with random")


def test_heads_without_random_ones_stand_alone():
    alone = results()
    table = alone["head_features/divergence"]
    alone["head_features/divergence"] = table.assign(random_weights=float("nan"))
    title = " ".join(draw_head_map(alone, "x", **DRAWN)[0].get_suptitle().split())
    assert title.endswith("different layers, 0.40 bits")


def test_the_panels_show_places_and_divergences():
    figure, _ = draw_head_map(results(), "x", **DRAWN)
    places, lines = figure.axes[:2]
    offsets = places.collections[0].get_offsets()
    assert len(offsets) == 12
    assert list(lines.lines[0].get_ydata()) == [0.3] * 3
    assert list(lines.lines[1].get_ydata()) == pytest.approx([0.4] * 3)
    names = {text.get_text() for text in places.texts}
    assert "1.1" in names


def test_heads_at_one_place_have_one_name():
    same = results()
    same["head_features/plane"] = plane().assign(x=0.0, y=0.0)
    figure, _ = draw_head_map(same, "x", **DRAWN)
    assert [text.get_text() for text in figure.axes[0].texts] == ["1.1"]


def test_without_heads_it_says_so():
    empty = {name: pd.DataFrame(columns=each.columns) for name, each in results().items()}
    figure, tables = draw_head_map(empty, "vectors", **DRAWN)
    assert figure.get_suptitle().startswith("No heads")
    assert "There are no two heads" in tables
