import numpy as np
import pytest

from embspace.geometry.pairs.directions import cosine_matrix
from embspace.geometry.positional.position_properties import cosines_by_offset
from embspace.geometry.positional.smooth_nulls import (
    NULLS,
    falling_fit,
    falling_tables,
    random_walks,
    shuffled_tables,
    stationary_copies,
)
from tests.geometry.planted import noise, smooth_table

N, DIM = 120, 200
POSITIONS = np.arange(1, N + 1)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def profile_of(x: np.ndarray) -> np.ndarray:
    return np.nanmean(cosines_by_offset(cosine_matrix(x), np.arange(len(x)), 60), axis=1)


def test_shuffled_rows_are_the_same_rows():
    x = noise(9, 4)
    (table,) = shuffled_tables(x, np.arange(9), 1, rng())
    assert np.array_equal(np.sort(table, axis=0), np.sort(x, axis=0))
    assert not np.array_equal(table, x)


def test_a_walk_takes_the_same_steps_forward_or_backward_from_the_same_start():
    x = smooth_table(N, DIM)
    (walk,) = random_walks(x, POSITIONS, 1, rng())
    steps, own = np.diff(walk, axis=0), np.diff(x.astype(np.float64), axis=0)
    assert walk[0] == pytest.approx(x[0])
    assert np.sort(np.linalg.norm(steps, axis=1)) == pytest.approx(
        np.sort(np.linalg.norm(own, axis=1))
    )
    assert steps.T @ steps == pytest.approx(own.T @ own)
    # Successive steps of a walk have nothing to do with each other, those of a smooth table have.
    assert np.abs(np.mean(np.sum(steps[1:] * steps[:-1], axis=1))) < 0.2 * np.mean(
        np.sum(own[1:] * own[:-1], axis=1)
    )


def test_stationary_copies_keep_the_mean_cosine_and_falling_ones_its_fall_alone():
    x = smooth_table(N, DIM)
    own = profile_of(x)
    (copy,) = stationary_copies(x, POSITIONS, 1, rng())
    assert profile_of(copy) == pytest.approx(own, abs=0.12)
    (falling,) = falling_tables(x, POSITIONS, 1, rng())
    fall = profile_of(falling)
    # The wave of period 22 is at its lowest at 11 and back at 22.
    assert own[21] - own[10] > 0.5
    assert fall[21] - fall[10] < 0.05
    assert fall[0] > 0.8


def test_positions_that_are_missing_are_missing_in_the_nulls():
    kept = np.setdiff1d(POSITIONS, [5, 60])
    x = smooth_table(N, DIM)[kept - 1]
    for tables in NULLS.values():
        (table,) = tables(x, kept, 1, rng())
        assert table.shape == x.shape
    (copy,) = stationary_copies(x, kept, 1, rng())
    cosines = cosine_matrix(copy)
    beside = np.flatnonzero(np.diff(kept) == 1)
    across = np.flatnonzero(np.diff(kept) == 2)
    assert cosines[across, across + 1].mean() < cosines[beside, beside + 1].mean()


def test_the_falling_fit_never_rises_and_leaves_a_fall_as_it_is():
    fall = np.array([3.0, 2.0, 2.0, -1.0])
    assert falling_fit(fall, np.ones(4)) == pytest.approx(fall)
    assert falling_fit(np.array([1.0, 3.0]), np.array([3.0, 1.0])) == pytest.approx([1.5, 1.5])
    assert falling_fit(np.array([1.0, 3.0]), np.array([1.0, 0.0])) == pytest.approx([1.0, 1.0])
