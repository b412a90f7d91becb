import numpy as np
import pytest

from embspace.clouds.layers import changed
from embspace.geometry.practice.changes import (
    CHANGES,
    Ranks,
    fitted_change,
    top_coordinate_share,
    weighted_moments,
    whitening,
)


def cloud() -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.normal(size=(200, 6)) * [5, 3, 2, 1, 1, 0.5] @ rng.normal(size=(6, 6)) + 4


@pytest.mark.parametrize(
    ("name", "layer_change", "n_top"),
    [("standardized", "standardized", 0), ("top_2", "all_but_the_top", 2)],
)
def test_changes_are_those_of_the_layers(name: str, layer_change: str, n_top: int):
    x = cloud()
    assert fitted_change(x, name)(x) == pytest.approx(changed(x.copy(), layer_change, n_top))


def test_whitened_vectors_have_the_identity_as_covariance():
    x = cloud()
    white = fitted_change(x, "whitened")(x)
    assert white.mean(axis=0) == pytest.approx(np.zeros(6), abs=1e-9)
    assert white.T @ white / len(x) == pytest.approx(np.eye(6), abs=1e-9)
    from sklearn.decomposition import PCA

    theirs = PCA(whiten=True, svd_solver="full").fit_transform(x)
    # Over n - 1 there, and in the order of variance; distances tell neither order nor sign.
    ours = np.linalg.norm(white[:50, None] - white[50:100], axis=-1)
    expected = np.linalg.norm(theirs[:50, None] - theirs[50:100], axis=-1)
    assert ours == pytest.approx(expected * np.sqrt(200 / 199))


def test_removed_components_are_gone_in_new_vectors():
    x = cloud()
    for n in (1, 2, 3):
        left = fitted_change(x, f"top_{n}")(x[:50] + 1)
        assert np.linalg.matrix_rank(left - left[0], tol=1e-6) == 6 - n


def test_raw_and_unit_length_ask_nothing_of_the_vectors():
    x = cloud()
    assert np.array_equal(fitted_change(x, "raw")(x), x)
    assert np.linalg.norm(fitted_change(x, "unit_length")(x), axis=1) == pytest.approx(1)


def test_a_coordinate_without_variance_becomes_zero_and_few_vectors_span_little():
    x = cloud()
    x[:, 2] = 7
    assert (fitted_change(x, "standardized")(x)[:, 2] == 0).all()
    few = fitted_change(cloud()[:4], "whitened")(cloud())
    assert few.shape == (200, 3)
    same = np.ones((5, 3))
    for change in CHANGES:
        assert np.isfinite(fitted_change(same, change)(same)).all()


def test_zipfian_whitening_makes_the_weighted_covariance_the_identity():
    x, p = cloud(), 1 / np.arange(1, 201)
    moments = weighted_moments(x, p)
    white = whitening(moments.mean, moments.covariance)(x)
    assert p @ white == pytest.approx(np.zeros(6), abs=1e-9)
    assert (p[:, None] * white).T @ white / p.sum() == pytest.approx(np.eye(6), abs=1e-9)
    assert np.abs(white.T @ white / 200 - np.eye(6)).max() > 0.1  # by entry, as nobody weighs
    assert moments.covariance == pytest.approx(np.cov(x.T, aweights=p, ddof=0))


def test_a_weight_is_a_number_of_copies_and_moments_add_up():
    x, counts = cloud()[:20], np.arange(20.0)
    weighted, copied = (
        weighted_moments(x, counts),
        weighted_moments(np.repeat(x, counts.astype(int), axis=0)),
    )
    parts = weighted_moments(x[:7], counts[:7]) + weighted_moments(x[7:], counts[7:])
    none = weighted_moments(x[:0]) + weighted_moments(x[:0])
    for moments in (copied, parts, none + parts, parts + none):
        assert moments.weight == weighted.weight == 190
        assert moments.mean == pytest.approx(weighted.mean)
        assert moments.covariance == pytest.approx(weighted.covariance)
    assert none.weight == 0 and not none.covariance.any()


def test_a_weight_below_zero_is_refused():
    with pytest.raises(ValueError, match="weights: expected none below 0, found -1.0"):
        weighted_moments(np.eye(2), np.array([1.0, -1.0]))


def test_the_cosine_of_ranks_is_spearmans_correlation():
    from scipy.stats import spearmanr

    x = np.random.default_rng(0).integers(0, 5, size=(6, 30)).astype(float)  # with ties
    ranks = Ranks()(x)
    unit = ranks / np.linalg.norm(ranks, axis=1, keepdims=True)
    assert unit @ unit.T == pytest.approx(spearmanr(x, axis=1).statistic)
    assert not Ranks()(np.full((1, 4), 2.0)).any()


def test_the_share_of_the_variance_in_one_coordinate():
    x = np.array([[3.0, 1.0, 7.0], [-3.0, -1.0, 7.0]])
    assert top_coordinate_share(x) == pytest.approx(0.9)
    assert top_coordinate_share(x + 5) == pytest.approx(0.9)
    assert np.isnan(top_coordinate_share(np.ones((3, 2))))
