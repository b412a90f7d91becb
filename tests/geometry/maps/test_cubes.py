import numpy as np
import pytest

from embspace.geometry.maps.cubes import EmbeddedCube, union_covariance
from embspace.geometry.measures.spectrum import covariance_eigenvalues


def cube(dim: int, ambient_dim: int = 6, *, seed: int | None = None, shift: float = 0.0):
    turn = np.eye(ambient_dim)
    if seed is not None:
        turn = np.linalg.qr(np.random.default_rng(seed).normal(size=turn.shape))[0]
    return EmbeddedCube(dim, turn, np.full(ambient_dim, shift))


def test_points_fill_the_cube_and_nothing_else():
    x = cube(3).points(2000, np.random.default_rng(0))
    assert (x[:, 3:] == 0).all()
    assert x[:, :3].min() == pytest.approx(0, abs=0.01)
    assert x[:, :3].max() == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("seed", [None, 4])
def test_variance_is_a_twelfth_in_each_direction_of_the_cube(seed: int | None):
    eigenvalues = np.linalg.eigvalsh(cube(4, seed=seed, shift=2.0).covariance)[::-1]
    assert eigenvalues == pytest.approx([1 / 12] * 4 + [0] * 2, abs=1e-15)


def test_mean_and_covariance_are_those_of_many_points():
    turned = cube(4, seed=4, shift=2.0)
    x = turned.points(200_000, np.random.default_rng(1))
    error = 4 / np.sqrt(12 * 200_000)
    assert x.mean(axis=0) == pytest.approx(turned.mean, abs=error)
    assert np.cov(x.T, bias=True) == pytest.approx(turned.covariance, abs=error)


def test_the_union_has_the_covariance_of_all_points_together():
    cubes = [cube(2, shift=2.0), cube(3, seed=4), cube(5)]
    rng = np.random.default_rng(2)
    x = np.concatenate([cube.points(100_000, rng) for cube in cubes])
    assert np.cov(x.T, bias=True) == pytest.approx(union_covariance(cubes), abs=0.01)


def test_the_union_of_one_cube_is_that_cube_and_of_two_far_apart_a_line():
    assert union_covariance([cube(2)]) == pytest.approx(cube(2).covariance)
    far = union_covariance([cube(2), cube(2, shift=1000.0)])
    assert np.linalg.eigvalsh(far)[-1] == pytest.approx(6 * 500**2, rel=1e-5)


def test_turning_and_shifting_keep_the_spectrum_of_the_same_points():
    still = cube(3).points(50, np.random.default_rng(3))
    moved = cube(3, seed=4, shift=2.0).points(50, np.random.default_rng(3))
    assert covariance_eigenvalues(moved) == pytest.approx(covariance_eigenvalues(still))
