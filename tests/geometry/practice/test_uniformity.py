"""Check values of alignment and uniformity: extremes, a plain loop, and the uniform sphere."""

import numpy as np
import pytest
from scipy.special import gammaln, ive

from embspace.geometry.practice.uniformity import positive_pair_alignment, uniformity


def cloud(n: int = 40, dim: int = 6) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, dim)) + 0.5


def test_a_plain_loop():
    x = cloud()
    unit = x / np.linalg.norm(x, axis=1)[:, None]
    pairs = [(i, j) for i in range(40) for j in range(40) if i != j]
    values = [np.exp(-3 * np.square(unit[i] - unit[j]).sum()) for i, j in pairs]
    assert uniformity(x, t=3.0) == pytest.approx(np.log(np.mean(values)))


def test_one_direction_and_two_opposite_ones():
    x = np.array([[1.0, 2.0], [2.0, 4.0]])
    assert uniformity(x) == pytest.approx(0)
    assert uniformity(x * [[1], [-1]]) == pytest.approx(-8)
    assert positive_pair_alignment(x, 3 * x) == pytest.approx(0)
    assert positive_pair_alignment(x, -x) == pytest.approx(4)


@pytest.mark.parametrize("dim", [3, 64, 384])
def test_the_uniform_sphere(dim: int):
    """E exp(2 t cosine) is a modified Bessel function: that of von Mises and Fisher's constant."""
    order, kappa = dim / 2 - 1, 4.0
    log_bessel = np.log(ive(order, kappa)) + kappa
    expected = gammaln(dim / 2) + log_bessel - order * np.log(kappa / 2) - kappa
    x = np.random.default_rng(1).normal(size=(1500, dim))
    assert uniformity(x) == pytest.approx(expected, abs=0.02)


def test_alignment_is_of_the_mean_cosine():
    x, y = cloud(), cloud()[::-1]
    unit, other = (side / np.linalg.norm(side, axis=1)[:, None] for side in (x, y))
    cosine = (unit * other).sum(axis=1)
    assert positive_pair_alignment(x, y) == pytest.approx(2 - 2 * cosine.mean())
    assert positive_pair_alignment(x, y, alpha=1.0) == pytest.approx(np.sqrt(2 - 2 * cosine).mean())


def test_too_few_rows_have_no_value():
    assert np.isnan(uniformity(np.ones((1, 3))))
    assert np.isnan(uniformity(np.zeros((4, 3))))
    assert np.isnan(positive_pair_alignment(np.zeros((2, 3)), np.ones((2, 3))))
