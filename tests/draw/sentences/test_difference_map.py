from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from embspace.draw.page.canvas import use_style
from embspace.draw.sentences.difference_map import color_of, map_panel
from tests.draw.sentences.test_differences import measure
from tests.measure.planted_sentences import planted
from tests.measure.sentences.test_differences import OFFSETS


@pytest.fixture(scope="module")
def found() -> Any:
    return measure(planted(OFFSETS, 8))


def drawn(table: pd.DataFrame, summary: dict[str, Any]) -> Axes:
    use_style()
    figure = Figure(figsize=(3.2, 2.6))
    ax = figure.subplots()
    map_panel(ax, table, summary)
    FigureCanvasAgg(figure).draw()
    return ax


def test_names_lie_inside_and_not_on_each_other(found):
    ax = drawn(found.map, found.summary)
    names = [text for text in ax.texts if text.get_text()]
    assert sorted(text.get_text().replace("\n", "") for text in names) == sorted(OFFSETS)
    boxes = [text.get_window_extent() for text in names]
    for number, one in enumerate(boxes):
        assert ax.bbox.y0 <= one.y0
        assert one.y1 <= ax.bbox.y1
        for other in boxes[:number]:
            assert not one.overlaps(other)


def test_arrows_run_from_no_difference_to_the_means(found):
    ax = drawn(found.map, found.summary)
    arrows = [text for text in ax.texts if not text.get_text()]
    means = found.map[found.map["kind"] == "mean"]
    tips = [tuple(each) for each in means[["component_1", "component_2"]].to_numpy()]
    assert [each.xy for each in arrows] == tips
    assert {each.xyann for each in arrows} == {(0, 0)}
    points = np.concatenate([each.get_offsets() for each in ax.collections])
    assert len(points) == 40
    share = found.summary["explained_variance_1"]
    assert ax.get_xlabel() == f"component 1, {100 * share:.0f} % of variance"
    assert ax.get_aspect() == 1


def test_nothing_that_varies_is_no_map(found):
    for summary in ({}, {"explained_variance_1": None, "explained_variance_2": None}):
        assert "no map" in drawn(found.map[:0], summary).texts[0].get_text()


def test_colors_repeat_after_six():
    assert [color_of(number) for number in (0, 5, 6)] == ["C0", "C5", "C0"]
