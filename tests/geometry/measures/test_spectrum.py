import tracemalloc

import numpy as np
import pytest
from scipy.stats import ortho_group
from sklearn.decomposition import PCA

from embspace.geometry.measures import spectrum
from embspace.geometry.measures.spectrum import (
    components_for,
    covariance_eigenvalues,
    explained_variance,
    exponential_entropy,
    gaussian_covariance_eigenvalues,
)


def cube(dim: int, n: int = 3000) -> np.ndarray:
    """Uniform in [0, 1]^dim, embedded in ten dimensions."""
    x = np.zeros((n, 10))
    x[:, :dim] = np.random.default_rng(dim).random((n, dim))
    return x


def test_the_three_cubes_of_the_thesis():
    # Section 2.3.2: one shifted, one rotated, one as it is; figure 3 counts their dimensions.
    rotation = ortho_group.rvs(10, random_state=0)
    cubes = {7: cube(7) + 2, 8: cube(8) @ rotation, 9: cube(9)}
    for dim, x in cubes.items():
        eigenvalues = covariance_eigenvalues(x)
        assert eigenvalues[:dim] == pytest.approx(np.full(dim, 1 / 12), rel=0.1)
        assert eigenvalues[dim:] == pytest.approx(np.zeros(10 - dim), abs=1e-15)
        assert components_for(eigenvalues, 1.0) == dim
        assert explained_variance(eigenvalues).cumsum()[3] == pytest.approx(4 / dim, rel=0.1)
    # Together the shift is most of the variance, and the dimensions no longer show.
    total = covariance_eigenvalues(np.concatenate(list(cubes.values())))
    assert components_for(total, 0.5) == 1
    assert components_for(total, 1.0) == 10


@pytest.mark.parametrize("shape", [(300, 20), (30, 50)])
def test_shares_are_those_of_scikit_learn(shape: tuple[int, int]):
    x = np.random.default_rng(0).normal(size=shape) * np.arange(1, shape[1] + 1) + 5
    expected = PCA().fit(x).explained_variance_ratio_
    shares = explained_variance(covariance_eigenvalues(x))
    assert shares[: len(expected)] == pytest.approx(expected, abs=1e-12)
    assert shares.sum() == pytest.approx(1)


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch):
    x = np.random.default_rng(1).normal(size=(1000, 12)).astype(np.float32) + 100
    whole = covariance_eigenvalues(x)
    expected = np.linalg.eigvalsh(np.cov(x.astype(float).T, ddof=0))[::-1]
    assert whole == pytest.approx(expected, rel=1e-10)
    monkeypatch.setattr(spectrum, "BLOCK_ROWS", 7)
    assert covariance_eigenvalues(x) == pytest.approx(whole, rel=1e-12)


def test_no_copy_of_the_matrix_is_made():
    x = np.random.default_rng(2).normal(size=(80_000, 32)).astype(np.float32)
    tracemalloc.start()
    covariance_eigenvalues(x)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < x.nbytes / 2


def test_rotation_and_shift_change_nothing_and_scale_squares():
    x = np.random.default_rng(3).normal(size=(200, 6)) * np.arange(1, 7)
    rotated = x @ ortho_group.rvs(6, random_state=1) * 3 - 40
    assert covariance_eigenvalues(rotated) == pytest.approx(
        9 * covariance_eigenvalues(x), rel=1e-10
    )


def test_a_cloud_of_known_rank():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(500, 3)) @ rng.normal(size=(3, 20)) + rng.normal(size=20)
    eigenvalues = covariance_eigenvalues(x)
    assert components_for(eigenvalues, 1.0) == 3
    assert eigenvalues[3:] == pytest.approx(np.zeros(17), abs=1e-14 * eigenvalues[0])


def test_no_more_than_n_less_one_eigenvalues_are_not_zero():
    eigenvalues = covariance_eigenvalues(np.random.default_rng(5).normal(size=(5, 9)))
    assert (eigenvalues[:4] > 0).all()
    assert eigenvalues[4:].tolist() == [0] * 5


@pytest.mark.parametrize("n", [1, 50])
def test_equal_rows_have_no_share_of_the_variance(n: int):
    x = np.repeat(np.array([[0.1, 1 / 3, 1e4]], dtype=np.float32), n, axis=0)
    eigenvalues = covariance_eigenvalues(x)
    assert eigenvalues.tolist() == [0, 0, 0]
    assert np.isnan(explained_variance(eigenvalues)).all()
    assert components_for(eigenvalues, 0.5) is None


def test_what_is_no_cloud_is_refused():
    with pytest.raises(ValueError, match="at least 1 row, found 0"):
        covariance_eigenvalues(np.zeros((0, 3)))
    with pytest.raises(ValueError, match="NaN or infinity"):
        covariance_eigenvalues(np.array([[1.0, 2.0], [np.nan, 0.0]]))


@pytest.mark.parametrize("shape", [(60, 8), (8, 30), (9, 8), (1, 4)])
def test_drawn_eigenvalues_are_those_of_gaussian_vectors(shape: tuple[int, int]):
    rng = np.random.default_rng(6)
    drawn = np.array([gaussian_covariance_eigenvalues(*shape, rng) for _ in range(2000)])
    real = np.array([covariance_eigenvalues(rng.normal(size=shape)) for _ in range(2000)])
    assert drawn.shape == real.shape
    error = np.sqrt(drawn.var(axis=0) / 2000 + real.var(axis=0) / 2000)
    assert (np.abs(drawn.mean(axis=0) - real.mean(axis=0)) <= 5 * error).all()
    assert drawn.std(axis=0) == pytest.approx(real.std(axis=0), rel=0.15)


def test_drawn_eigenvalues_of_many_dimensions_fill_the_interval_of_marchenko_and_pastur():
    # Four vectors a dimension: from (1 - 1/2)^2 to (1 + 1/2)^2.
    eigenvalues = gaussian_covariance_eigenvalues(1600, 400, np.random.default_rng(7))
    assert eigenvalues[0] == pytest.approx(2.25, rel=0.05)
    assert eigenvalues[-1] == pytest.approx(0.25, rel=0.05)


def test_components_are_counted_without_rounding():
    equal = np.full(10, 0.1)
    counts = [components_for(equal, share) for share in (0.05, 0.1, 0.11, 0.9, 1.0)]
    assert counts == [1, 1, 2, 9, 10]
    assert components_for(np.array([3.0, 1.0, 0.0]), 0.75) == 1


@pytest.mark.parametrize("share", [0.0, -0.5, 1.5, np.nan])
def test_a_share_that_is_none_is_refused(share: float):
    with pytest.raises(ValueError, match="share: expected"):
        components_for(np.ones(3), share)


def test_equal_shares_have_the_effective_rank_of_their_number() -> None:
    assert exponential_entropy(np.full(7, 1 / 7)) == pytest.approx(7, rel=1e-12)
    assert exponential_entropy(np.array([0.5, 0.5, 0.0])) == pytest.approx(2, rel=1e-12)
    assert exponential_entropy(np.array([1.0, 0.0])) == 1
    assert np.isnan(exponential_entropy(np.array([np.nan, 0.5])))


def test_all_of_the_variance_is_a_share() -> None:
    assert components_for(np.array([3.0, 1.0, 0.0]), 1.0) == 2
    for share in (0.0, 1.0001):
        with pytest.raises(ValueError, match="share: expected a value in"):
            components_for(np.array([3.0, 1.0]), share)
