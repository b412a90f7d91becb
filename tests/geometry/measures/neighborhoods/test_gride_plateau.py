"""Holds the plateau of Gride to its rule, to planted scales, and to DADApy's curves."""

import math
from dataclasses import astuple

import numpy as np
import pytest

from embspace.geometry.measures.declaration import Estimate
from embspace.geometry.measures.distance_ratios import gride_by_scale
from embspace.geometry.measures.neighborhoods.gride_plateau import (
    Plateau,
    gride_plateau,
    plateau_of,
)
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of
from tests.geometry.dadapy_reference import CLOUDS, SCALES, kept


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def curve(*values: float) -> dict[int, Estimate]:
    return {2**i: Estimate(float(value), 0.1, 100, 0) for i, value in enumerate(values)}


def plateau(*values: float, tolerance: float = 0.1, n_scales: int = 3) -> Plateau | None:
    return plateau_of(curve(*values), tolerance=tolerance, n_scales=n_scales)


def test_the_longest_run_is_taken_with_its_median() -> None:
    level = plateau(9, 6, 2.0, 2.1, 2.05, 2.15, 1.4, 1.35, 1.3)
    assert level and astuple(level) == pytest.approx((2.075, 4, 32, 0.075))
    # A longer one elsewhere wins, though it drifts.
    longer = plateau(5, 5, 5, 2, 1.0, 1.02, 1.04, 1.09)
    assert longer and longer.value == pytest.approx(1.03)


def test_of_runs_of_one_length_the_flattest_is_taken_and_then_the_nearest() -> None:
    flattest = plateau(5, 5.3, 5.1, 2.01, 2.0, 2.02)
    assert flattest and astuple(flattest) == pytest.approx((2.01, 8, 32, 0.01))
    assert plateau(5, 5, 5, 2, 2, 2) == Plateau(5.0, 1, 4, 0.0)


@pytest.mark.parametrize(
    "values", [(8, 4, 2, 1), (2, 2), (2, 2, 4, 4), (2, math.nan, 2, 2), (), (2.0, 2.21, 2.0, 2.21)]
)
def test_without_a_run_there_is_none(values: tuple[float, ...]) -> None:
    assert plateau(*values) is None


def test_what_agrees_is_asked_for() -> None:
    assert plateau(2.0, 2.21, 2.0, 2.21, tolerance=0.12)
    assert plateau(2, 2, 4, 4, n_scales=2) == Plateau(2.0, 1, 2, 0.0)


def test_dadapys_test_cloud_is_two_dimensional_at_its_first_four_scales() -> None:
    """The curve that its test of Gride holds for a file of two Gaussians in the plane."""
    level = plateau(2.0007, 2.0321, 1.9118, 2.0005, 1.6747, 0.7208)
    assert level and astuple(level) == pytest.approx((2.0006, 1, 8, 0.0629), abs=1e-4)


@pytest.mark.parametrize("name", [name for name in CLOUDS if "twins" not in name])
def test_curves_of_dadapy_have_the_plateau_that_ours_have(name: str) -> None:
    values = kept()[name]["gride"]
    theirs = plateau_of(
        {k: Estimate(value, 0.0, 0, 0) for k, value in zip(SCALES, values, strict=True)},
        tolerance=0.1,
        n_scales=3,
    )
    estimate = gride_plateau(CLOUDS[name]())
    assert estimate.value == pytest.approx(theirs.value, rel=1e-3)


@pytest.mark.parametrize(("d", "noise"), [(1, 3e-4), (2, 1e-3)])
def test_noise_at_small_scales_is_passed_over(d: int, noise: float) -> None:
    """Planted: a flat piece of known dimension, blurred by a noise of all coordinates."""
    flat = np.hstack([rng(d).uniform(size=(4000, d)), np.zeros((4000, 6 - d))])
    x = flat + noise * rng(d + 1).normal(size=flat.shape)
    curve_of_x = gride_by_scale(x, largest_k=256)
    assert curve_of_x[1].value > 1.1 * d
    level = plateau_of(curve_of_x, tolerance=0.1, n_scales=3)
    assert level.first_k > 1
    assert level.value == pytest.approx(d, rel=0.08)


def test_a_cloud_without_a_scale_of_its_own_has_no_plateau() -> None:
    """Noise of every size: each doubling looks at another dimension."""
    levels = 10.0 ** -np.arange(12)
    x = rng().uniform(size=(2000, 12)) * levels ** np.linspace(0, 1, 12)
    estimate = gride_plateau(x, tolerance=0.02)
    assert math.isnan(estimate.value) and math.isnan(estimate.standard_error)
    assert estimate.n == 2000


def test_the_error_is_that_of_the_first_scale() -> None:
    x = CLOUDS["cube of 2"]()
    curve_of_x = gride_by_scale(x, largest_k=64)
    first = plateau_of(curve_of_x, tolerance=0.1, n_scales=3).first_k
    assert gride_plateau(x).standard_error == curve_of_x[first].standard_error


def test_a_graph_or_few_vectors_limit_the_scales() -> None:
    x = CLOUDS["cube of 2"]()[:300]
    graph = neighbor_graph_of(x, 16)
    assert gride_plateau(graph) == gride_plateau(x, largest_k=8)
    assert gride_plateau(x[:40]) == gride_plateau(x[:40], largest_k=16)
    assert gride_plateau(x[:40]).value > 0


def test_a_graph_of_more_neighbors_changes_nothing() -> None:
    x = rng().normal(size=(300, 3))
    assert gride_plateau(neighbor_graph_of(x, 200)) == gride_plateau(neighbor_graph_of(x, 64))


def test_what_the_rule_cannot_take_is_refused() -> None:
    x = CLOUDS["cube of 2"]()[:50]
    with pytest.raises(ValueError, match="tolerance: expected a positive share, found 0"):
        gride_plateau(x, tolerance=0)
    with pytest.raises(ValueError, match="n_scales: expected at least 2, found 1"):
        gride_plateau(x, n_scales=1)
    with pytest.raises(ValueError, match="largest_k: expected at least 1, found 0"):
        gride_plateau(x, largest_k=0)
    with pytest.raises(ValueError, match="x: expected at least 3 vectors, found 2"):
        gride_plateau(x[:2])


def test_three_vectors_and_two_scales_are_enough() -> None:
    assert np.isnan(gride_plateau(np.array([[0.0], [1], [3]]), n_scales=2).value)
    with pytest.raises(ValueError, match="at least 3 vectors, found 2"):
        gride_plateau(np.array([[0.0], [1]]), n_scales=2)
    estimates = {k: Estimate(value, 0.1, 9, 0) for k, value in ((1, 9.0), (2, 3.0), (4, 3.3))}
    plateau = plateau_of(estimates, tolerance=0.11, n_scales=2)
    assert plateau is not None
    assert (plateau.value, plateau.first_k, plateau.last_k) == (pytest.approx(3.15), 2, 4)
