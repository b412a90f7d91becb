import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from embspace.draw.page.canvas import use_style
from embspace.draw.sentences.difference_map import color_of, map_panels
from tests.draw.sentences.test_differences import measure
from tests.measure.planted_sentences import planted
from tests.measure.sentences.test_differences import OFFSETS


@pytest.fixture(scope="module")
def found() -> Any:
    return measure(planted(OFFSETS, 8))


def drawn(table: pd.DataFrame, summary: dict[str, Any]) -> tuple[Axes, Axes]:
    use_style()
    figure = Figure(figsize=(6.7, 3))
    whole, center = figure.subplots(1, 2)
    map_panels([whole, center], table, summary)
    FigureCanvasAgg(figure).draw()
    return whole, center


def shortened(table: pd.DataFrame) -> pd.DataFrame:
    """Return a map in which all but the first two categories differ by a tenth as much."""
    components = ["component_1", "component_2"]
    shorter, is_short = table.copy(), ~table["category"].isin([*OFFSETS][:2])
    shorter.loc[is_short, components] /= 10
    return shorter


def names_of(ax: Axes) -> list[Text]:
    return [text for text in ax.texts if text.get_text()]


def test_each_name_stands_once_and_none_lies_on_another(found):
    panels = drawn(shortened(found.map), found.summary)
    assert sorted(text.get_text() for ax in panels for text in names_of(ax)) == sorted(OFFSETS)
    for ax in panels:
        boxes = [text.get_window_extent() for text in names_of(ax)]
        for number, one in enumerate(boxes):
            assert not any(one.overlaps(other) for other in boxes[:number])


def test_arrows_run_from_no_difference_to_the_means_long_ones_in_the_first_panel(found):
    table = shortened(found.map)
    whole, center = drawn(table, found.summary)
    means = table[table["kind"] == "mean"][["component_1", "component_2"]].to_numpy()
    lengths = np.hypot(*means.T)
    is_long = lengths > 1.6 * np.median(lengths)
    assert 0 < is_long.sum() < len(means)
    for ax, chosen in ((whole, is_long), (center, ~is_long)):
        arrows = [text for text in ax.texts if not text.get_text()]
        assert [each.xy for each in arrows] == [tuple(each) for each in means[chosen]]
        assert {each.xyann for each in arrows} == {(0, 0)}
    points = np.concatenate([each.get_offsets() for each in whole.collections])
    assert len(points) == 40
    share = found.summary["explained_variance_1"]
    assert whole.get_xlabel() == f"component 1 ({100 * share:.0f} %)"
    assert whole.get_aspect() == center.get_aspect() == 1


def test_the_center_is_as_much_larger_as_it_says(found):
    whole, center = drawn(shortened(found.map), found.summary)
    [times] = re.fullmatch(r"The center, enlarged (\d+) times", center.get_title("left")).groups()
    assert np.ptp(whole.get_xlim()) / np.ptp(center.get_xlim()) == pytest.approx(
        int(times), abs=0.5
    )
    assert int(times) > 1


def test_arrows_of_like_length_stay_in_the_first_panel(found):
    whole, center = drawn(found.map, found.summary)
    assert center.get_title("left") == "The center"
    assert not names_of(center)
    assert len(names_of(whole)) == len(OFFSETS)


def test_nothing_that_varies_is_no_map(found):
    for summary in ({}, {"explained_variance_1": None, "explained_variance_2": None}):
        assert "no map" in drawn(found.map[:0], summary)[0].texts[0].get_text()


def test_colors_repeat_after_six():
    assert [color_of(number) for number in (0, 5, 6)] == ["C0", "C5", "C0"]
