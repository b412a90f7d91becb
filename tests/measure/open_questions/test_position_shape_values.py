import numpy as np
import pytest

from embspace.measure.open_questions.position_shape_values import Search, shape_of
from tests.geometry.planted import helix

HOW = Search(
    n_planes=2,
    n_bars=3,
    scales=np.geomspace(0.02, 2.0, 47),
    tolerance=0.2,
    factor=2.0,
    parts_gap=5.0,
    smallest_part=0.05,
)


def test_a_ring_that_is_run_through_often_has_one_loop_and_its_period():
    angle = 2 * np.pi * np.arange(200) / 6.1
    ring = np.column_stack([np.cos(angle), np.sin(angle), 0.01 * np.sin(angle / 40)])
    shape = shape_of(ring, np.arange(200), HOW)
    share, turns, period, _ = shape.planes[0]
    assert share == pytest.approx(1, abs=1e-3)
    assert turns == pytest.approx(199 / 6.1, abs=0.1)
    assert period == pytest.approx(6.1, rel=0.02)
    length = shape.values["components", "longest_loop"][0]
    assert length == pytest.approx(np.sqrt(3), abs=0.15)  # of radius 1, which is the unit
    assert np.isnan(shape.planes[1]).all()  # three coordinates make one plane


def test_scale_turn_and_place_change_nothing():
    x = helix(120).astype(np.float64)
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(48, 48)))[0]
    one, other = (shape_of(y, np.arange(120), HOW) for y in (x, 5 * x @ turn + 3))
    assert one.planes == pytest.approx(other.planes, rel=1e-6, nan_ok=True)
    for place, value in one.values.items():
        # Boxes lie along the components, whose signs a turn may change.
        tolerance = 0.2 if place[1] == "box_dimension" else 1e-4
        assert value[0] == pytest.approx(other.values[place][0], abs=tolerance, nan_ok=True), place


def test_a_curve_with_a_gap_has_two_parts_where_the_gap_shows():
    x = np.random.default_rng(0).normal(size=(120, 6)).cumsum(axis=0)
    assert shape_of(x, np.arange(120), HOW).values["full", "parts"][0] == 1
    x[60:, 0] += 200
    shape = shape_of(x, np.arange(120), HOW)
    assert shape.values["full", "parts"][0] == 2
    # On a map of few components a walk has further gaps.
    assert min(shape.values[space, "parts"][0] for space in ("plane", "components")) >= 2
