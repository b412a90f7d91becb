import numpy as np
import pytest

from embspace.geometry.measures.effective_numbers import effective_number
from embspace.geometry.measures.spectrum import covariance_eigenvalues
from embspace.geometry.pairs.group_pairs import GroupedVectors
from embspace.measure.texts.text_cloud_shapes import (
    central,
    null_spectral_numbers,
    participation_at,
    participation_ratio_of_rows,
    principal_axes,
    spectral_numbers,
    spectrum_table,
)

SHARES = [0.5, 0.9]


def cloud(x: np.ndarray, groups: np.ndarray | None = None) -> GroupedVectors:
    numbers = np.arange(len(x)) if groups is None else groups
    return GroupedVectors.of(x, numbers, numbers)


@pytest.mark.parametrize("n", [5, 40])
def test_axes_carry_the_variances(n: int):
    x = cloud(np.random.default_rng(0).normal(size=(n, 8)) * np.arange(1, 9))
    values, axes = principal_axes(x)
    assert values == pytest.approx(covariance_eigenvalues(x.vectors), abs=1e-9)
    assert (values[n - 1 :] == 0).all()
    assert (x.centered @ axes).var(axis=0) == pytest.approx(values, abs=1e-9)


def test_spectral_numbers_by_hand():
    numbers = spectral_numbers(np.array([6.0, 3.0, 1.0, 0.0]), SHARES)
    assert numbers["top_variance_share"] == pytest.approx(0.6)
    assert numbers["participation_ratio"] == pytest.approx(100 / 46)
    assert numbers["n_components_0.5"] == 1
    assert numbers["n_components_0.9"] == 2


def test_nothing_that_varies_has_no_shape():
    assert np.isnan(list(spectral_numbers(np.zeros(4), SHARES).values())).all()
    assert np.isnan(participation_ratio_of_rows(np.ones((3, 2))))


def test_the_null_holds_for_data_made_from_it_and_not_for_others():
    rng = np.random.default_rng(1)
    null = null_spectral_numbers(120, 30, SHARES, n_draws=100, level=0.9, rng=rng)
    inside = 0
    for _ in range(60):
        numbers = spectral_numbers(principal_axes(cloud(rng.normal(size=(120, 30))))[0], SHARES)
        name = "participation_ratio"
        inside += null[f"null_{name}_low"] <= numbers[name] <= null[f"null_{name}_high"]
    assert 46 <= inside <= 60  # nine tenths, standard error 2.3
    stretched = rng.normal(size=(120, 30)) * np.linspace(0.2, 3, 30)
    numbers = spectral_numbers(principal_axes(cloud(stretched))[0], SHARES)
    assert numbers["participation_ratio"] < null["null_participation_ratio_low"]
    assert numbers["top_variance_share"] > null["null_top_variance_share_high"]


def test_the_ratio_from_products_is_that_of_the_eigenvalues():
    x = np.random.default_rng(2).normal(size=(7, 20)) * np.arange(20) + 3
    expected = effective_number(covariance_eigenvalues(x))
    assert participation_ratio_of_rows(x) == pytest.approx(expected)


def test_equal_n_takes_one_vector_of_each_document():
    # Two documents of equal vectors, far apart: any two of them lie on one line.
    x = cloud(np.repeat([[0.0, 0, 0], [5, 1, 2]], 4, axis=0), np.repeat([0, 1], 4))
    row = participation_at(x, 2, n_draws=10, level=0.9, rng=np.random.default_rng(0))
    assert row["equal_n"] == 2
    assert row["equal_n_participation_ratio"] == pytest.approx(1)


def test_equal_n_makes_samples_of_one_population_comparable():
    rng = np.random.default_rng(3)
    few, many = cloud(rng.normal(size=(30, 40))), cloud(rng.normal(size=(900, 40)))
    at = [participation_at(x, 30, n_draws=20, level=0.9, rng=rng) for x in (few, many)]
    name = "equal_n_participation_ratio"
    assert at[0][name] == pytest.approx(at[1][name], rel=0.1)
    assert participation_ratio_of_rows(many.centered) > 1.5 * at[1][name]


def test_central_part_of_draws():
    row = central("x", np.arange(101.0), 0.9)
    assert row == pytest.approx({"x": 50, "x_low": 5, "x_high": 95})


def test_few_vectors_say_so():
    rng = np.random.default_rng(4)
    clouds = {"few": cloud(rng.normal(size=(9, 2))), "many": cloud(rng.normal(size=(10, 2)))}
    axes = {name: principal_axes(x) for name, x in clouds.items()}
    table = spectrum_table(
        clouds,
        axes,
        {"few": {"null_participation_ratio": 1.0}, "many": {"null_participation_ratio": 2.0}},
        equal_n=9,
        shares=SHARES,
        vectors_per_dimension=5.0,
        n_draws=3,
        level=0.9,
        rng=rng,
    )
    assert table["few_vectors"].tolist() == [True, False]
    assert table["null_participation_ratio"].tolist() == [1, 2]
    assert table["dim"].tolist() == [2, 2]


def test_the_ratio_of_a_tiny_cloud_is_that_of_its_shape():
    assert participation_ratio_of_rows(np.array([[0.0, 0], [0.1, 0]])) == pytest.approx(1)
    corners = 0.01 * np.array([[1.0, 1], [-1, 1], [1, -1], [-1, -1]])
    assert participation_ratio_of_rows(corners) == pytest.approx(2)
