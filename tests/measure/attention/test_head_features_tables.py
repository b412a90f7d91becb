import numpy as np
import pytest

from embspace.measure.attention.head_features_names import ALL_FEATURES
from embspace.measure.attention.head_features_tables import (
    divergence_table,
    draw_halves,
    estimates,
    heads_table,
    offsets_table,
    plane_table,
)
from embspace.measure.attention.head_features_texts import FeaturesOfTexts

N_TEXTS, SHAPE = 10, (2, 3, len(ALL_FEATURES))
RNG = np.random.default_rng(0)
VALUES = RNG.random((N_TEXTS, *SHAPE))
HALVES = draw_halves(N_TEXTS, 300, np.random.default_rng(1))


def test_a_half_has_half_of_the_texts_and_few_texts_have_none():
    assert HALVES.shape == (300, 5)
    assert all(len(set(half)) == 5 for half in HALVES)
    assert draw_halves(3, 300, RNG).shape == (0, 1)


def test_means_are_over_the_texts_that_have_a_value():
    values = VALUES.copy()
    values[:4, ..., 0] = np.nan
    values[..., 1] = np.nan
    estimated = estimates(values, [], HALVES)
    assert estimated.n_texts[:3].tolist() == [6, 0, N_TEXTS]
    np.testing.assert_allclose(estimated.whole[..., 0], values[4:, ..., 0].mean(axis=0))
    assert np.isnan(estimated.whole[..., 1]).all()
    assert estimated.random.shape == (0, *SHAPE)


def test_the_interval_is_about_as_wide_as_that_of_a_mean():
    table = heads_table(*[estimates(VALUES, [VALUES], HALVES)] * 2, N_TEXTS, 0.95)
    error = VALUES.std(axis=0, ddof=1) / np.sqrt(N_TEXTS)
    width = (table["value_high"] - table["value_low"]).mean()
    assert width == pytest.approx(2 * 1.96 * error.mean(), rel=0.15)


def test_values_without_the_first_key_stand_beside_those_with_it():
    with_key, rest = (estimates(x, [x], HALVES) for x in (VALUES, VALUES / 2))
    table = heads_table(with_key, rest, N_TEXTS, 0.95)
    for column in ("value", "value_low", "value_high", "random_weights"):
        np.testing.assert_allclose(table[f"{column}_without_first_key"], table[column] / 2)


def test_random_weights_are_those_of_all_heads_of_a_layer_and_all_seeds():
    random = [np.full((2, *SHAPE), constant) for constant in (0.0, 1.0)]
    random[0][:, 0, 1] = 0.5
    table = heads_table(*[estimates(VALUES, random, HALVES)] * 2, N_TEXTS, 0.95)
    by_layer = table.groupby("layer")["random_weights"].unique()
    assert by_layer[1] == pytest.approx([(0 + 0.5 + 0 + 3) / 6])
    assert by_layer[2] == pytest.approx([0.5])
    assert (table["random_weights_low"] < 0.1).all()
    assert (table["random_weights_high"] > 0.9).all()


def test_offsets_are_counted_from_the_query():
    table = offsets_table(estimates(VALUES[..., :5], [], HALVES), N_TEXTS, 0.95)
    assert sorted(set(table["offset"])) == [-2, -1, 0, 1, 2]
    row = table[(table["layer"] == 1) & (table["head"] == 2) & (table["offset"] == -1)]
    assert row["mass"].item() == pytest.approx(VALUES[:, 0, 1, 1].mean())


def divergent_texts(own: float, others: float) -> FeaturesOfTexts:
    by_layer = np.full((N_TEXTS, 2, 2), [own, others]) + RNG.normal(
        scale=0.01, size=(N_TEXTS, 2, 1)
    )
    return FeaturesOfTexts(VALUES, VALUES[..., :5], np.zeros((6, 6)), by_layer, VALUES)


def test_a_difference_over_the_same_texts_has_no_width_where_both_move_alike():
    table = divergence_table(divergent_texts(0.2, 0.5), [divergent_texts(0.1, 0.1)], HALVES, 0.95)
    assert table["layer"].tolist()[:3] == [1, 1, 1]
    whole = table[table["layer"].isna()].set_index("compared_with")
    assert whole.loc["same_layer", "divergence"] == pytest.approx(0.2, abs=0.02)
    assert whole.loc[
        "difference", ["divergence", "divergence_low", "divergence_high"]
    ].tolist() == (pytest.approx([0.3] * 3))
    assert whole.loc["difference", "random_weights"] == pytest.approx(0)


def test_heads_are_named_by_layer_and_number():
    divergences = np.ones((4, 4)) - np.eye(4)
    divergences[1, 2] = divergences[2, 1] = 0.1
    table = plane_table(divergences, 2)
    assert table[["layer", "head"]].to_numpy().tolist() == [[1, 1], [1, 2], [2, 1], [2, 2]]
    assert table.loc[1, ["nearest_layer", "nearest_head"]].tolist() == [2, 1]
    assert table["nearest_divergence"].min() == pytest.approx(0.1)
    assert plane_table(np.zeros((1, 1)), 1).empty
    assert plane_table(np.full((4, 4), np.nan), 2).empty


def test_every_number_of_the_offsets():
    values = np.tile(np.arange(1.0, 7).reshape(2, 1, 3), (4, 1, 1, 1))  # text, layer, head, offset
    random = [np.full((1, 2, 1, 3), constant) for constant in (0.0, 2.0)]
    halves = draw_halves(4, 5, np.random.default_rng(0))
    table = offsets_table(estimates(values, random, halves), 4, 0.5)
    assert table[["layer", "head", "offset"]].to_numpy().tolist() == [
        [layer, 1, offset] for layer in (1, 2) for offset in (-1, 0, 1)
    ]
    for column in ("mass", "mass_low", "mass_high"):  # all texts are alike, so that all halves are
        assert table[column].tolist() == [1, 2, 3, 4, 5, 6]
    null_columns = ["random_weights", "random_weights_low", "random_weights_high"]
    assert (table[null_columns] == [1, 0.5, 1.5]).all(axis=None)
    assert (table["n_texts"] == 4).all() and (table["level"] == 0.5).all()


def test_every_number_of_the_divergences():
    by_layer = np.tile([[0.1, 0.4], [0.3, 0.2]], (4, 1, 1))
    null = [np.tile([[0.0, divergence], [divergence, 0.0]], (4, 1, 1)) for divergence in (1.0, 3.0)]
    x, heads = VALUES[:4], np.zeros((6, 6))
    trained, *random = (
        FeaturesOfTexts(x, x, heads, divergences, x) for divergences in (by_layer, *null)
    )
    halves = draw_halves(4, 5, np.random.default_rng(0))
    table = divergence_table(trained, random, halves, 0.5)
    assert table["layer"].tolist()[:6] == [1, 1, 1, 2, 2, 2] and table["layer"][6:].isna().all()
    assert table["compared_with"].tolist() == ["same_layer", "other_layers", "difference"] * 3
    for column in ("divergence", "divergence_low", "divergence_high"):
        assert table[column].tolist() == pytest.approx(
            [0.1, 0.4, 0.3, 0.3, 0.2, -0.1, 0.2, 0.3, 0.1]
        )
    assert table["random_weights"].tolist() == [0, 2, 2, 2, 0, -2, 1, 1, 0]
    assert table["random_weights_smallest"].tolist() == [0, 1, 1, 1, 0, -3, 0.5, 0.5, 0]
    assert table["random_weights_largest"].tolist() == [0, 3, 3, 3, 0, -1, 1.5, 1.5, 0]
    assert (table["n_texts"] == 4).all() and (table["level"] == 0.5).all()


def test_a_plane_keeps_all_of_heads_that_lie_on_a_line():
    # The root of a divergence is a distance: 0, 1 and 3 on a line.
    places = np.array([0.0, 1, 3])
    table = plane_table(np.square(places[:, np.newaxis] - places), 3)
    assert table["plane_share"].tolist() == pytest.approx([1, 1, 1])
    assert abs(table["x"] - table["x"][0]).tolist() == pytest.approx([0, 1, 3])
    assert table["y"].tolist() == pytest.approx([0, 0, 0], abs=1e-6)
    nearest = table[["nearest_layer", "nearest_head", "nearest_divergence"]].to_numpy()
    assert nearest.tolist() == [[2, 1, 1], [1, 1, 1], [2, 1, 4]]


def test_two_heads_have_a_plane_and_each_other():
    table = plane_table(np.array([[0.0, 0.25], [0.25, 0.0]]), 1)
    nearest = table[["layer", "head", "nearest_layer", "nearest_head", "nearest_divergence"]]
    assert nearest.to_numpy().tolist() == [[1, 1, 1, 2, 0.25], [1, 2, 1, 1, 0.25]]
    assert abs(table["x"].diff()[1]) == pytest.approx(0.5)
