import numpy as np
import pandas as pd
import pytest
from scipy.stats import linregress

from embspace.geometry.pairs.directions import cosine_matrix
from embspace.measure.words.homonym_statistics import (
    MEASURES,
    WordValues,
    cosine_distances,
    distances_by_layer,
    intervals,
    over_words,
    slope,
    slope_name,
    word_values,
)

# Words neither in alphabetical order nor side by side.
SENSES = pd.DataFrame(
    {
        "word": ["rat", "ant", "rat", "ant", "rat", "ant", "rat", "ant"],
        "sense": ["x", "y", "x", "z", "w", "y", "w", "z"],
    }
)


def states(n: int = 8, n_layers: int = 3, dim: int = 5, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(2, n_layers, n, dim))


def values_of(own: np.ndarray, n_draws: int = 4) -> WordValues:
    bags = np.random.default_rng(5).integers(0, 3, size=(own.shape[2], 6)) + 1.0
    return word_values(
        own, own[..., ::-1] + 1, bags, SENSES, n_draws=n_draws, generator=np.random.default_rng(1)
    )


def test_each_word_has_its_own_values_whatever_the_order_of_the_rows():
    own = states()
    values = values_of(own)
    assert values.within.shape == (2, 5, 2, 3, 3)
    for word, pairs in enumerate([((0, 2), (4, 6)), ((1, 5), (3, 7))]):
        expected = [np.linalg.norm(own[1, 2, i] - own[1, 2, j]) for i, j in pairs]
        assert values.within[word, 0, 1, 2, 2] == pytest.approx(np.mean(expected))
    pairs = [(i, j) for i in (0, 2, 4, 6) for j in (1, 3, 5, 7)]
    expected = [np.linalg.norm(own[0, 1, i] - own[0, 1, j]) for i, j in pairs]
    assert values.between_words[0, 1, 0, 1, 2] == pytest.approx(np.mean(expected))


def test_measures_are_those_that_their_names_say():
    own = states()
    distances = distances_by_layer(own)
    x = own[1, 2]
    assert MEASURES == (("raw", "cosine"), ("centered", "cosine"), ("raw", "euclidean_distance"))
    assert np.allclose(distances[1, 2, 0], 1 - cosine_matrix(x))
    assert np.allclose(distances[1, 2, 1], 1 - cosine_matrix(x - x.mean(axis=0)))
    assert distances[1, 2, 2][0, 1] == pytest.approx(np.linalg.norm(x[0] - x[1]))


def test_equal_rows_are_at_no_distance_at_all():
    x = np.random.default_rng(0).normal(size=(1, 300)).repeat(4, axis=0)
    assert (cosine_distances(x) == 0).all()


def test_a_mean_that_is_taken_away_changes_centered_cosines_and_distances_not_at_all():
    own = states()
    moved = distances_by_layer(own + 10)
    assert np.allclose(moved[:, :, 1:], distances_by_layer(own)[:, :, 1:])
    assert not np.allclose(moved[:, :, 0], distances_by_layer(own)[:, :, 0], atol=0.1)


def test_a_rotation_changes_nothing():
    own = states()
    rotation = np.linalg.qr(np.random.default_rng(7).normal(size=(5, 5)))[0]
    here, there = (distances_by_layer(x) for x in (own, own @ rotation))
    assert np.allclose(here, there)


def test_ratios_are_of_the_means_and_the_yardstick_is_that_of_different_words():
    values = values_of(states())
    means = over_words(values, np.arange(2))
    within, between = values.within.mean(axis=0), values.between.mean(axis=0)
    assert np.allclose(means["ratio"], between / within)
    yardstick = values.between_words[0, 1]
    assert np.allclose(means["between_words"], yardstick)
    assert np.allclose(means["relative_difference"], (between - within) / yardstick)
    assert np.allclose(means["share_apart"], (values.between > values.within).mean(axis=0))
    gain = values.accuracy - values.bag_of_words_accuracy
    assert np.allclose(means["bag_of_words_gain"], gain.mean(axis=0))
    gain = values.accuracy - values.context_accuracy
    assert np.allclose(means["context_gain"], gain.mean(axis=0))


def test_scaled_states_have_the_same_ratios_and_relative_differences():
    here, there = (over_words(values_of(x), np.arange(2)) for x in (states(), 7 * states()))
    for name in ("ratio", "relative_difference", "accuracy", "share_apart"):
        assert np.allclose(here[name], there[name])
    assert np.allclose(here["difference"][..., 2] * 7, there["difference"][..., 2])


@pytest.mark.parametrize("first", [0, 1])
def test_slopes_are_those_of_a_library(first: int):
    means = over_words(values_of(states(n_layers=5)), np.arange(2))
    by_layer = means["ratio"][3, 1, first:, 2]
    expected = linregress(np.arange(first, 5), by_layer).slope
    assert means[slope_name("ratio", first)][3, 1, 0, 2] == pytest.approx(expected)


def test_one_layer_has_no_slope():
    assert np.isnan(slope(np.ones((2, 2, 1, 3)))).all()
    assert slope(np.ones((2, 2, 0, 3))).shape == (2, 2, 1, 3)


def test_two_layers_are_enough_for_a_slope():
    values = states(n_layers=2).transpose(0, 2, 1, 3)
    assert slope(values)[..., 0, :] == pytest.approx(values[..., 1, :] - values[..., 0, :])


def test_one_draw_is_enough():
    assert values_of(states(), n_draws=1).within.shape == (2, 2, 2, 3, 3)


def test_one_word_has_no_yardstick():
    means = over_words(values_of(states()), np.array([1]))
    assert np.isnan(means["between_words"]).all()
    assert np.isnan(means["relative_difference"]).all()
    assert not np.isnan(means["difference"]).any()


def test_intervals_hold_the_true_senses_alone_and_have_every_quantity():
    n_words = 12
    rng = np.random.default_rng(3)
    within = rng.normal(5, 1, size=(n_words, 3, 2, 2, 3))
    shuffled = within.copy()
    shuffled[:, 1:] += 100
    values = WordValues(
        within=within,
        between=shuffled + 1,
        between_words=np.full((n_words, n_words, 2, 2, 3), 4.0),
        accuracy=np.full_like(within, 0.5),
        context_accuracy=np.full_like(within, 0.25),
        bag_of_words_accuracy=np.full((n_words, 3, 1, 1, 1), 0.75),
    )
    low, high, deviations = intervals(values, n_resamples=50, level=0.9, generator=rng)
    whole = over_words(values.as_they_are(), np.arange(n_words))
    assert low.keys() == high.keys() == deviations.keys() == whole.keys()
    for name, x in whole.items():
        assert low[name].shape == x.shape == (1, *x.shape[1:])
        assert deviations[name].shape == (50, *x.shape[1:])
    assert np.allclose([low["difference"], high["difference"]], 1)
    assert np.allclose([low["relative_difference"], high["relative_difference"]], 0.25)
    assert (low["within"] < whole["within"]).all()
    assert (whole["within"] < high["within"]).all()
    assert np.allclose(low["bag_of_words_gain"], -0.25)
