from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kstest

from embspace.geometry.groups.offsets import (
    consistency_of_draws,
    flipped_offset_consistency,
    half_sample_weights,
    mean_offsets,
    mean_weights,
    offset_consistency,
)
from embspace.geometry.inference.resampling import upper_p_value
from embspace.geometry.pairs.directions import cosine_matrix


def planted(n: int, dim: int, noise: float, seed: int, offset: np.ndarray | None = None):
    """An offset of length 1 with noise whose squared length is `noise`, in expectation."""
    rng = np.random.default_rng(seed)
    offset = np.eye(dim)[0] if offset is None else offset
    return offset + rng.normal(size=(n, dim)) * np.sqrt(noise / dim)


def consistency(d: np.ndarray) -> float:
    return float(offset_consistency(cosine_matrix(d), np.ones((len(d), len(d)), dtype=bool)))


def gram_of(x: np.ndarray) -> np.ndarray:
    return x @ x.T


@pytest.mark.parametrize("noise", [0.25, 1.0, 4.0])
def test_consistency_is_the_share_of_the_squared_length_that_is_common(noise: float):
    assert consistency(planted(60, 3000, noise, 0)) == pytest.approx(1 / (1 + noise), abs=0.01)


def test_consistency_does_not_depend_on_how_many_pairs_there_are():
    few = np.mean([consistency(planted(5, 400, 1.0, seed)) for seed in range(300)])
    assert few == pytest.approx(0.5, abs=0.01)


def test_consistency_is_the_mean_over_all_two():
    d = np.random.default_rng(0).normal(size=(7, 3))
    unit = d / np.linalg.norm(d, axis=1, keepdims=True)
    assert consistency(d) == pytest.approx(
        np.mean([unit[i] @ unit[j] for i, j in combinations(range(7), 2)])
    )


def test_only_those_that_are_compared_count():
    d = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    compared = np.zeros((4, 4), dtype=bool)
    compared[[0, 1, 0, 3], [1, 0, 3, 0]] = True
    assert offset_consistency(cosine_matrix(d), compared) == 0.0
    assert np.isnan(offset_consistency(cosine_matrix(d), np.zeros((4, 4), dtype=bool)))


def test_a_difference_of_length_zero_is_left_out():
    d = planted(6, 20, 1.0, 0)
    assert consistency(np.vstack([d, np.zeros(20)])) == pytest.approx(consistency(d))
    assert np.isnan(consistency(np.zeros((3, 4))))


def test_one_pair_has_no_consistency():
    assert np.isnan(consistency(np.ones((1, 4))))


def test_extremes():
    assert consistency(np.tile([1.0, 2.0], (5, 1))) == pytest.approx(1)
    assert consistency(np.array([[1.0, 0.0], [-3.0, 0.0]])) == pytest.approx(-1)


def test_flips_are_those_of_the_vectors():
    rng = np.random.default_rng(0)
    d = np.stack([planted(6, 10, 1.0, seed) for seed in (0, 1)])
    signs = rng.choice([-1.0, 1.0], (20, 6))
    compared = rng.random((6, 6)) < 0.7
    compared |= compared.T
    flipped = flipped_offset_consistency(
        np.stack([cosine_matrix(differences) for differences in d]), compared, signs
    )
    for stack in range(2):
        for draw, sign in enumerate(signs):
            cosines = cosine_matrix(d[stack] * sign[:, None])
            assert flipped[stack, draw] == pytest.approx(offset_consistency(cosines, compared))


def test_noise_is_as_often_below_a_p_value_as_the_p_value_says():
    every = np.ones((9, 9), dtype=bool)
    p_values = []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        cosines = cosine_matrix(rng.normal(size=(9, 12)) * np.arange(1, 13))
        null = flipped_offset_consistency(cosines, every, rng.choice([-1.0, 1.0], (199, 9)))
        p_values.append(upper_p_value(float(offset_consistency(cosines, every)), null))
    assert kstest(p_values, "uniform").pvalue > 0.01


def test_noise_has_a_consistency_of_zero():
    d = np.random.default_rng(0).normal(size=(200, 300))
    assert consistency(d) == pytest.approx(0, abs=0.002)


def test_draws_are_consistencies_of_their_differences():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(12, 6)) + 5.0
    first, second = rng.permuted(np.tile(np.arange(12), (30, 1)), axis=1)[:, :10].reshape(2, 30, 5)
    consistencies = consistency_of_draws(gram_of(x - x.mean(axis=0)), first, second)
    for draw in range(30):
        assert consistencies[draw] == pytest.approx(consistency(x[second[draw]] - x[first[draw]]))
    # Inner products about another origin are those of the same differences.
    assert np.allclose(consistency_of_draws(gram_of(x), first, second), consistencies)


def test_draws_leave_out_missing_pairs_and_equal_vectors():
    x = np.random.default_rng(0).normal(size=(8, 5))
    x[7] = x[6]
    first, second = np.array([[0, 1, 2, 6, -1]]), np.array([[3, 4, 5, 7, 2]])
    expected = consistency(x[[3, 4, 5]] - x[[0, 1, 2]])
    assert consistency_of_draws(gram_of(x), first, second) == pytest.approx(expected)
    alike = np.ones((4, 3))
    assert np.isnan(consistency_of_draws(gram_of(alike), np.array([[0, 1]]), np.array([[2, 3]])))


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_vectors_are_equal_within_a_millionth_of_their_own_length(scale: float):
    x = np.random.default_rng(0).normal(size=(6, 5))
    x[1] = x[0] * (1 + 1e-7)  # a pair without a direction
    x *= scale
    pairs = np.array([[0, 2, 4]]), np.array([[1, 3, 5]])
    [three_pairs] = consistency_of_draws(x @ x.T, *pairs)
    [two_pairs] = consistency_of_draws(x @ x.T, pairs[0][:, 1:], pairs[1][:, 1:])
    assert three_pairs == pytest.approx(two_pairs)


def test_pairs_dealt_out_anew_without_an_offset_are_as_unlike_as_can_be():
    # Of sentences that hardly change within a pair, all cancel in the sum of the differences.
    frames = np.random.default_rng(0).normal(size=(10, 4000))
    x = np.vstack([frames, frames + 1e-3])
    shifted = 10 + (np.arange(10) + 1) % 10
    consistencies = consistency_of_draws(gram_of(x), np.arange(10)[None], shifted[None])
    assert consistencies[0] == pytest.approx(-1 / 9, abs=0.005)


def all_halves(n: int) -> list[tuple[list[int], list[int]]]:
    halves = [list(half) for half in combinations(range(n), n // 2)]
    return [(half, [i for i in range(n) if i not in half]) for half in halves]


def test_reliability_is_that_of_all_split_halves_by_spearman_and_brown():
    d = planted(8, 5, 3.0, 1)
    one = np.zeros(8, dtype=np.int64)
    halves = [(d[a].mean(axis=0), d[b].mean(axis=0)) for a, b in all_halves(8)]
    half_reliability = np.mean([a @ b for a, b in halves]) / np.mean([a @ a for a, _ in halves])
    reliability = mean_offsets(gram_of(d), one, mean_weights(one)).reliability[0, 0]
    assert reliability == pytest.approx(2 * half_reliability / (1 + half_reliability))


def test_reliability_is_near_the_mean_cosine_of_split_halves():
    d = planted(10, 500, 4.0, 1)
    one = np.zeros(10, dtype=np.int64)
    cosines = [
        cosine_matrix(np.stack([d[a].mean(axis=0), d[b].mean(axis=0)]))[0, 1]
        for a, b in all_halves(10)
    ]
    half_reliability = np.mean(cosines)
    reliability = mean_offsets(gram_of(d), one, mean_weights(one)).reliability[0, 0]
    assert reliability == pytest.approx(2 * half_reliability / (1 + half_reliability), abs=0.01)
    assert reliability == pytest.approx(1 / (1 + 4 / 10), abs=0.05)


def two_categories(cosine: float, n: int, noise: float, seed: int):
    dim = 300
    other = cosine * np.eye(dim)[0] + np.sqrt(1 - cosine**2) * np.eye(dim)[1]
    d = np.vstack([planted(n, dim, noise, seed), planted(n, dim, noise, seed + 10_000, other)])
    return d, np.repeat([0, 1], n)


@pytest.mark.parametrize("cosine", [-0.6, 0.3])
def test_the_correction_for_attenuation_recovers_the_cosine(cosine: float):
    raw, corrected = [], []
    for seed in range(200):
        d, category = two_categories(cosine, 10, 8.0, seed)
        offsets = mean_offsets(gram_of(d), category, mean_weights(category))
        raw.append(offsets.cosine[0, 0, 1])
        corrected.append(offsets.corrected_cosine[0, 0, 1])
    # The reliability is 1 / (1 + 8 / 10).
    assert np.mean(raw) == pytest.approx(cosine / 1.8, abs=0.015)
    assert np.mean(corrected) == pytest.approx(cosine, abs=0.03)


def test_the_corrected_cosine_is_not_clipped():
    cosines = []
    for seed in range(40):
        d, category = two_categories(1.0, 6, 8.0, seed)
        cosines.append(mean_offsets(gram_of(d), category, mean_weights(category)).corrected_cosine)
    assert np.nanmax([cosine[0, 0, 1] for cosine in cosines]) > 1.05


def test_means_by_numpy():
    rng = np.random.default_rng(0)
    d, category = rng.normal(size=(9, 4)), np.array([1, 0, 2, 1, 0, 0, 2, 2, 1])
    weights = rng.choice([-1.0, 1.0], (5, 9)) * mean_weights(category)
    offsets = mean_offsets(gram_of(d), category, weights)
    for draw, weight in enumerate(weights):
        means = np.stack(
            [(weight[:, None] * d)[category == number].sum(axis=0) for number in range(3)]
        )
        assert np.allclose(offsets.norm[draw], np.linalg.norm(means, axis=1))
        assert np.allclose(offsets.cosine[draw], cosine_matrix(means))


def test_a_rotation_changes_nothing():
    rng = np.random.default_rng(0)
    d, category = two_categories(0.4, 7, 2.0, 0)
    turn = np.linalg.qr(rng.normal(size=(300, 300)))[0]
    weights = mean_weights(category)
    one, two = (
        mean_offsets(gram_of(differences), category, weights) for differences in (d, d @ turn)
    )
    for name in ("norm", "reliability", "cosine", "corrected_cosine"):
        assert np.allclose(getattr(one, name), getattr(two, name), atol=1e-10)
    assert consistency(d) == pytest.approx(consistency(d @ turn))


def test_one_pair_has_a_direction_but_no_reliability():
    d, category = planted(4, 10, 1.0, 0), np.array([0, 1, 1, 1])
    offsets = mean_offsets(gram_of(d), category, mean_weights(category))
    assert np.isnan(offsets.reliability[0]).tolist() == [True, False]
    assert np.isfinite(offsets.cosine[0, 0, 1])
    assert np.isnan(offsets.corrected_cosine[0, 0, 1])


def test_differences_of_length_zero_have_no_direction():
    category = np.array([0, 0, 1, 1])
    d = np.vstack([np.zeros((2, 5)), np.ones((2, 5))])
    offsets = mean_offsets(gram_of(d), category, mean_weights(category))
    assert offsets.norm[0, 0] == 0
    assert np.isnan(offsets.reliability[0, 0])
    assert np.isnan(offsets.cosine[0, 0]).all()


def test_differences_less_alike_than_noise_are_not_corrected():
    d = np.array([[1.0, 0.1], [-1.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    category = np.array([0, 0, 1, 1])
    offsets = mean_offsets(gram_of(d), category, mean_weights(category))
    assert offsets.reliability[0, 0] < 0
    assert np.isnan(offsets.corrected_cosine[0, 0, 1])


def test_halves_are_of_each_category_and_all_equally_often_in():
    category = np.array([0] * 7 + [1] * 4 + [2] * 3)
    weights = half_sample_weights(
        category, n_draws=4000, generators=np.random.default_rng(0).spawn(3)
    )
    assert ((weights[:, :7] == 1 / 3).sum(axis=1) == 3).all()
    assert ((weights[:, 7:11] == 1 / 2).sum(axis=1) == 2).all()
    assert np.isnan(weights[:, 11:]).any(axis=1).all()
    assert np.allclose((weights[:, :7] > 0).mean(axis=0), 3 / 7, atol=0.03)
    means = mean_offsets(np.eye(14), category, weights)
    assert np.isnan(means.cosine[:, 2]).all()
    assert np.isfinite(means.cosine[:, 0, 1]).all()


def test_flipped_differences_keep_the_size_of_the_cosine_of_their_means():
    # Why sign flips are no null of the cosine: consistent differences have a mean of either sign.
    d, category = two_categories(-0.6, 14, 0.3, 0)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (500, 28))
    flipped = mean_offsets(gram_of(d), category, signs * mean_weights(category)).cosine[:, 0, 1]
    assert np.nanmedian(np.abs(flipped)) > 0.3
    assert abs(np.nanmean(flipped)) < 0.1
