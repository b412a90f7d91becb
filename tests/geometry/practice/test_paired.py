import numpy as np
import pytest

from embspace.geometry.practice.paired import Paired, paired_means


def paired(values: np.ndarray, seed: int = 0) -> Paired:
    return paired_means(
        values,
        np.arange(values.shape[1]),
        n_half_samples=200,
        level=0.95,
        rng=np.random.default_rng(seed),
    )


def test_a_small_difference_shows_in_pairs_though_texts_differ_much():
    rng = np.random.default_rng(0)
    plain = rng.normal(size=300)
    better = plain + 0.05 + 0.1 * rng.normal(size=300)
    outcome = paired(np.stack([plain, better]))
    assert outcome.value == pytest.approx([plain.mean(), better.mean()])
    assert outcome.difference[0] == outcome.difference_low[0] == 0
    assert outcome.difference_low[1] > 0
    assert outcome.low[1] < outcome.value[0] < outcome.high[1]


def test_three_documents_have_no_interval():
    outcome = paired(np.random.default_rng(0).normal(size=(2, 3)))
    assert np.isnan(outcome.difference_low).all() and np.isnan(outcome.low).all()


def test_versions_that_differ_by_chance_seldom_differ():
    rng = np.random.default_rng(1)
    wrong = 0
    for draw in range(40):
        values = rng.normal(size=100) + 0.3 * rng.normal(size=(6, 100))
        outcome = paired(values, draw)
        wrong += bool(((outcome.difference_low > 0) | (outcome.difference_high < 0)).any())
    assert wrong <= 6


def test_statistics_of_halves_have_the_intervals_of_means():
    from embspace.geometry.inference.half_samples import half_units
    from embspace.geometry.practice.paired import paired_statistics

    values = np.random.default_rng(2).normal(size=(3, 50))
    halves = half_units(50, 200, np.random.default_rng(0))
    half_means = (halves @ values.T) / halves.sum(axis=1, keepdims=True)
    outcome = paired_statistics(values.mean(axis=1), half_means, 50, level=0.95)
    for part, expected in zip(outcome, paired(values), strict=True):
        assert part == pytest.approx(expected)
