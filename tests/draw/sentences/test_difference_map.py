from collections.abc import Sequence
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
from embspace.draw.page.looks import GRAY, POOLINGS
from embspace.draw.sentences.difference_map import COLORS, color_of, draw_map
from tests.draw.sentences.test_differences import measure
from tests.measure.planted_sentences import planted
from tests.measure.sentences.test_differences import OFFSETS


@pytest.fixture(scope="module")
def differences() -> Any:
    return measure(planted(OFFSETS, 8))


SHOWN = [*OFFSETS][:2]


def drawn(
    table: pd.DataFrame,
    summary: dict[str, Any],
    shown: Sequence[str] = SHOWN,
    titled: Sequence[str] = (),
) -> Axes:
    use_style()
    figure = Figure(figsize=(3.4, 3))
    ax = figure.subplots()
    draw_map(ax, table, summary, shown, titled)
    FigureCanvasAgg(figure).draw()
    return ax


def names_of(ax: Axes) -> list[Text]:
    return [text for text in ax.texts if text.get_text()]


def listed(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    return [text.get_text() for text in legend.get_texts()] if legend else []


def test_the_shown_means_are_named_in_their_color_and_no_name_lies_on_another(differences):
    ax = drawn(differences["map"], differences["json"])
    names = names_of(ax)
    assert sorted(text.get_text() for text in names) == sorted(SHOWN)
    assert {text.get_color() for text in names} == {color_of(0), color_of(1)}
    assert listed(ax) == ["3 other categories"]
    every = names_of(drawn(differences["map"], differences["json"], ["of no such name"]))
    assert len(every) > 2
    for texts in (names, every):
        boxes = [text.get_window_extent() for text in texts]
        for number, one in enumerate(boxes):
            assert not any(one.overlaps(other) for other in boxes[:number])


def test_a_name_lies_on_no_point_where_there_is_room(differences):
    """The points of a category lie around the head of its arrow."""
    table = differences["map"].query("kind == 'mean'")
    head = table[table["category"] == SHOWN[0]].iloc[0]
    around = [-0.03, 0.0, 0.03, 0.06, 0.09]
    scale = float(np.hypot(head["component_1"], head["component_2"]))
    near = [
        head.to_dict()
        | {"kind": "difference", "component_1": head["component_1"] + x * scale}
        | {"component_2": head["component_2"]}
        for x in around
    ]
    ax = drawn(pd.concat([pd.DataFrame(near), table]), differences["json"])
    [name] = [text for text in names_of(ax) if text.get_text() == SHOWN[0]]
    box = name.get_window_extent().transformed(ax.transData.inverted())
    assert not any(box.contains(row["component_1"], row["component_2"]) for row in near)


def test_the_corner_of_the_fewest_points_lists_who_has_no_name(differences):
    titled = [*OFFSETS]
    ax = drawn(differences["map"], differences["json"], [], titled)
    short = {*OFFSETS} - {text.get_text() for text in names_of(ax)}
    assert short and set(listed(ax)) == {f"{name}, short in this plane" for name in short}
    assert [len(dots.get_offsets()) for dots in ax.collections] == [0, *[8] * len(OFFSETS)]
    points = np.concatenate([dots.get_offsets() for dots in ax.collections])
    legend = ax.get_legend()
    assert legend is not None
    inside = legend.get_window_extent().transformed(ax.transData.inverted())
    assert not any(inside.contains(x, y) for x, y in points)


def test_categories_of_a_title_alone_have_colors(differences):
    ax = drawn(differences["map"], differences["json"], SHOWN, SHOWN[:1])
    colors = {text.get_text(): text.get_color() for text in names_of(ax)}
    assert colors == {SHOWN[0]: color_of(0), SHOWN[1]: GRAY}
    assert [len(dots.get_offsets()) for dots in ax.collections] == [32, 8]


def test_arrows_run_from_no_difference_to_the_shown_means(differences):
    ax = drawn(differences["map"], differences["json"])
    is_shown = (differences["map"]["kind"] == "mean") & differences["map"]["category"].isin(SHOWN)
    means = differences["map"].loc[is_shown, ["component_1", "component_2"]].to_numpy()
    arrows = [text for text in ax.texts if not text.get_text()]
    assert [arrow.xy for arrow in arrows] == [tuple(mean) for mean in means]
    assert {arrow.xyann for arrow in arrows} == {(0, 0)}
    points = np.concatenate([dots.get_offsets() for dots in ax.collections])
    assert len(points) == 40
    share = differences["json"]["explained_variance_1"]
    assert ax.get_xlabel() == f"component 1 ({100 * share:.0f} %)"
    assert ax.get_aspect() == 1


def test_categories_without_a_name_are_gray(differences):
    gray, *others = (
        to_hex(dots.get_facecolor()[0])
        for dots in drawn(differences["map"], differences["json"]).collections
    )
    assert gray == to_hex("0.75")
    assert others == [color_of(0).lower(), color_of(1).lower()]


def test_words_say_how_many_categories_are_gray(differences):
    for n_gray, words in {3: "3 other categories", 1: "one other category"}.items():
        titled = [*OFFSETS][: len(OFFSETS) - n_gray]
        assert words in listed(drawn(differences["map"], differences["json"], [], titled))


def test_nothing_that_varies_is_no_map(differences):
    for summary in ({}, {"explained_variance_1": None, "explained_variance_2": None}):
        assert "no map" in drawn(differences["map"][:0], summary).texts[0].get_text()


def test_colors_repeat_and_none_is_that_of_a_pooling():
    assert color_of(6) == color_of(0) != color_of(5)
    assert not {look.color for look in POOLINGS.values()} & {*COLORS}
