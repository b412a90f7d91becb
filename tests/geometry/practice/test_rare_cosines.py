import numpy as np
import pytest

from embspace.geometry.practice.high_pairs import HighPairs, high_pairs
from embspace.geometry.practice.rare_cosines import false_alarms, rare_cosine, rate_bounds

LEVEL = 0.95


def pairs_of(x: np.ndarray, rate: float = 0.05) -> HighPairs:
    rng = np.random.default_rng(0)
    return high_pairs(x, np.arange(len(x)), largest_rate=rate, rng=rng)


def clustered(n: int, rng: np.random.Generator) -> np.ndarray:
    """Documents about some topics, of which a common one has many: pairs hang together."""
    topics = np.random.default_rng(99).normal(size=(30, 12))
    share = 1 / np.arange(1, 31)
    return topics[rng.choice(30, n, p=share / share.sum())] + rng.normal(size=(n, 12))


def test_the_cosine_of_isotropic_vectors_is_that_of_theory():
    from scipy.stats import beta

    x = np.random.default_rng(1).normal(size=(1500, 6))
    estimate = rare_cosine(pairs_of(x, 1e-2), 1e-2, level=LEVEL)
    expected = 2 * beta.ppf(1 - 1e-2, 2.5, 2.5) - 1
    assert estimate.low < expected < estimate.high
    assert estimate.high - estimate.low < 0.02
    assert estimate.n_above == pytest.approx(1e-2 * 1500 * 1499 / 2, rel=2e-3)


def test_a_rate_that_was_not_counted_is_refused():
    pairs = pairs_of(np.random.default_rng(0).normal(size=(300, 12)), 1e-3)
    with pytest.raises(ValueError, match="rate: pairs are counted up to"):
        rare_cosine(pairs, 0.9, level=LEVEL)
    with pytest.raises(ValueError, match="expected a share"):
        rare_cosine(pairs, 1.0, level=LEVEL)


def test_without_enough_pairs_the_interval_has_no_upper_end():
    estimate = rare_cosine(
        pairs_of(np.random.default_rng(0).normal(size=(30, 6))), 1e-5, level=LEVEL
    )
    assert estimate.high == 1
    assert estimate.n_above == 0


def test_three_documents_have_no_interval():
    estimate = rare_cosine(pairs_of(np.eye(3) + 0.1), 0.5, level=LEVEL)
    assert np.isnan([estimate.low, estimate.high]).all()


def test_false_alarms_are_the_rate_times_all_pairs():
    pairs = pairs_of(np.random.default_rng(0).normal(size=(300, 6)))
    cosine = float(pairs.edges[4000])
    alarms = false_alarms(pairs, cosine, 1000, level=LEVEL)
    assert alarms.expected == pairs.counts[4000] / pairs.n_pairs * 499_500
    assert alarms.low < alarms.expected < alarms.high
    assert np.isnan(false_alarms(pairs, -0.9, 1000, level=LEVEL)).all()
    assert false_alarms(pairs, 1.0, 1000, level=LEVEL).low == 0


def test_independent_pairs_have_the_exact_bounds_of_poisson():
    from scipy.stats import chi2

    rng = np.random.default_rng(0)
    bounds = rate_bounds(pairs := pairs_of(rng.normal(size=(400, 30)), 1e-3), LEVEL)
    place = int(np.argmax(pairs.counts <= 5))
    n = int(pairs.counts[place])
    exact = chi2.ppf([0.025, 0.975], [2 * n, 2 * n + 2]) / 2
    assert np.array([bounds.low[place], bounds.high[place]]) * pairs.n_pairs == pytest.approx(
        exact, rel=0.05
    )


def coverage(n_draws: int, n: int, rate: float) -> float:
    truth = rare_cosine(pairs_of(clustered(3000, np.random.default_rng(7)), rate), rate, level=0.9)
    held = 0
    for draw in range(n_draws):
        estimate = rare_cosine(
            pairs_of(clustered(n, np.random.default_rng(1000 + draw)), rate), rate, level=LEVEL
        )
        held += estimate.low <= truth.cosine <= estimate.high
    return held / n_draws


def test_intervals_over_documents_hold_in_simulation():
    assert coverage(20, 100, 1e-2) >= 0.8


@pytest.mark.slow
@pytest.mark.parametrize(("n", "rate"), [(100, 1e-2), (200, 1e-3), (300, 1e-4)])
def test_intervals_over_documents_hold_as_often_as_they_say(n: int, rate: float):
    assert coverage(300, n, rate) >= 0.9
