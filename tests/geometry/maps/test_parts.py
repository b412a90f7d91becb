import numpy as np
import pytest

from embspace.geometry.maps.parts import parts_by_gaps

LINE = np.column_stack([np.arange(40.0), np.zeros(40)])


def test_a_line_with_a_gap_has_two_parts_the_larger_first():
    x = LINE.copy()
    x[30:] += [6, 0]
    parts = parts_by_gaps(x, gap=5.0, smallest_share=0.05)
    assert parts.n == 2
    assert parts.labels.tolist() == [0] * 30 + [1] * 10
    assert parts_by_gaps(x, gap=7.5, smallest_share=0.05).n == 1


def test_stragglers_are_no_part():
    x = np.vstack([LINE, [[200.0, 0.0]]])
    parts = parts_by_gaps(x, gap=5.0, smallest_share=0.05)
    assert parts.n == 1
    assert parts.labels[-1] == -1
    assert parts_by_gaps(x, gap=5.0, smallest_share=0.01).n == 2


def test_size_and_place_do_not_matter():
    rng = np.random.default_rng(0)
    x = np.vstack([rng.normal(size=(50, 2)), rng.normal(size=(30, 2)) + 40])
    for moved in (x, 1000 * x - 7):
        assert parts_by_gaps(moved, gap=5.0, smallest_share=0.05).n == 2


def test_points_spread_evenly_are_one_part():
    # A gap of five median steps is far beyond where random points in a plane hang together.
    counts = [
        parts_by_gaps(np.random.default_rng(seed).random((300, 2)), gap=5.0, smallest_share=0.05).n
        for seed in range(20)
    ]
    assert set(counts) == {1}


def test_one_point_is_refused():
    with pytest.raises(ValueError, match="at least 2 points, found 1"):
        parts_by_gaps(np.zeros((1, 2)), gap=5.0, smallest_share=0.05)
