import numpy as np
import pytest

from embspace.geometry.inference.best_choice import simultaneous_differences
from embspace.geometry.inference.half_samples import half_units


def choice(
    x: np.ndarray,
    reference: np.ndarray,
    seed: int = 0,
    level: float = 0.95,
    is_picked: bool = False,
):
    halves = half_units(len(x), 200, np.random.default_rng(seed))
    half_means = halves @ x / halves.sum(axis=1, keepdims=True)
    return simultaneous_differences(
        x.mean(axis=0), half_means, reference, n_units=len(x), level=level, is_picked=is_picked
    )


def test_what_both_have_in_common_adds_no_width():
    rng = np.random.default_rng(1)
    shared = 100 * rng.normal(size=(50, 1))
    x = shared + rng.normal(size=(50, 3))
    reference = np.array([2, 2, 2])
    together, apart = choice(x, reference), choice(x - shared, reference)
    assert together.value == pytest.approx(x.mean(axis=0) - x.mean(axis=0)[2])
    assert together.low == pytest.approx(apart.low)
    assert (together.low[2], together.value[2], together.high[2]) == (0, 0, 0)


def test_more_alternatives_make_wider_intervals():
    x = np.random.default_rng(2).normal(size=(60, 40))
    few, many = choice(x[:, :2], np.array([0, 0])), choice(x, np.zeros(40, dtype=int))
    assert few.high[1] - few.low[1] < many.high[1] - many.low[1]


def test_too_few_units_have_no_interval():
    means = choice(np.random.default_rng(3).normal(size=(3, 2)), np.array([0, 0]))
    assert np.isfinite(means.value).all()
    assert np.isnan(means.low).all() and np.isnan(means.high).all()


@pytest.mark.parametrize("n", [20, 80])
def test_all_differences_are_held_at_once(n: int):
    """Also that of the best, which is picked by the same numbers."""
    rng, n_hold, truth = np.random.default_rng(4), 0, np.linspace(0, 0.2, 12)
    reference = np.zeros(12, dtype=int)
    for seed in range(200):
        x = truth + rng.normal(size=(n, 1)) + rng.normal(size=(n, 12))
        differences = choice(x, reference, seed)
        n_hold += bool(((differences.low <= truth) & (truth <= differences.high)).all())
    assert n_hold >= 182  # of 190 expected; fewer have a probability of 1 %


def test_a_best_that_these_values_picked_is_held_to_the_level():
    """Of equal alternatives: against the picked best, intervals of a fixed reference fail often."""
    rng = np.random.default_rng(5)
    n_hold = {True: 0, False: 0}
    for seed in range(200):
        x = rng.normal(size=(40, 12))
        best = np.full(12, x.mean(axis=0).argmax())
        for is_picked in n_hold:
            differences = choice(x, best, seed, is_picked=is_picked)
            n_hold[is_picked] += bool(((differences.low <= 0) & (differences.high >= 0)).all())
    assert n_hold[True] >= 182  # of 190 expected; fewer have a probability of 1 %
    assert n_hold[False] < n_hold[True]
