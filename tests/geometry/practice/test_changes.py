import numpy as np
import pytest

from embspace.clouds.layers import changed
from embspace.geometry.practice.changes import CHANGES, fitted_change


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
