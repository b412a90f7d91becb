import numpy as np
import pytest

from embspace.geometry.maps.links import circle_pair
from embspace.geometry.pairs.pairs import scan_pairs
from embspace.project.circles import circle_quality, null_ring_order

N = 40
CIRCLES = circle_pair(N, center_distance=1.0, angle=75.0)
X = np.concatenate(CIRCLES)


def quality(layout: np.ndarray) -> dict[str, float]:
    graph = scan_pairs(X, n_neighbors=2 * N - 1).neighbors
    assert graph is not None
    return circle_quality(X, layout, graph, n_neighbors=6, largest_closed_step=5.0)


def side_by_side() -> np.ndarray:
    angle = 2 * np.pi * np.arange(N) / N
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    return np.concatenate([ring, ring + [10, 0]])


def test_two_even_rings_side_by_side_keep_all_but_the_link():
    row = quality(side_by_side())
    for name in ("trustworthiness", "continuity", "neighbor_recall", "same_circle_share"):
        assert row[name] == pytest.approx(1)
    assert row["linearly_separable"] == 1
    assert row["n_closed_rings"] == 2


def test_one_ring_inside_the_other_is_apart_and_yet_no_line_parts_them():
    layout = side_by_side() - np.repeat([[0, 0], [10, 0]], N, axis=0)
    layout[N:] *= 5
    row = quality(layout)
    assert row["same_circle_share"] == 1
    assert row["linearly_separable"] == 0


def test_the_worse_ring_counts():
    torn = side_by_side()
    torn[N : N + 20, 1] += 30
    row = quality(torn)
    assert row["n_closed_rings"] == 1
    assert row["largest_step_ratio"] > 100
    assert row["ring_neighbor_share"] == pytest.approx((N - 4) / N)
    swapped = quality(np.concatenate([torn[N:], torn[:N]]))
    assert swapped["largest_step_ratio"] == pytest.approx(row["largest_step_ratio"])
    assert swapped["ring_neighbor_share"] == pytest.approx(row["ring_neighbor_share"])


def test_random_layouts_are_at_chance():
    rng = np.random.default_rng(0)
    rows = [quality(rng.normal(size=(2 * N, 2))) for _ in range(30)]
    for name in rows[0]:
        if name.startswith("chance_"):
            values = [row[name.removeprefix("chance_")] for row in rows]
            assert np.mean(values) == pytest.approx(rows[0][name], abs=0.02)


def test_an_order_at_random_is_near_the_null():
    null = null_ring_order(N, 400, np.random.default_rng(0))
    assert null["null_ring_order_correlation"] == pytest.approx(1.5 / N, rel=0.2)
    shuffled = X.copy()
    shuffled[:N] = np.random.default_rng(1).permutation(shuffled[:N])
    correlation = quality(shuffled)["ring_order_correlation"]
    assert correlation < 3 * null["null_ring_order_correlation_high"]
