"""Holds the sums of any choice of units to those over the vectors of these units."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from embspace.geometry.measures.direction_sums import DirectionSums, direction_sums_of
from embspace.geometry.measures.unit_sums import UnitMoments, UnitSums
from embspace.geometry.pairs.moments import Moments, moments_of
from tests.geometry.clouds import CLOUD

X = np.vstack([CLOUD, np.zeros((1, CLOUD.shape[1]))])
ORIGIN = np.linspace(-1, 1, CLOUD.shape[1])
UNITS = np.split(np.random.default_rng(0).permutation(len(X)), [3, 4, 50, 51, 120])
CHOSEN = np.array(
    [
        [True, True, True, True, True, True],
        [True, False, True, False, True, False],
        [False, False, False, True, False, False],
        [False, False, False, False, False, False],
    ]
)


def moments(rows: np.ndarray) -> Moments:
    return moments_of(X[rows], ORIGIN)


def directions(rows: np.ndarray) -> DirectionSums:
    return direction_sums_of(X[rows])


def _is_equal(ours: Any, expected: Any) -> bool:
    if expected is None:
        return ours is None
    return bool(ours == pytest.approx(expected, rel=1e-9, abs=1e-9))


@pytest.mark.parametrize("sums_of", [moments, directions])
def test_sums_of_a_choice_are_those_over_its_vectors(sums_of: Callable[..., Any]) -> None:
    sums_of_choices = UnitSums([sums_of(rows) for rows in UNITS]).of(CHOSEN)
    assert len(sums_of_choices) == len(CHOSEN)
    for choice, sums in zip(CHOSEN[:3], sums_of_choices[:3], strict=True):
        rows = np.concatenate([UNITS[unit] for unit in np.flatnonzero(choice)])
        expected = sums_of(rows)
        assert type(sums) is type(expected)
        assert vars(sums).keys() == vars(expected).keys()
        for name, value in vars(expected).items():
            assert _is_equal(getattr(sums, name), value), name
            assert type(getattr(sums, name)) is type(value), name
            assert np.shape(getattr(sums, name)) == np.shape(value), name
    assert sums_of_choices[3].n == 0


def test_the_sums_of_one_unit_alone_are_its_own() -> None:
    own = directions(UNITS[2])
    (sums,) = UnitSums([own]).of(np.ones((1, 1), dtype=bool))
    for name, value in vars(own).items():
        assert getattr(sums, name) == pytest.approx(value), name


def test_what_does_not_add_up_is_kept() -> None:
    sums = UnitSums([moments(rows) for rows in UNITS]).of(CHOSEN[:1])[0]
    assert (sums.origin == ORIGIN).all()
    assert sums.mean == pytest.approx(X.mean(axis=0))


def test_one_coordinate_stays_an_array() -> None:
    units = UnitSums([moments_of(X[rows, :1], ORIGIN[:1]) for rows in UNITS])
    whole = units.of(CHOSEN)[0]
    assert whole.products.shape == (1, 1)
    assert whole.variances == pytest.approx([X[:, 0].var()])


@pytest.mark.parametrize("n_held", [0, 1, 2, 100])
def test_moments_of_units_that_are_not_kept_are_the_same(n_held: int) -> None:
    most_numbers = n_held * CLOUD.shape[1] ** 2
    moments_of_choices = UnitMoments(X, UNITS, ORIGIN, most_numbers).of(CHOSEN)
    kept = UnitSums([moments(rows) for rows in UNITS]).of(CHOSEN)
    assert len(moments_of_choices) == len(CHOSEN)
    for one, other in zip(moments_of_choices, kept, strict=True):
        for name, value in vars(other).items():
            assert _is_equal(getattr(one, name), value), name
            assert type(getattr(one, name)) is type(value), name


def test_equal_vectors_have_moments_of_exactly_0() -> None:
    x = np.full((12, 3), 0.1)
    units = np.split(np.arange(12), [3, 7])
    (moments,) = UnitMoments(x, units, x[0], 0).of(np.array([[True, False, True]]))
    assert (moments.n, moments.quartic) == (8, 0.0) and not moments.products.any()
