"""Rows that training missed are planted among trained ones; null tables have none."""

import numpy as np
import pytest

from embspace.geometry.parameters.untrained_rows import (
    INDICATORS,
    suspects,
    untrained_indicators,
)

N, DIM, N_UNREAD = 600, 32, 60


def table(rng: np.random.Generator, *, spread: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Rows near a common start, which all but the first, unread ones have left."""
    start = rng.normal(size=DIM) / 2
    x = start + rng.normal(size=(N, DIM)) / 10
    is_unread = np.arange(N) < N_UNREAD
    if spread:
        x[~is_unread] += spread * rng.normal(size=(N - N_UNREAD, DIM)) - start
    return x, is_unread


def test_values_of_three_rows():
    x = np.array([[3.0, 4.0], [0.0, 2.0], [0.0, 4.0]])
    made = untrained_indicators(x, np.array([False, True, True]))
    assert made["norm"] == pytest.approx([5, 2, 4])
    # From the mean (0, 3) of the unread ones, and these from each other.
    assert made["distance"] == pytest.approx([np.sqrt(10), 2, 2])


def test_a_common_direction_does_not_hide_the_distance():
    x, is_unread = table(np.random.default_rng(0))
    beside = untrained_indicators(x + 100 * np.eye(DIM)[0], is_unread)["cosine_distance"]
    assert suspects(beside, is_unread).separation > 0.95


@pytest.mark.parametrize("name", ["distance", "cosine_distance"])
def test_planted_rows_are_found(name: str):
    x, is_unread = table(np.random.default_rng(1))
    x[[100, 300]] = x[:N_UNREAD].mean(axis=0) + np.random.default_rng(2).normal(size=(2, DIM)) / 20
    made = suspects(untrained_indicators(x, is_unread)[name], is_unread)
    assert list(np.flatnonzero(made.is_suspect)) == [100, 300]
    assert (made.share_beyond[[100, 300]] > 0.05).all()
    assert made.separation > made.chance[1]


def test_null_tables_give_nothing():
    """Of 100 trained tables and 100 untrained ones, at least 90 of each have no suspect."""
    rng = np.random.default_rng(3)
    clean = {0.0: 0, 1.0: 0}
    for spread in clean:
        for _ in range(100):
            x, is_unread = table(rng, spread=spread)
            made = untrained_indicators(x, is_unread)
            clean[spread] += not suspects(made["cosine_distance"], is_unread).is_suspect.any()
    assert min(clean.values()) >= 90


def test_random_weights_have_no_verdict():
    x, is_unread = table(np.random.default_rng(4), spread=0)
    for indicator in INDICATORS:
        made = suspects(untrained_indicators(x, is_unread)[indicator], is_unread)
        assert not made.has_verdict
        assert made.separation == pytest.approx(0.5, abs=0.15)


def test_a_new_untrained_row_is_within_the_bound_as_often_as_stated():
    """The bound of 95 % of the unread rows holds a further row that was never trained."""
    rng = np.random.default_rng(5)
    held = []
    for _ in range(60):
        x, is_unread = table(rng)
        start = x[:N_UNREAD].mean(axis=0)
        x[-20:] = start + rng.normal(size=(20, DIM)) / 10
        made = suspects(untrained_indicators(x, is_unread)["distance"], is_unread)
        held.append(made.is_suspect[-20:].mean())
    assert np.mean(held) == pytest.approx(0.95, abs=0.04)


def test_few_unread_rows_give_no_verdict():
    x, _ = table(np.random.default_rng(6))
    for n in (0, 1, 9):
        is_unread = np.arange(N) < n
        made = suspects(untrained_indicators(x, is_unread)["cosine_distance"], is_unread)
        assert not made.has_verdict and not made.is_suspect.any()
