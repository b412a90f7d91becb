from collections.abc import Iterator
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
import seaborn
from matplotlib import rcParams
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from embspace.draw.page.canvas import (
    WIDTH_MM,
    count,
    counted,
    draw_line,
    letter_panels,
    new_figure,
    stage_of,
    use_style,
)
from embspace.draw.page.looks import PALETTE, Look
from tests.draw.fits import assert_words_fit


@pytest.fixture(autouse=True)
def style() -> Iterator[None]:
    use_style()
    yield
    use_style()  # as it was before a test that changes it


def test_the_style_is_seaborns_theme_but_for_what_is_said_to_be_ours():
    ours = dict(rcParams)
    seaborn.set_theme(context="paper", style="ticks", palette=PALETTE)
    lines = (files("embspace.draw.page") / "embspace.mplstyle").read_text().splitlines()
    changed = {line.partition(":")[0] for line in lines[lines.index("# Ours.") :]}
    # Never used: all maps name their colors, and the family is one font. The cycle is compared
    # below, for seaborn has other words for the same colors.
    changed |= {"figure.figsize", "font.sans-serif", "image.cmap", "axes.prop_cycle"}
    assert {key for key in ours if ours[key] != rcParams[key]} <= changed
    cycle = [look["color"] for look in ours["axes.prop_cycle"]]
    assert cycle == [to_hex(look["color"]).upper() for look in rcParams["axes.prop_cycle"]]


def test_a_figure_names_its_stage_and_what_was_measured():
    figure, axes = new_figure(
        2, 3, height_mm=100.0, title="Title", subtitle="tiny · 3 tokens", stage="measure_x"
    )
    assert len(axes) == 6
    assert figure.get_suptitle().strip() == "Title"
    assert "tiny · 3 tokens" in [text.get_text() for text in figure.texts]
    assert figure.get_label() == stage_of(figure) == "measure_x"
    assert round(figure.get_size_inches()[0] * 25.4) == WIDTH_MM


def test_no_pixel_is_colored_before_a_figure_is_saved():
    figure, _ = new_figure(1, 1, height_mm=50.0, title="T", subtitle="a toy", stage="measure_x")
    figure.canvas.draw()  # as seaborn does for each heat map
    assert not figure.stale
    assert not np.asarray(figure.canvas.buffer_rgba())[..., 3].any()
    FigureCanvasAgg.draw(figure.canvas)
    assert np.asarray(figure.canvas.buffer_rgba())[..., 3].any()


def test_long_words_take_further_lines_and_are_not_cut():
    figure, (ax,) = new_figure(
        1, 1, height_mm=60.0, title="A finding " * 12, subtitle="a name " * 40, stage="measure_x"
    )
    figure.set_layout_engine("constrained")
    assert_words_fit(figure)
    title, subtitle = figure.get_suptitle().strip(), figure.texts[-1].get_text()
    assert title.count("\n") == 1
    assert subtitle.count("\n") in (2, 3)
    heights = [text.get_window_extent() for text in (figure.texts[0], figure.texts[-1])]
    assert ax.get_window_extent().y1 < heights[1].y0


def test_panels_carry_letters_and_a_color_bar_none():
    figure, axes = new_figure(1, 3, height_mm=60.0, title="T", subtitle="s", stage="measure_x")
    axes[0].set_title("left")
    axes[1].set_title("middle", loc="center")
    axes[2].set_axis_off()
    points = axes[0].scatter([0, 1], [0, 1], c=[0, 1])
    figure.colorbar(points, ax=axes[0])
    letter_panels(figure)
    assert [ax.get_title("left") for ax in axes] == ["a   left", "b   middle", ""]
    assert figure.axes[-1].get_title("left") == ""


def test_one_panel_has_no_letter():
    figure, (ax,) = new_figure(1, 1, height_mm=60.0, title="T", subtitle="s", stage="measure_x")
    letter_panels(figure)
    assert ax.get_title("left") == ""


def test_the_style_beats_what_was_set_before():
    rcParams["svg.hashsalt"] = None
    rcParams["font.size"] = 30
    rcParams["axes.edgecolor"] = "red"  # seaborn's to set
    rcParams["hatch.color"] = "red"  # neither seaborn's nor ours
    use_style()
    assert rcParams["svg.hashsalt"] == "embspace"
    assert rcParams["font.size"] == 8
    assert rcParams["axes.edgecolor"] == ".15"
    assert rcParams["hatch.color"] != "red"
    assert [to_hex(f"C{number}").upper() for number in range(len(PALETTE))] == PALETTE


def test_counts_have_separators():
    assert count(30522.0) == "30,522"


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 pairs"), (1, "1 pair"), (1.0, "1 pair"), (1001, "1,001 pairs")]
)
def test_one_of_a_kind_is_no_plural(number: float, words: str):
    assert counted(number, "pair") == words


def test_a_figure_has_the_width_of_the_style():
    use_style(85.0)
    figure, _ = new_figure(1, 1, height_mm=50.0, title="T", subtitle="a", stage="measure_x")
    assert round(figure.get_size_inches()[0] * 25.4) == 85


def test_a_line_has_its_look_and_the_band_of_its_interval():
    rows = pd.DataFrame({"x": [0, 1], "y": [2.0, 3.0], "y_low": [1.0, 2.0], "y_high": [4.0, 5.0]})
    look = Look("mine", "#123456", "s", "--")
    ax = Figure().subplots()
    draw_line(ax, rows, "x", "y", look, ms=7)
    [line], [band] = ax.lines, ax.collections
    assert (line.get_label(), line.get_color(), line.get_marker()) == look[:3]
    assert line.get_linestyle() == "--" and line.get_markersize() == 7
    heights = band.get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (1.0, 5.0)
    ax = Figure().subplots()
    draw_line(ax, rows, "x", "y", look, 0)
    draw_line(ax, rows[["x", "y"]], "x", "y", look)
    assert not ax.collections
