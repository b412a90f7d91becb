import numpy as np
import pytest

from embspace.geometry.positional.curve_dimensions import (
    box_slopes,
    correlation_slopes,
    steady_dimension,
)

SCALES = np.geomspace(0.02, 2.0, 47)
WIDE = {"tolerance": 0.2, "factor": 2.0}


def cloud(dim: int, n: int = 500) -> np.ndarray:
    x = np.random.default_rng(dim).uniform(size=(n, dim))
    return (x - x.mean(axis=0)) / x.std(axis=0) / np.sqrt(dim)


@pytest.mark.parametrize("dim", [1, 2])
def test_a_line_has_one_dimension_and_a_square_two(dim: int):
    x = cloud(dim) @ np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0][:dim]
    by_pairs = steady_dimension(SCALES, correlation_slopes(x, SCALES), **WIDE)
    assert by_pairs.dimension == pytest.approx(dim, abs=0.2)
    assert by_pairs.high / by_pairs.low > 4


@pytest.mark.parametrize("dim", [1, 2])
def test_boxes_need_many_points_for_a_square(dim: int):
    many, few = (
        steady_dimension(SCALES, box_slopes(cloud(dim, n), SCALES), **WIDE).dimension
        for n in (8000, 500)
    )
    assert many == pytest.approx(dim, abs=0.2)
    assert dim - 0.5 < few <= many + 0.05


def test_a_random_walk_has_two_dimensions_by_pairs():
    walk = np.random.default_rng(3).normal(size=(500, 40)).cumsum(axis=0)
    walk -= walk.mean(axis=0)
    walk /= np.sqrt(np.square(walk).sum(axis=1).mean())
    steady = steady_dimension(SCALES, correlation_slopes(walk, SCALES), **WIDE)
    assert steady.dimension == pytest.approx(2, abs=0.35)


def test_noise_in_many_dimensions_has_none():
    x = np.random.default_rng(4).normal(size=(200, 200)) / np.sqrt(200)
    assert np.isnan(steady_dimension(SCALES, correlation_slopes(x, SCALES), **WIDE).dimension)
    assert np.isnan(box_slopes(x, SCALES)).all()


def test_the_widest_steady_range_is_taken():
    scales = 2.0 ** np.arange(10)
    slopes = np.array([5, 1, 1, 3, 2, 2.2, 2, 1.9, np.nan, 2])
    steady = steady_dimension(scales, slopes, **WIDE)
    assert steady == (2.0, 16.0, 128.0)
    assert steady_dimension(scales, slopes, tolerance=0.2, factor=9.0).dimension != 2.0
    nothing = steady_dimension(scales, np.full(10, np.nan), **WIDE)
    assert np.isnan(nothing).all()
