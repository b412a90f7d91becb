import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from embspace.draw.page.looks import POOLINGS
from embspace.draw.texts.layer_lines import RANDOM, draw_by_layer, draw_random_by_layer

LOOK = POOLINGS["max"]
ROWS = pd.DataFrame({"layer": [0, 1, 2], "value": [0.1, 0.5, 0.4]})


def test_a_line_has_the_look_of_its_name_and_whole_layers_as_ticks():
    ax = Figure().subplots()
    draw_by_layer(ax, ROWS, "value", LOOK)
    (line,) = ax.lines
    assert np.array_equal(line.get_xydata(), ROWS)
    assert (line.get_label(), line.get_color()) == (LOOK.name, LOOK.color)
    assert line.get_marker() == LOOK.marker
    assert all(tick == int(tick) for tick in ax.get_xticks())
    assert not ax.collections


def test_the_band_is_the_interval():
    ax = Figure().subplots()
    rows = ROWS.assign(value_low=ROWS["value"] - 0.1, value_high=ROWS["value"] + 0.2)
    draw_by_layer(ax, rows, "value", LOOK)
    (band,) = ax.collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (0.0, 0.7)


def test_random_weights_are_hollow_and_have_no_band():
    ax = Figure().subplots()
    draw_random_by_layer(ax, ROWS.assign(value_low=0.0, value_high=1.0), "value", LOOK)
    (line,) = ax.lines
    assert line.get_label() == f"{RANDOM.name}, {LOOK.name}"
    assert line.get_marker() == LOOK.marker
    assert line.get_markerfacecolor() == "none"
    assert line.get_color() == RANDOM.color
    assert line.is_dashed()
    assert not ax.collections
