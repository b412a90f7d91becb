import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from embspace.draw.page.looks import TOKEN_KINDS
from embspace.draw.page.maps.panels import Panel, panels_of_maps
from embspace.draw.page.maps.points import draw_positions, draw_tokens
from tests.draw.page.maps.results import results_of
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices


@pytest.fixture(scope="module")
def results():
    return results_of(random_matrices(), regimes_of(30, outlying=[0, 7]))


def tokens(panel: Panel) -> Axes:
    ax = Figure().subplots()
    draw_tokens(ax, panel.rows)
    return ax


def test_points_are_those_of_the_table_by_kind_of_token(results):
    joint = tokens(panels_of_maps(results)[0])
    rows = results["parquet"].query("cloud == 'joint'")
    points = {dots.get_label(): dots.get_offsets()[:, 0].tolist() for dots in joint.collections}
    assert [*points] == ["words", "numbers", "special tokens", "position embeddings"]
    assert points["position embeddings"] == rows.loc[rows["space"] == "positional", "x"].tolist()
    assert points["special tokens"] == rows["x"].tolist()[:2]
    assert len(points["words"]) + len(points["numbers"]) == 118
    (words,) = [dots for dots in joint.collections if dots.get_label() == "words"]
    assert words.get_facecolor()[0, :3] == pytest.approx((0, 0x72 / 255, 0xB2 / 255))
    assert TOKEN_KINDS["word"].color == "#0072B2"


def test_positions_that_are_left_out_are_crosses(results):
    positional = Figure().subplots()
    draw_positions(positional, panels_of_maps(results)[2].rows, {0, 7}, is_joined=True)
    rows = results["parquet"].query("cloud == 'positional' and id in [0, 7]")
    assert positional.collections[0].get_offsets()[:, 0].tolist() == rows["x"].tolist()
    assert len(positional.collections[1].get_offsets()) == 28
    assert len(positional.lines[0].get_xdata()) == 28


def test_vectors_far_out_are_counted_and_do_not_press_the_rest_together():
    x = [*(number / 1000 for number in range(1000)), 1e6]
    rows = pd.DataFrame({"x": x, "y": x, "space": "input", "id": range(1001), "kind": "word"})
    ax = tokens(Panel("input", rows, pd.Series()))
    assert ax.get_xlim()[1] < 2
    assert "1 vector outside" in [text.get_text() for text in ax.texts]
