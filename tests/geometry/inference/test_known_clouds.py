"""Holds clouds to what is exact of them."""

import numpy as np
import pytest
from scipy.stats import kstest

from embspace.geometry.inference.known_clouds import (
    CLOUDS,
    standard_gaussian,
    swiss_roll,
    uniform_cube,
    uniform_sphere,
)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_each_has_its_shape_and_its_support() -> None:
    assert uniform_cube(500, 4, rng()).shape == (500, 4)
    assert standard_gaussian(500, 4, rng()).shape == (500, 4)
    on_sphere = uniform_sphere(500, 4, rng())
    assert on_sphere.shape == (500, 5)
    assert np.linalg.norm(on_sphere, axis=1) == pytest.approx(np.ones(500))
    assert CLOUDS["cube"] is uniform_cube


def test_moments_are_those_of_the_distributions() -> None:
    assert uniform_cube(20_000, 3, rng()).var(axis=0) == pytest.approx(np.full(3, 1 / 12), rel=0.03)
    assert uniform_sphere(20_000, 3, rng()).var(axis=0) == pytest.approx(
        np.full(4, 1 / 4), rel=0.05
    )


def test_the_roll_is_even_along_its_sheet() -> None:
    x, height, z = swiss_roll(4000, 2, rng()).T
    angle = np.hypot(x, z)
    assert 1.5 * np.pi <= angle.min() and angle.max() <= 4.5 * np.pi

    def length(t: np.ndarray) -> np.ndarray:
        return (t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2  # of the spiral, in closed form

    first, last = length(np.array([1.5 * np.pi, 4.5 * np.pi]))
    assert kstest((length(angle) - first) / (last - first), "uniform").pvalue > 0.01
    assert kstest(height / 21, "uniform").pvalue > 0.01


def test_a_sheet_has_two_dimensions() -> None:
    with pytest.raises(ValueError, match="a sheet has 2 dimensions, found 3"):
        swiss_roll(5, 3, rng())
