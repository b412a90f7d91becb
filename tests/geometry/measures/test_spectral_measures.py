"""Holds measures of the spectrum to known spectra, to identities and to other code."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.decomposition import PCA

from embspace.geometry.measures.registry import profiled_measures
from embspace.geometry.measures.spectral_measures import (
    debiased_participation_ratio,
    effective_rank,
    effective_rank_of_covariance,
    iso_score,
    iso_score_star,
    participation_ratio,
    rank_me,
    spectral_entropy,
    stable_rank,
    top_variance_share,
)
from tests.geometry.clouds import CLOUD, LARGER, arguments
from tests.lazy import torch

SPECTRAL = [
    measure
    for measure in profiled_measures().values()
    if measure.family == "spectrum" and not measure.name.startswith("partition")
]


def with_variances(variances: list[float], mean: float = 0.0) -> np.ndarray:
    """A cloud whose population covariance has exactly these eigenvalues."""
    rng = np.random.default_rng(0)
    raw = rng.normal(size=(400, len(variances)))
    raw -= raw.mean(axis=0)
    white = np.linalg.qr(raw)[0] * np.sqrt(len(raw))
    turn = np.linalg.qr(rng.normal(size=(len(variances), len(variances))))[0]
    return white * np.sqrt(variances) @ turn + mean


@pytest.mark.parametrize("variances", [[4.0, 1.0, 1.0], [1.0] * 6, [9.0, 3.0, 1.0, 0.1, 0.01]])
def test_known_spectra_give_what_the_formulas_say(variances: list[float]) -> None:
    x, v = with_variances(variances, mean=5.0), np.array(variances)
    p, s = v / v.sum(), np.sqrt(v) / np.sqrt(v).sum()
    assert top_variance_share(x) == pytest.approx(p[0])
    assert participation_ratio(x) == pytest.approx(1 / (p**2).sum())
    assert effective_rank(x) == pytest.approx(np.exp(-(s * np.log(s)).sum()))
    assert effective_rank_of_covariance(x) == pytest.approx(np.exp(-(p * np.log(p)).sum()))
    expected = -(p * np.log(p)).sum() / np.log(len(v))
    assert spectral_entropy(x) == pytest.approx(expected)


def test_the_top_share_is_that_of_an_independent_pca() -> None:
    assert top_variance_share(CLOUD) == pytest.approx(PCA().fit(CLOUD).explained_variance_ratio_[0])


def test_without_centering_the_top_share_is_the_inverse_of_the_stable_rank() -> None:
    singular = np.linalg.svd(CLOUD, compute_uv=False)
    assert 1 / stable_rank(CLOUD) == pytest.approx(singular[0] ** 2 / (singular**2).sum())
    centered = CLOUD - CLOUD.mean(axis=0)
    assert 1 / stable_rank(centered) == pytest.approx(top_variance_share(CLOUD))


def test_rank_me_is_the_published_formula_without_centering() -> None:
    singular = np.linalg.svd(CLOUD, compute_uv=False)
    p = singular / np.abs(singular).sum() + 1e-7
    assert rank_me(CLOUD) == pytest.approx(np.exp(-(p * np.log(p)).sum()))
    centered = CLOUD - CLOUD.mean(axis=0)
    assert rank_me(centered, epsilon=0) == pytest.approx(effective_rank(CLOUD))


@pytest.mark.parametrize("d", [2, 5, 40])
def test_the_iso_score_is_the_participation_ratio_in_other_units(d: int) -> None:
    x = np.random.default_rng(d).normal(size=(100, d)) * np.linspace(0.1, 3, d)
    assert iso_score(x) == pytest.approx((participation_ratio(x) - 1) / (d - 1), abs=1e-12)


@pytest.mark.parametrize(("n", "expected"), [(50, 0.11), (200, 0.34), (1000, 0.72), (5000, 0.93)])
def test_the_iso_score_of_isotropic_vectors_depends_on_how_many(n: int, expected: float) -> None:
    x = np.random.default_rng(0).normal(size=(n, 384))
    assert iso_score(x) == pytest.approx(expected, abs=0.01)


def test_the_debiased_ratio_is_of_unbiased_estimators_of_both_its_parts() -> None:
    # Of 6 vectors, by all ordered choices of different ones: nothing is assumed of them.
    x = np.random.default_rng(4).exponential(size=(6, 3))
    d = ((x[:, None] - x[None]) ** 2).sum(axis=2) / 2
    square_of_trace = np.mean([d[i, j] * d[k, m] for i, j, k, m in permutations(range(6), 4)])
    trace_of_square = np.mean(
        [((x[i] - x[j]) @ (x[k] - x[m])) ** 2 / 4 for i, j, k, m in permutations(range(6), 4)]
    )
    expected = square_of_trace / trace_of_square
    assert debiased_participation_ratio(x) == pytest.approx(expected)


@pytest.mark.parametrize("skewed", [False, True])
def test_the_debiased_ratio_does_not_depend_on_how_many_vectors_there_are(skewed: bool) -> None:
    rng, scale = np.random.default_rng(5), np.linspace(0.2, 2, 60)
    true = (scale**2).sum() ** 2 / (scale**4).sum()

    def cloud(n: int) -> np.ndarray:
        return (rng.exponential(size=(n, 60)) if skewed else rng.normal(size=(n, 60))) * scale

    for n, tolerance in ((40, 0.05), (200, 0.02)):
        ratios = [debiased_participation_ratio(cloud(n)) for _ in range(300)]
        plain = [participation_ratio(cloud(n)) for _ in range(30)]
        assert np.median(ratios) == pytest.approx(true, rel=tolerance)
        assert np.mean(plain) < 0.9 * true
    assert np.isnan(debiased_participation_ratio(cloud(3)))


def test_iso_score_star_goes_from_the_few_to_the_many() -> None:
    few = CLOUD[:10]
    assert iso_score_star(few, larger=LARGER, zeta=0) == pytest.approx(iso_score(few))
    assert iso_score_star(few, larger=LARGER, zeta=1) == pytest.approx(iso_score(LARGER))
    with pytest.raises(ValueError, match=r"zeta: expected a value in \[0, 1\], found 2"):
        iso_score_star(few, larger=LARGER, zeta=2)
    tensor = iso_score_star(few, larger=torch.from_numpy(LARGER), zeta=0.5)
    assert tensor == iso_score_star(few, larger=LARGER, zeta=0.5)
    with pytest.raises(ValueError, match="NaN or infinity in row 0"):
        iso_score_star(few, larger=np.full((3, 12), np.nan), zeta=0.5)
    with pytest.raises(ValueError, match="larger: expected 12 coordinates, found 3"):
        iso_score_star(few, larger=LARGER[:, :3], zeta=0.5)


@pytest.mark.parametrize("defined", SPECTRAL, ids=[measure.name for measure in SPECTRAL])
def test_where_nothing_varies_nothing_is_made_up(defined) -> None:
    options = arguments(defined.name, defined.family)
    if "larger" in options:
        options["larger"] = np.zeros((9, 12))
    assert np.isnan(defined.function(np.zeros((5, 12)), **options))
    if "translation" in defined.invariant_to and "larger" not in options:
        assert np.isnan(defined.function(np.full((7, 12), 0.1), **options))


def test_two_coordinates_and_four_vectors_are_enough() -> None:
    cross = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
    assert spectral_entropy(cross) == pytest.approx(1)
    assert iso_score(cross) == pytest.approx(1)
    assert np.isnan([spectral_entropy(cross[:, :1]), iso_score(cross[:, :1])]).all()
    assert np.isfinite(debiased_participation_ratio(cross))
    assert np.isnan(debiased_participation_ratio(cross[:3]))


def test_either_sample_may_be_taken_alone() -> None:
    few, many = np.random.default_rng(0).normal(size=(2, 30, 4)) * [[[1, 2, 3, 4]], [[1, 1, 1, 5]]]
    for zeta, expected in ((0, few), (1, many)):
        assert iso_score_star(few, larger=many, zeta=zeta) == pytest.approx(iso_score(expected))
