import numpy as np
import pytest

from embspace.geometry.maps.rings import (
    circular_rank_correlation,
    largest_step_ratio,
    ring_neighbor_share,
    ring_order_correlation,
)

MEASURES = (ring_neighbor_share, ring_order_correlation, largest_step_ratio)


def ring(n: int = 60) -> np.ndarray:
    angle = 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(angle), np.sin(angle)])


def test_an_even_ring_keeps_all():
    for measure in MEASURES:
        assert measure(ring()) == pytest.approx(1)


@pytest.mark.parametrize("measure", MEASURES)
def test_where_it_begins_direction_motion_and_scale_change_nothing(measure):
    x = ring() * [1, 0.6] + np.random.default_rng(0).normal(size=(60, 2), scale=0.03)
    turned = 7 * x @ np.array([[0.6, -0.8], [0.8, 0.6]]) + 3
    expected = measure(x)
    for same in (turned, np.roll(x, 11, axis=0), x[::-1]):
        # Points on branches of the spanning tree tie, and go by their row.
        assert measure(same) == pytest.approx(expected, rel=1e-3)


def test_a_torn_ring_keeps_its_order_but_has_a_long_step():
    arc = np.linspace(0, 1.5 * np.pi, 60)
    torn = np.column_stack([np.cos(arc), np.sin(arc)])
    assert ring_order_correlation(torn) == pytest.approx(1)
    assert ring_neighbor_share(torn) == pytest.approx(58 / 60)
    step = 2 * np.sin(1.5 * np.pi / 59 / 2)
    assert largest_step_ratio(torn) == pytest.approx(np.sqrt(2) / step)


def test_points_in_random_order_are_at_chance():
    rng = np.random.default_rng(0)
    shuffled = [rng.permutation(ring(8)) for _ in range(4000)]
    shares = [ring_neighbor_share(x) for x in shuffled]
    assert abs(np.mean(shares) - 2 / (7 * 6)) < 4 * np.std(shares) / np.sqrt(4000)
    large = [ring_order_correlation(rng.permutation(ring())) for _ in range(300)]
    assert np.mean(large) == pytest.approx(1.5 / 60, rel=0.2)


def test_the_null_of_the_order_has_its_exact_mean():
    # Of one direction it is 1 / (n - 1); the larger of two nearly independent ones is 1.5 times.
    rng = np.random.default_rng(1)
    order = [rng.permutation(12) for _ in range(4000)]
    one = [abs(np.exp(2j * np.pi * (x - np.arange(12)) / 12).mean()) ** 2 for x in order]
    assert np.mean(one) == pytest.approx(1 / 11, rel=0.06)
    assert np.mean(one) < np.mean([circular_rank_correlation(x) for x in order]) < 2 / 11


def test_the_order_of_halves_exchanged_is_kept_and_of_halves_shuffled_is_not():
    order = np.arange(40)
    assert circular_rank_correlation(np.roll(order, 20)) == pytest.approx(1)
    assert circular_rank_correlation(order[::-1].copy()) == pytest.approx(1)
    riffled = np.concatenate([order[::2], order[1::2]])
    assert circular_rank_correlation(riffled) < 0.5


def test_two_rings_wound_in_one_lose_the_order():
    # Every second point on an inner ring: the two nearest are no longer the next ones.
    x = ring(40) * np.where(np.arange(40) % 2, 1.0, 0.3)[:, np.newaxis]
    assert ring_neighbor_share(x) == 0


def test_copies_have_no_median_step():
    x = np.repeat(ring(4), 4, axis=0)
    assert largest_step_ratio(x) == np.inf


@pytest.mark.parametrize("measure", MEASURES)
def test_three_points_are_no_ring(measure):
    with pytest.raises(ValueError, match="at least 4 points, found 3"):
        measure(ring(3))


@pytest.mark.parametrize("scale", [1 / 700, 1000.0])
@pytest.mark.parametrize("shift", [0.0, 0.1, 17.3])
def test_a_square_ring_is_one_in_every_unit_and_place(scale: float, shift: float) -> None:
    # Of a grid: each point has several that are equally far, and copies.
    side = np.arange(6.0)
    edge = [np.column_stack([side, 0 * side]), np.column_stack([0 * side + 6, side])]
    ring = np.concatenate([*edge, *(6 - part for part in edge)]).round(6)
    for measure in MEASURES:
        expected = measure(ring)
        assert measure(scale * (ring + shift)) == pytest.approx(expected, rel=1e-9)


def test_four_points_are_a_ring():
    assert ring_neighbor_share(ring(4)) == 1
    assert ring_order_correlation(ring(4)) == pytest.approx(1)
    assert largest_step_ratio(np.array([[0.0], [1], [2], [3]])) == 3
