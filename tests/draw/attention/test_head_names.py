import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from embspace.draw.attention.head_names import (
    FEATURE_NAMES,
    draw_grid,
    draw_map,
    grid_of,
    head_name,
)
from embspace.measure.attention.head_features_names import ALL_FEATURES
from tests.draw.attention.tables import heads


def test_every_feature_has_a_name():
    assert tuple(FEATURE_NAMES) and set(FEATURE_NAMES) == set(ALL_FEATURES)
    assert len(set(FEATURE_NAMES.values())) == len(FEATURE_NAMES)
    assert head_name(3.0, 12) == "3.12"


def test_layers_are_rows_and_heads_columns():
    table = heads()
    values = grid_of(table[table["feature"] == "self_mass"], "value")
    assert values.shape == (3, 4)
    assert values.loc[2, 3] == 0.11


def test_a_grid_shows_the_values_and_leaves_the_other_panels_as_they_were():
    figure = Figure(layout="constrained")
    first, second = figure.subplots(1, 2)
    engine = figure.get_layout_engine()
    values = pd.DataFrame([[0.1, 0.2], [0.3, 0.4]], index=[1, 2], columns=[1, 2])
    draw_grid(first, values, "title", vmin=0)
    assert np.ravel(first.collections[0].get_array()).tolist() == [0.1, 0.2, 0.3, 0.4]
    assert [label.get_text() for label in first.get_yticklabels()] == ["1", "2"]
    assert second.get_visible()
    assert figure.get_layout_engine() is engine
    assert len(figure.axes) == 3  # with its bar of colors
    draw_grid(second, values, "title", has_bar=False)
    assert len(figure.axes) == 3


def test_a_map_names_every_token_and_cuts_long_ones():
    ax = Figure(layout="constrained").subplots()
    draw_map(ax, np.eye(2), ["[CLS]", "extraordinarily"], "a head")
    assert [label.get_text() for label in ax.get_xticklabels()] == ["[CLS]", "extraordin"]
    assert ax.collections[0].get_clim() == (0, 1)
