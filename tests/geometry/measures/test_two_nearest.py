"""Holds the variants of TwoNN to known dimensions, to other programs and to each other."""

import numpy as np
import pytest
import skdim

from embspace.geometry.measures.two_nearest import (
    two_nn,
    two_nn_discarding,
    two_nn_lowest_fifth_as_coded,
    two_nn_maximum_likelihood,
)
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of
from tests.geometry.dadapy_reference import CLOUDS, kept

VARIANTS = [two_nn, two_nn_discarding, two_nn_lowest_fifth_as_coded, two_nn_maximum_likelihood]
EVERY = pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.__name__)


def cube(d: int, n: int = 2048) -> np.ndarray:
    return np.random.default_rng(0).uniform(size=(n, d))


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        (two_nn, (2.029, 9.106, 15.254)),
        (two_nn_discarding, (2.012, 8.830, 15.017)),
        (two_nn_lowest_fifth_as_coded, (1.872, 8.887, 14.687)),
        (two_nn_maximum_likelihood, (2.000, 8.981, 15.091)),
    ],
    ids=lambda case: getattr(case, "__name__", ""),
)
def test_cubes_give_what_each_program_gives(variant, expected: tuple[float, ...]) -> None:
    rng = np.random.default_rng(0)
    dimensions = [variant(rng.uniform(size=(2048, d))).value for d in (2, 10, 20)]
    assert dimensions == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("d", [2, 5, 15])
def test_discarding_is_what_scikit_dimension_computes(d: int) -> None:
    x = cube(d, 1000)
    assert two_nn_discarding(x).value == pytest.approx(skdim.id.TwoNN().fit(x).dimension_, rel=1e-5)


@pytest.mark.parametrize("name", CLOUDS)
def test_dadapy_fits_the_same_line_and_has_the_same_likelihood(name: str) -> None:
    """DADApy's algorithms `base`, of the lower nine tenths, and `ml`; float32 makes up to 2e-7."""
    x, theirs = CLOUDS[name](), kept()[name]
    assert two_nn_discarding(x).value == pytest.approx(theirs["two_nn_base"], rel=5e-7)
    assert two_nn_maximum_likelihood(x).value == pytest.approx(theirs["two_nn_ml"], rel=5e-7)


@pytest.mark.parametrize("name", CLOUDS)
def test_clouds_are_those_that_dadapy_was_given(name: str) -> None:
    assert (CLOUDS[name]() ** 2).sum() == pytest.approx(kept()[name]["sum_of_squares"], rel=1e-9)


@EVERY
def test_a_surface_has_its_own_dimension_in_whatever_space(variant) -> None:
    flat = np.random.default_rng(1).uniform(size=(3000, 2))
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(50, 50)))[0]
    bent = np.column_stack([flat, 0.1 * np.sin(3 * flat), np.zeros((3000, 46))]) @ turn
    assert variant(bent).value == pytest.approx(2, abs=0.2)


def test_new_samples_scatter_farther_than_the_standard_error_says() -> None:
    estimates = [
        two_nn_maximum_likelihood(np.random.default_rng(seed).uniform(size=(500, 2)))
        for seed in range(200)
    ]
    scatter = np.std([estimate.value for estimate in estimates])
    stated = np.mean([estimate.standard_error for estimate in estimates])
    assert 1.2 < scatter / stated < 1.7  # ratios of neighbors are not independent


def test_the_line_has_no_standard_error_and_says_what_it_rests_on() -> None:
    x = cube(3, 1000)
    assert np.isnan(two_nn(x).standard_error)
    assert (two_nn(x).n, two_nn(x).dropped) == (999, 1)
    assert (two_nn_discarding(x).n, two_nn_discarding(x).dropped) == (900, 100)
    fifth = two_nn_lowest_fifth_as_coded(x)
    assert (fifth.n, fifth.dropped) == (200, 800)


def test_equal_vectors_are_dropped_but_raise_the_dimension_most_as_coded() -> None:
    x = cube(5, 1000)
    doubled = np.concatenate([x, x[:300]])
    assert two_nn_maximum_likelihood(doubled).dropped == 600
    assert two_nn_maximum_likelihood(doubled).n == 700
    raised = {
        measure: measure(doubled).value / measure(x).value
        for measure in (two_nn_maximum_likelihood, two_nn_lowest_fifth_as_coded)
    }
    assert 1.2 < raised[two_nn_maximum_likelihood] < 2 < raised[two_nn_lowest_fifth_as_coded]


@EVERY
def test_a_graph_is_as_good_as_the_vectors(variant) -> None:
    x = cube(4, 500)
    assert repr(variant(neighbor_graph_of(x, 5))) == repr(variant(x))


@EVERY
def test_where_no_ratio_is_defined_there_is_no_dimension(variant) -> None:
    estimate = variant(np.full((10, 3), 0.1))
    assert np.isnan(estimate.value)
    assert (estimate.n, estimate.dropped) == (0, 10)


@EVERY
@pytest.mark.parametrize("n", [1, 2])
def test_too_few_vectors_are_told_by_what_is_needed_and_found(variant, n: int) -> None:
    with pytest.raises(ValueError, match=f"x: expected 3 vectors or more, two .*, found {n}"):
        variant(np.ones((n, 5)))


@EVERY
@pytest.mark.parametrize("step", [1.0, 0.1, 1 / 3])
def test_rounding_of_equal_distances_is_no_geometry(variant, step: float) -> None:
    grid = np.stack(np.meshgrid(np.arange(12), np.arange(12)), axis=-1).reshape(-1, 2) * step
    assert np.isnan(variant(grid).value)


@pytest.mark.parametrize("variant", [two_nn_discarding, two_nn_lowest_fifth_as_coded])
@pytest.mark.parametrize("n", [40, 100, 1000])
def test_points_evenly_on_a_line_have_no_dimension_but_by_their_ends(variant, n: int) -> None:
    """All ratios are 1, but those of the ends, which are 2 and which both variants leave out."""
    direction = np.random.default_rng(0).normal(size=(1, 20))
    for along in (np.arange(n) * 1.0, np.arange(n) * 0.1, np.linspace(-1, 1, n)):
        x = along[:, None] * direction
        assert np.isnan(variant(x).value)
        assert np.isnan(variant(x + 7).value)
        assert np.isnan(variant(x.astype(np.float32)).value)


@EVERY
def test_a_far_mean_changes_nothing(variant) -> None:
    x = cube(3, 800)
    assert variant(x + 1e6).value == pytest.approx(variant(x).value, rel=1e-3)


def test_the_share_to_discard_is_checked() -> None:
    with pytest.raises(
        ValueError, match=r"discard_fraction: expected a share in \[0, 1\), found 1"
    ):
        two_nn_discarding(cube(2, 50), discard_fraction=1)


def test_three_vectors_are_enough_and_none_need_be_discarded() -> None:
    x = np.array([[0.0], [1], [3]])  # of which the ratios are 3, 2 and 1.5
    estimate = two_nn_maximum_likelihood(x)
    assert (estimate.value, estimate.standard_error) == pytest.approx(
        (2 / np.log(9), 2 / np.log(9))
    )
    with pytest.raises(ValueError, match="3 vectors or more"):
        two_nn(x[:2])
    assert two_nn_discarding(x, discard_fraction=0.0).value == pytest.approx(two_nn(x).value)
    with pytest.raises(ValueError, match="discard_fraction: expected a share in"):
        two_nn_discarding(x, discard_fraction=1.0)
