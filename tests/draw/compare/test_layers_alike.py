import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from embspace.compare.alignment import ALIGNMENT
from embspace.draw.compare.layers_alike import draw_alike, equally_deep
from tests.draw.compare.test_alignment import SETS, table


def drawn() -> Axes:
    ax = Figure().subplots()
    draw_alike("one", ax, equally_deep(table()))
    return ax


def test_layers_of_equal_depth_alone_are_drawn():
    lines = [line for line in drawn().lines if line.get_ls() != ":"]
    assert len(lines) == len(SETS)
    assert [list(line.get_xdata()) for line in lines] == [[0, 1, 2]] * len(SETS)
    assert list(lines[0].get_ydata()) == pytest.approx([0.9, 0.78, 0.66])


def test_words_are_dashed_and_each_line_has_its_name_at_its_end():
    ax = drawn()
    assert [line.get_ls() for line in ax.lines[: len(SETS)]] == ["-", "--", "-", "-"]
    *names, chance = ax.texts
    assert [name.get_text() for name in names] == [
        "articles",
        "articles, words",
        "posts",
        "stimuli",
    ]
    places = np.array([name.xyann[1] for name in ax.texts])
    assert abs(np.diff(np.sort(places))).min() > 0.05
    assert places.min() >= 0
    ends = [line.get_ydata()[-1] for line in ax.lines[: len(SETS)]]
    assert [name.xy[1] for name in names] == ends
    assert chance.get_text() == "by chance"
    assert chance.xy[1] == pytest.approx(0.02)


def test_without_common_texts_there_is_no_row():
    assert equally_deep(ALIGNMENT.tables["csv"].of()).empty
