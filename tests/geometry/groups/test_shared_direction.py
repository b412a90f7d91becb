import numpy as np
import pytest

from embspace.geometry.groups.shared_direction import (
    mean_pair_cosine,
    pair_products,
    shared_cosine,
    shared_energy,
)


def gaussian(n: int, dim: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dim))


def own_groups(n: int) -> np.ndarray:
    return np.arange(n)


def test_equal_vectors_share_all_and_opposite_ones_the_least():
    x = np.repeat(gaussian(1, 5), 6, axis=0)
    assert shared_energy(x, own_groups(6)) == pytest.approx(1)
    x[::2] *= -1
    assert shared_energy(x, own_groups(6)) == pytest.approx(-1 / 5)
    assert mean_pair_cosine(x, own_groups(6)) == pytest.approx(-1 / 5)


def test_independent_directions_share_nothing_however_few():
    # Its standard deviation is sqrt(2 / (n (n - 1) dim)).
    drawn = [shared_energy(gaussian(5, 20, seed), own_groups(5)) for seed in range(2_000)]
    assert np.mean(drawn) == pytest.approx(0, abs=4 * np.sqrt(2 / (20 * 20) / 2_000))
    assert np.std(drawn) == pytest.approx(np.sqrt(2 / (20 * 20)), rel=0.1)


@pytest.mark.parametrize("n", [4, 60])
def test_a_planted_common_part_is_found_without_bias(n: int):
    # |m|^2 = 10, E|x|^2 = 40.
    common = np.sqrt(10) * np.eye(30)[0]
    drawn = [shared_energy(common + gaussian(n, 30, seed), own_groups(n)) for seed in range(500)]
    assert np.mean(drawn) == pytest.approx(10 / 40, abs=0.01)


def test_without_groups_it_is_the_squared_mean_freed_of_its_bias():
    x = gaussian(9, 4) + 0.5
    squared = np.square(x).sum(axis=1).mean()
    naive = np.square(x.mean(axis=0)).sum() / squared
    assert shared_energy(x, own_groups(9)) == pytest.approx((9 * naive - 1) / 8)


def test_pairs_of_one_group_do_not_count():
    x, group = gaussian(12, 4) + 0.5, np.array([0, 1, 2, 3, 4, 0, 1, 0, 5, 6, 5, 7])
    pairs = [(i, j) for i in range(12) for j in range(i) if group[i] != group[j]]
    products = np.mean([x[i] @ x[j] for i, j in pairs])
    assert shared_energy(x, group) == pytest.approx(products / np.square(x).sum(axis=1).mean())
    unit = x / np.linalg.norm(x, axis=1)[:, None]
    cosines = np.mean([unit[i] @ unit[j] for i, j in pairs])
    assert mean_pair_cosine(x, group) == pytest.approx(cosines)
    # Copies of a vector would look like a common direction.
    twice = np.repeat(gaussian(200, 50), 2, axis=0)
    assert shared_energy(twice, np.repeat(own_groups(200), 2)) == pytest.approx(0, abs=1e-3)
    assert shared_energy(twice, own_groups(400)) > 2e-3


def test_a_part_of_the_rows_is_as_if_the_others_were_not_there():
    x, group, rows = gaussian(12, 4) + 1, np.arange(12) // 2, np.array([1, 2, 3, 7, 10])
    part = pair_products(x, group).shared_energy(rows)
    assert part == pytest.approx(shared_energy(x[rows], group[rows]))


def test_scale_and_rotation_change_nothing_but_long_vectors_weigh_more():
    x = gaussian(10, 6) + 0.5
    turn = np.linalg.qr(gaussian(6, 6, seed=3))[0]
    for measure in (shared_energy, mean_pair_cosine):
        assert measure(7 * x @ turn, own_groups(10)) == pytest.approx(measure(x, own_groups(10)))
    x[0] *= 100
    assert abs(shared_energy(x, own_groups(10))) < 0.05
    assert mean_pair_cosine(x, own_groups(10)) > 0.1


def test_without_a_pair_or_a_length_nothing_is_defined():
    assert np.isnan(shared_energy(gaussian(1, 3), own_groups(1)))
    assert np.isnan(shared_energy(gaussian(3, 3), np.zeros(3, dtype=int)))
    assert np.isnan(shared_energy(np.zeros((3, 3)), own_groups(3)))
    assert np.isnan(mean_pair_cosine(np.zeros((3, 3)), own_groups(3)))
    assert np.isnan(shared_cosine(np.zeros((3, 3)), gaussian(3, 3), own_groups(3)))


def test_a_row_of_length_zero_has_no_cosine():
    x = np.vstack([np.zeros(3), np.ones(3), np.ones(3)])
    assert mean_pair_cosine(x, own_groups(3)) == pytest.approx(1)


@pytest.mark.parametrize("cosine", [1.0, 0.6, 0.0, -1.0])
def test_the_cosine_of_common_parts_is_free_of_what_a_row_has_to_do_with_itself(cosine: float):
    own = gaussian(2_000, 40)
    first, second = np.eye(40)[0], np.eye(40)[1]
    x = 3 * first + own
    y = 2 * (cosine * first + np.sqrt(1 - cosine**2) * second) - own
    assert shared_cosine(x, y, own_groups(2_000)) == pytest.approx(cosine, abs=0.02)
