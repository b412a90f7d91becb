from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

from embspace.draw.page.canvas import use_style
from embspace.draw.page.looks import POOLINGS
from embspace.draw.sentences.difference_map import COLORS, color_of, draw_map
from tests.draw.sentences.test_differences import measure
from tests.measure.planted_sentences import planted
from tests.measure.sentences.test_differences import OFFSETS


@pytest.fixture(scope="module")
def found() -> Any:
    return measure(planted(OFFSETS, 8))


def drawn(table: pd.DataFrame, summary: dict[str, Any]) -> Axes:
    use_style()
    figure = Figure(figsize=(3.4, 3))
    ax = figure.subplots()
    draw_map(ax, table, summary)
    FigureCanvasAgg(figure).draw()
    return ax


def shortened(table: pd.DataFrame) -> pd.DataFrame:
    """Return a map in which all but the first two categories differ by a tenth as much."""
    components = ["component_1", "component_2"]
    shorter, is_short = table.copy(), ~table["category"].isin([*OFFSETS][:2])
    shorter.loc[is_short, components] /= 10
    return shorter


def names_of(ax: Axes) -> list[Text]:
    return [text for text in ax.texts if text.get_text()]


def test_long_means_are_named_and_no_name_lies_on_another(found):
    names = names_of(drawn(shortened(found.map), found.summary))
    assert sorted(text.get_text() for text in names) == sorted([*OFFSETS][:2])
    every = names_of(drawn(found.map, found.summary))
    assert sorted(text.get_text() for text in every) == sorted(OFFSETS)
    for texts in (names, every):
        boxes = [text.get_window_extent() for text in texts]
        for number, one in enumerate(boxes):
            assert not any(one.overlaps(other) for other in boxes[:number])


def test_arrows_run_from_no_difference_to_the_long_means(found):
    table = shortened(found.map)
    ax = drawn(table, found.summary)
    means = table[table["kind"] == "mean"][["component_1", "component_2"]].to_numpy()
    lengths = np.hypot(*means.T)
    is_long = lengths > 1.6 * np.median(lengths)
    assert 0 < is_long.sum() < len(means)
    arrows = [text for text in ax.texts if not text.get_text()]
    assert [each.xy for each in arrows] == [tuple(each) for each in means[is_long]]
    assert {each.xyann for each in arrows} == {(0, 0)}
    points = np.concatenate([each.get_offsets() for each in ax.collections])
    assert len(points) == 40
    share = found.summary["explained_variance_1"]
    assert ax.get_xlabel() == f"component 1 ({100 * share:.0f} %)"
    assert ax.get_aspect() == 1


def test_categories_without_a_name_are_gray(found):
    gray, *others = (
        to_hex(each.get_facecolor()[0])
        for each in drawn(shortened(found.map), found.summary).collections
    )
    assert gray == to_hex("0.75")
    assert others == [color_of(0).lower(), color_of(1).lower()]


def test_nothing_that_varies_is_no_map(found):
    for summary in ({}, {"explained_variance_1": None, "explained_variance_2": None}):
        assert "no map" in drawn(found.map[:0], summary).texts[0].get_text()


def test_colors_repeat_and_none_is_that_of_a_pooling():
    assert color_of(4) == color_of(0) != color_of(3)
    assert not {look.color for look in POOLINGS.values()} & {*COLORS}
