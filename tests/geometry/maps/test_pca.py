import numpy as np
import pytest
from sklearn.decomposition import PCA

from embspace.geometry.maps.pca import principal_components
from tests.geometry.planted import noise


def test_components_are_those_of_scikit_learn_but_for_signs():
    x = noise(200, 12) * np.arange(1, 13)
    ours, theirs = principal_components(x, n_components=3), PCA(n_components=3)
    coordinates = theirs.fit_transform(x.astype(float))
    assert np.abs(ours.coordinates) == pytest.approx(np.abs(coordinates), abs=1e-8)
    assert ours.explained_variance == pytest.approx(theirs.explained_variance_ratio_)


def test_signs_are_fixed_whatever_the_order_of_the_rows():
    x = noise(50, 6)
    order = np.random.default_rng(0).permutation(50)
    here, there = (principal_components(rows, n_components=4) for rows in (x, x[order]))
    assert here.axes == pytest.approx(there.axes, abs=1e-9)
    assert here.coordinates[order] == pytest.approx(there.coordinates, abs=1e-9)
    largest = np.take_along_axis(here.axes, np.abs(here.axes).argmax(axis=1)[:, None], axis=1)
    assert (largest > 0).all()


def test_a_shift_of_all_rows_changes_nothing():
    x = noise(50, 6).astype(float)
    there = principal_components(x + 100, n_components=2).coordinates
    assert there == pytest.approx(principal_components(x, n_components=2).coordinates, abs=1e-9)


def test_a_constant_cloud_has_no_shares():
    components = principal_components(np.ones((5, 3)), n_components=2)
    assert np.isnan(components.explained_variance).all()
    assert not components.coordinates.any()


def test_what_cannot_be_projected_is_refused():
    with pytest.raises(ValueError, match="at least 2 rows, found 1"):
        principal_components(noise(1, 3), n_components=1)
    with pytest.raises(ValueError, match="expected 1 to 3, found 4"):
        principal_components(noise(9, 3), n_components=4)


def test_as_many_components_as_there_are_rows_or_columns():
    x = np.array([[1.0, 0, 0], [0, 2, 0]])
    assert principal_components(x, n_components=2).coordinates.shape == (2, 2)
    for n_components in (0, 3):
        with pytest.raises(ValueError, match=f"expected 1 to 2, found {n_components}"):
            principal_components(x, n_components=n_components)
