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
from embspace.draw.page.looks import POOLINGS
from embspace.draw.sentences.difference_map import COLORS, color_of, draw_map
from tests.draw.sentences.test_differences import measure
from tests.measure.planted_sentences import planted
from tests.measure.sentences.test_differences import OFFSETS


@pytest.fixture(scope="module")
def differences() -> Any:
    return measure(planted(OFFSETS, 8))


SHOWN = [*OFFSETS][:2]


def drawn(table: pd.DataFrame, summary: dict[str, Any], shown: Sequence[str] = SHOWN) -> Axes:
    use_style()
    figure = Figure(figsize=(3.4, 3))
    ax = figure.subplots()
    draw_map(ax, table, summary, shown)
    FigureCanvasAgg(figure).draw()
    return ax


def names_of(ax: Axes) -> list[Text]:
    return [text for text in ax.texts if text.get_text()]


def test_the_shown_means_are_named_in_their_color_and_no_name_lies_on_another(differences):
    names = names_of(drawn(differences["map"], differences["json"]))
    *arrows, gray = names
    assert sorted(text.get_text() for text in arrows) == sorted(SHOWN)
    assert {text.get_color() for text in arrows} == {color_of(0), color_of(1)}
    assert gray.get_text().startswith("gray:")
    every = names_of(drawn(differences["map"], differences["json"], ["of no such name"]))
    in_words = {word.strip(",") for text in every for word in text.get_text().split("\n")}
    assert in_words == {*OFFSETS, "gray:", "short in this plane"}
    for texts in (names, every):
        boxes = [text.get_window_extent() for text in texts]
        for number, one in enumerate(boxes):
            assert not any(one.overlaps(other) for other in boxes[:number])


def test_short_means_are_named_as_gray_in_the_corner_of_the_fewest_points(differences):
    ax = drawn(differences["map"], differences["json"], [*OFFSETS])
    names = names_of(ax)
    [words] = [text for text in names if text.get_text().startswith("gray:")]
    short = {*OFFSETS} - {text.get_text() for text in names}
    lines = words.get_text().split("\n")
    assert short == {line.strip(",") for line in lines[1:-1]} and lines[-1] == "short in this plane"
    gray, *others = (len(dots.get_offsets()) for dots in ax.collections)
    assert gray == 8 * len(short) and others == [8] * (len(OFFSETS) - len(short))
    points = np.concatenate([dots.get_offsets() for dots in ax.collections])
    inside = words.get_window_extent().transformed(ax.transData.inverted())
    assert not any(inside.contains(x, y) for x, y in points)


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
        ax = drawn(differences["map"], differences["json"], [*OFFSETS][: len(OFFSETS) - n_gray])
        [gray] = [text.get_text() for text in ax.texts if text.get_text().startswith("gray:")]
        assert gray.endswith(words)


def test_nothing_that_varies_is_no_map(differences):
    for summary in ({}, {"explained_variance_1": None, "explained_variance_2": None}):
        assert "no map" in drawn(differences["map"][:0], summary).texts[0].get_text()


def test_colors_repeat_and_none_is_that_of_a_pooling():
    assert color_of(6) == color_of(0) != color_of(5)
    assert not {look.color for look in POOLINGS.values()} & {*COLORS}
