from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.attention.head_map import draw_divergence, draw_head_map
from tests.draw.attention.tables import divergence, plane

DIVERGENCE = "head_features/divergence"


def results(difference: float = 0.1) -> dict[str, Any]:
    return {"head_features/plane": plane(), DIVERGENCE: divergence(difference)}


def finding(given: dict[str, Any]) -> str:
    return draw_head_map(given, "x", digits=3)[0]


def smaller(factor: float, **change: float) -> dict[str, Any]:
    """Return results whose divergences are smaller by a factor."""
    table = divergence()
    columns = ["divergence", "divergence_low", "divergence_high"]
    table[columns] = table[columns] / factor
    return results() | {DIVERGENCE: table.assign(**change)}


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [(0.1, "less than"), (-0.1, "more than"), (0.01, "not clearly otherwise than")],
)
def test_the_finding_says_which_differ_more(difference: float, verdict: str):
    said, tables = draw_head_map(results(difference), "x", digits=3)
    assert f"0.30 bits, {verdict} those" in said
    assert "|    1.1 |" in tables


def test_the_finding_shows_the_digits_in_which_heads_surely_differ():
    said = finding(smaller(25, random_weights=5.6e-5))
    assert "differ by 0.01 bits, less than those of different layers, 0.02 bits" in said
    assert said.endswith("with random weights by less than 0.001")


def test_heads_that_are_all_but_equal_are_not_told_apart_by_equal_numbers():
    start = "All heads attend alike: they differ by less than 0.001 bits, with random"
    assert finding(smaller(1e7)).startswith(start)


def test_heads_without_random_ones_stand_alone():
    assert finding(smaller(1, random_weights=float("nan"))).endswith("different layers, 0.40 bits")


@pytest.mark.parametrize(
    ("lacks", "said"), [("other_layers", "one layer differ by 0.30"), ("same_layer", "by 0.40")]
)
def test_heads_that_have_none_to_compare_with_stand_alone(lacks: str, said: str):
    given = results()
    is_lacking = given[DIVERGENCE]["compared_with"].isin([lacks, "difference"])
    columns = ["divergence", "divergence_low", "divergence_high"]
    given[DIVERGENCE].loc[is_lacking, columns] = float("nan")
    assert finding(given).endswith(f"{said} bits; with random weights by 0.01")


def test_lines_are_the_divergences_by_layer():
    ax = Figure().subplots()
    draw_divergence(ax, divergence())
    assert list(ax.lines[0].get_ydata()) == [0.3] * 3
    assert list(ax.lines[1].get_ydata()) == pytest.approx([0.4] * 3)
    assert list(ax.lines[2].get_ydata()) == [0.01] * 3


def test_without_heads_it_says_so():
    empty = {name: pd.DataFrame(columns=table.columns) for name, table in results().items()}
    said, tables = draw_head_map(empty, "vectors", digits=3)
    assert said.startswith("No heads")
    assert "There are no two heads" in tables
