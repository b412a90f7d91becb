import subprocess
import sys

import numpy as np
import pytest
from scipy import integrate, special, stats

from embspace.geometry.pairs.directions import (
    cosine_bound,
    cosine_matrix,
    cosine_tail,
    distance_matrix,
    norms,
    unit_rows,
)

DIMS = [2, 3, 10, 384, 768]


def gaussian(n: int, dim: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, dim)).astype(np.float32)


def test_norms_of_known_vectors() -> None:
    assert norms(np.array([[3.0, 4.0], [0.0, 0.0], [-2.0, 0.0]])).tolist() == [5, 0, 2]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_norms_are_summed_in_float64(dtype: type) -> None:
    # The square of 300 is too much for float16; a float32 sum would be off by 1e-6 or so.
    x = np.full((1, 30_000), 300, dtype=dtype)
    assert norms(x).dtype == np.float64
    assert norms(x)[0] == pytest.approx(300 * np.sqrt(30_000), rel=1e-14)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_unit_rows_have_length_one_and_keep_their_direction(dtype: type) -> None:
    x = (30 * gaussian(50, 20)).astype(dtype)
    unit = unit_rows(x)
    precision = float(np.finfo(unit.dtype).eps)
    assert unit.dtype == (np.float32 if dtype == np.float32 else np.float64)
    assert norms(unit) == pytest.approx(np.ones(50), abs=precision)
    lengths = (unit * x).sum(axis=1, dtype=np.float64)
    assert lengths == pytest.approx(norms(x), rel=precision)


def test_unit_rows_leave_zero_rows_and_the_argument_alone() -> None:
    x = gaussian(4, 3)
    x[1] = 0
    before = x.copy()
    assert unit_rows(x)[1].tolist() == [0, 0, 0]
    assert np.array_equal(x, before)


@pytest.mark.parametrize("dim", DIMS)
def test_tail_is_the_integral_of_the_density(dim: int) -> None:
    # (1 - c^2)^((dim - 3) / 2) / B(1/2, (dim - 1)/2), as an angle: no pole at dim 2.
    for cosine in (0.0, 0.01, 0.1, 0.3, 0.6):
        integral, _ = integrate.quad(
            lambda angle: np.sin(angle) ** (dim - 2), 0, np.arccos(cosine), epsrel=1e-12
        )
        density_scale = 2 / special.beta(0.5, (dim - 1) / 2)
        assert cosine_tail(cosine, dim) == pytest.approx(density_scale * integral, rel=1e-9)


def test_tail_in_closed_form() -> None:
    cosine = np.linspace(0, 1, 11)
    # A circle: the angle is uniform. A sphere: the cosine is (Archimedes).
    assert cosine_tail(cosine, 2) == pytest.approx(2 / np.pi * np.arccos(cosine), abs=1e-12)
    assert cosine_tail(cosine, 3) == pytest.approx(1 - cosine, abs=1e-12)
    # Dim 5: the density is 3/4 (1 - c^2); its tail near 1 is not lost in a difference.
    assert cosine_tail(1 - 1e-7, 5) == pytest.approx(1.5e-14, rel=1e-6)


def test_tail_far_out_is_not_the_normal_one() -> None:
    assert cosine_tail(0.02, 10_000) == pytest.approx(2 * stats.norm.sf(2), rel=1e-3)
    assert 0 < cosine_tail(0.9, 768) < 1e-250 < 2 * stats.norm.sf(0.9 * np.sqrt(768))


def test_expected_number_of_large_cosines() -> None:
    # Token against positional vectors of BERT base and of MiniLM, were they random directions.
    assert 28_996 * 512 * cosine_tail(0.2, 768) == pytest.approx(0.33, abs=0.01)
    assert 30_522 * 512 * cosine_tail(0.2, 384) == pytest.approx(1213.6, abs=0.1)


@pytest.mark.parametrize("dim", DIMS)
def test_tail_counts_random_directions(dim: int) -> None:
    x = unit_rows(gaussian(20_000, dim))
    cosine = np.abs((x[::2] * x[1::2]).sum(axis=1))
    for threshold in (0.2, 1.0, 2.0):
        tail = float(cosine_tail(min(threshold / np.sqrt(dim), 1.0), dim))
        outside = np.count_nonzero(cosine > threshold / np.sqrt(dim))
        assert abs(outside - 10_000 * tail) < 5 * np.sqrt(10_000 * tail) + 1


@pytest.mark.parametrize("dim", DIMS)
def test_bound_is_the_inverse_of_the_tail(dim: int) -> None:
    probability = np.array([1e-3, 0.05, 0.5, 0.9, 1 - 1e-9])
    assert cosine_tail(cosine_bound(probability, dim), dim) == pytest.approx(probability, rel=1e-9)
    assert (np.diff(cosine_bound(probability, dim)) < 0).all()


def test_bound_of_improbable_cosines() -> None:
    for probability in (1e-12, 1e-100, 1e-300):
        bound = cosine_bound(probability, 384)
        assert cosine_tail(bound, 384) == pytest.approx(probability, rel=1e-6)


@pytest.mark.parametrize("dim", DIMS)
def test_limits_of_tail_and_bound(dim: int) -> None:
    assert (cosine_tail(0.0, dim), cosine_tail(1.0, dim)) == (1, 0)
    assert (cosine_bound(1.0, dim), cosine_bound(0.0, dim)) == (0, 1)


@pytest.mark.parametrize("function", [cosine_tail, cosine_bound])
def test_arguments_out_of_range(function: object) -> None:
    for value in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match=r"expected values in \[0, 1\]"):
            function(value, 10)
    with pytest.raises(ValueError, match=r"expected values in \[0, 1\]"):
        function(np.array([0.5, 2.0]), 10)
    with pytest.raises(ValueError, match="dim: expected at least 2, found 1"):
        function(0.5, 1)


def test_import_is_light() -> None:
    code = "import sys, embspace.geometry; print({'numba', 'scipy'} & set(sys.modules))"
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert printed.strip() == "set()"


def test_cosines_of_equal_and_opposite_directions_end_at_one_and_minus_one() -> None:
    x = gaussian(200, 50)
    unit = unit_rows(x.astype(np.float64))
    assert (unit**2).sum(axis=1).max() > 1  # what rounding leaves
    equal, opposite = cosine_matrix(x), cosine_matrix(x, -x)
    assert (equal.max(), opposite.min()) == (1, -1)
    assert np.diagonal(opposite) == pytest.approx(-1, abs=1e-14)


def test_distances_are_those_of_every_two_rows_and_exactly_0_of_copies():
    x = np.array([[0, 0], [3, 4], [0, 0]], dtype=np.float32)
    distances = distance_matrix(x)
    assert distances.dtype == np.float64
    assert distances.tolist() == [[0, 5, 0], [5, 0, 5], [0, 5, 0]]


def test_two_dimensions_and_all_probabilities_have_a_bound():
    # On a circle a direction lies within an angle of a line with that share of a right angle.
    bounds = cosine_bound(np.array([0.0, 1 / 3, 1.0]), 2)
    assert bounds == pytest.approx([1, np.cos(np.pi / 6), 0])
    with pytest.raises(ValueError, match="dim: expected at least 2, found 1"):
        cosine_bound(0.5, 1)
    for probability in (-0.1, 1.1):
        with pytest.raises(ValueError, match="probability: expected values in"):
            cosine_bound(probability, 2)
