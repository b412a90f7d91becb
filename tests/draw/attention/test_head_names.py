import numpy as np
from matplotlib.figure import Figure

from embspace.draw.attention.head_names import FEATURE_NAMES, draw_map, head_name
from embspace.measure.attention.head_features_names import ALL_FEATURES


def test_every_feature_has_a_name():
    assert tuple(FEATURE_NAMES) and set(FEATURE_NAMES) == set(ALL_FEATURES)
    assert len(set(FEATURE_NAMES.values())) == len(FEATURE_NAMES)
    assert head_name(3.0, 12) == "3.12"


def test_a_map_names_every_token_and_cuts_long_ones():
    ax = Figure(layout="constrained").subplots()
    draw_map(ax, np.eye(2), ["[CLS]", "extraordinarily"], "a head")
    assert [label.get_text() for label in ax.get_xticklabels()] == ["[CLS]", "extraordin"]
    assert ax.collections[0].get_clim() == (0, 1)
