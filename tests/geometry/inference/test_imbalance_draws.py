"""Holds imbalances of many views to the measure of two, and to what is planted."""

import numpy as np
import pytest

from embspace.geometry import information_imbalance
from embspace.geometry.inference.imbalance_draws import (
    ImbalanceDraws,
    imbalance_draws,
    view_imbalances,
)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def views(n: int = 60) -> list[np.ndarray]:
    """Points in five dimensions, two of these, their rounded copy, and others."""
    x = rng().uniform(size=(n, 5))
    return [x, x[:, :2], np.round(3 * x[:, :2]), rng(1).normal(size=(n, 4)).astype(np.float32)]


def draws(of: list[np.ndarray], **given: int) -> ImbalanceDraws:
    settings = {"k": 1, "n_half_samples": 20, "n_shuffles": 10} | given
    return imbalance_draws(of, level=0.95, rng=rng(2), **settings)


@pytest.mark.parametrize("k", [1, 4])
def test_every_value_is_that_of_the_measure(k: int) -> None:
    imbalances = draws(views(), k=k)
    for one, x in enumerate(views()):
        for other, y in enumerate(views()):
            expected = information_imbalance(x.astype(np.float64), y.astype(np.float64), k=k)
            assert imbalances.value[one, other] == pytest.approx(expected, rel=1e-9)
    assert (view_imbalances(views(), k=k) == imbalances.value).all()


def test_the_coarser_of_two_copies_is_found() -> None:
    imbalances = draws(views(200))
    for fine, coarse in ((0, 1), (0, 2), (1, 2)):
        assert imbalances.value[fine, coarse] < imbalances.value[coarse, fine]
        assert imbalances.asymmetry_high[fine, coarse] < 0 < imbalances.asymmetry_low[coarse, fine]
    # Of two unrelated views neither holds more.
    assert imbalances.asymmetry_low[0, 3] < 0 < imbalances.asymmetry_high[0, 3]
    assert imbalances.low[0, 3] < 1 < imbalances.high[0, 3]


def test_turning_moving_and_scaling_a_view_changes_nothing() -> None:
    x, plane, *_ = views()
    turned = np.linalg.qr(rng(3).normal(size=(5, 5)))[0]
    assert draws([3 * x @ turned + 7, plane]).value == pytest.approx(draws([x, plane]).value)


def test_shuffled_points_have_an_imbalance_of_one() -> None:
    imbalances = draws(views(200), n_shuffles=40)
    assert imbalances.null_mean[0, 3] == pytest.approx(1, abs=0.02)
    assert imbalances.null_mean[0, 1] == pytest.approx(1, abs=0.02)
    assert (imbalances.null_smallest <= imbalances.null_mean).all()


def test_directions_change_sign_and_intervals_hold_the_value() -> None:
    imbalances = draws(views())
    assert (imbalances.asymmetry == -imbalances.asymmetry.T).all()
    assert imbalances.asymmetry_low == pytest.approx(-imbalances.asymmetry_high.T)
    assert (imbalances.low <= imbalances.value).all() and (
        imbalances.value <= imbalances.high
    ).all()


def test_intervals_hold_what_other_points_give() -> None:
    def sample(seed: int) -> list[np.ndarray]:
        x = rng(seed).normal(size=(60, 3))
        return [x, x[:, :2]]

    truth = np.mean([view_imbalances(sample(seed), k=1) for seed in range(100, 400)], axis=0)
    held = []
    for seed in range(60):
        imbalances = draws(sample(seed), n_half_samples=20, n_shuffles=1)
        held.append((imbalances.low <= truth) & (truth <= imbalances.high))
    shares = np.mean(held, axis=0)
    assert shares[0, 1] > 0.85 and shares[1, 0] > 0.85


def test_a_view_without_differences_says_nothing() -> None:
    imbalances = draws([views()[0], np.ones((60, 3))])
    assert imbalances.value[1, 0] == pytest.approx(1)


def test_without_halves_there_is_no_interval() -> None:
    imbalances = draws(views(), n_half_samples=0)
    assert np.isnan(imbalances.low).all() and np.isnan(imbalances.asymmetry_high).all()
    assert not np.isnan(imbalances.value).any()


def test_equal_seeds_give_equal_numbers() -> None:
    assert (draws(views()).low == draws(views()).low).all()


def test_what_cannot_be_compared_is_named() -> None:
    with pytest.raises(ValueError, match=r"views: expected one number of points.*\[59, 60\]"):
        draws([views()[0], views(59)[0]])
    with pytest.raises(ValueError, match=r"4 or more, found \[3\]"):
        draws([views(3)[0]])
    with pytest.raises(ValueError, match="k: expected 1 to 29, .*: 30"):
        draws(views(), k=30)
    with pytest.raises(ValueError, match="k: expected 1 to 29, .*: 0"):
        draws(views(), k=0)


def test_four_points_and_all_others_of_a_half_are_enough() -> None:
    few = draws([views(4)[0], views(4)[1]], k=1)
    assert few.value.shape == (2, 2) and np.isfinite(few.value).all()
    assert np.isfinite(draws([views(6)[0], views(6)[1]], k=2).value).all()
