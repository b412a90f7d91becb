import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA

from embspace.errors import InputError
from embspace.geometry.groups.paths import rotated_paths
from embspace.measure.words.evolution_paths import RANDOM, TRAINED, TokenPaths
from embspace.measure.words.evolution_views import (
    View,
    path_table,
    shares_of,
    tokens_of,
    view_table,
    views_of,
)

TEXTS = pd.DataFrame({"id": ["a", "b"], "text": ["The mouse. Mouse?", "A dormouse sat"]})
# [CLS] The mouse . Mo use ? and [CLS] A dormouse sat
TOKENS = pd.DataFrame(
    [
        (0, 0, True, 0, 0),
        (0, 1, False, 0, 3),
        (0, 2, False, 4, 9),
        (0, 3, False, 9, 10),
        (0, 4, False, 11, 13),
        (0, 5, False, 13, 16),
        (0, 6, False, 16, 17),
        (1, 0, True, 0, 0),
        (1, 1, False, 0, 1),
        (1, 2, False, 2, 10),
        (1, 3, False, 11, 14),
    ],
    columns=["window", "position", "special", "start", "end"],
)
N_LAYERS, DIM = 5, 12


def noise(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def paths_of(x: np.ndarray) -> TokenPaths:
    n = x.shape[1]
    tokens = pd.DataFrame({"text": "a", "position": range(n), "id": range(n), "token": "t"})
    return TokenPaths(tokens, {TRAINED: x, RANDOM: noise(*x.shape, seed=5)})


def every(n: int, n_layers: int = N_LAYERS) -> View:
    return View("all_layers", np.arange(n), n_layers)


def test_a_word_is_found_in_all_its_tokens_and_only_whole():
    assert tokens_of("mouse", TEXTS, TOKENS).tolist() == [2, 4, 5]
    assert tokens_of("sat", TEXTS, TOKENS).tolist() == [10]
    with pytest.raises(InputError, match="'followed': no text has the word 'mo'"):
        tokens_of("mo", TEXTS, TOKENS)


def test_views_are_all_tokens_with_and_without_the_last_layer_and_those_of_words():
    views = views_of(TEXTS, TOKENS, [["mouse"], ["sat", "the"]], N_LAYERS)
    assert [view.name for view in views] == ["all_layers", "without_last", "mouse", "sat+the"]
    assert [view.n_layers for view in views] == [5, 4, 5, 5]
    assert [view.rows.tolist() for view in views[2:]] == [[2, 4, 5], [1, 10]]
    assert len(views[1].rows) == len(TOKENS)


def test_coordinates_are_those_of_a_pca_of_the_view_alone():
    paths = paths_of(noise(N_LAYERS, 7, DIM) * np.arange(1, DIM + 1))
    view = View("some", np.array([1, 4, 5]), 4)
    table = path_table(view, paths)
    assert table["position"].tolist() == [1] * 4 + [4] * 4 + [5] * 4
    assert table["layer"].tolist() == [0, 1, 2, 3] * 3
    states = paths.states[TRAINED][:4, [1, 4, 5]].swapaxes(0, 1).reshape(-1, DIM)
    expected = PCA(n_components=2).fit(states)
    coordinates = table[["component_1", "component_2"]].to_numpy()
    assert np.abs(coordinates) == pytest.approx(np.abs(expected.transform(states)), abs=1e-8)
    shares = shares_of(view.of(paths.states[TRAINED]), np.arange(3))
    assert shares[:2, 0] == pytest.approx(expected.explained_variance_ratio_)
    assert shares[2, 0] == pytest.approx(expected.explained_variance_ratio_.sum())


def test_tokens_that_move_as_one_share_all():
    common = np.arange(N_LAYERS)[:, None, None] * np.eye(DIM)[0]
    x = np.repeat(common, 6, axis=1) + 1e-3 * noise(1, 6, DIM)
    shares = shares_of(x, np.arange(6))
    assert shares[[0, 2, 3]] == pytest.approx(1, abs=1e-4)


def null_of(x: np.ndarray, view: View, n_draws: int) -> np.ndarray:
    ids, rng = np.arange(x.shape[1]), np.random.default_rng(0)
    drawn = rotated_paths(x, ids, n_draws=n_draws, generator=rng)
    return np.stack([shares_of(view.of(states), ids) for states in drawn])


@pytest.mark.parametrize("common", [0.0, 2.0])
def test_a_common_way_stands_out_of_rotated_paths_and_their_own_ways_do_not(common: float):
    p_values = []
    for seed in range(20):
        x = noise(N_LAYERS, 8, DIM, seed=seed).cumsum(axis=0)
        x += common * np.arange(N_LAYERS)[:, None, None] * np.eye(DIM)[0]
        table = view_table(every(8), paths_of(x), null_of(x, every(8), 9), 0.95)
        p_values.append(table.set_index(["space", "quantity"])["p_value"])
    rejected = (pd.concat(p_values, axis=1) <= 0.1).mean(axis=1)
    for place in (("all", "shared_energy"), ("both", "shared_energy"), ("all", "layer_share")):
        assert rejected[place] == 1 if common else rejected[place] < 0.35


def test_what_stands_in_each_column():
    x = noise(N_LAYERS, 6, DIM)
    paths, view = paths_of(x), View("two", np.array([0, 3]), 4)
    null = np.stack([noise(4, 3, seed=seed) for seed in range(50)])
    table = view_table(view, paths, null, 0.8)
    assert len(table) == 11  # the whole space has all variance
    assert (table["n_paths"] == 2).all()
    assert (table["n_states"] == 8).all()
    row = table[(table["space"] == "both") & (table["quantity"] == "layer_share")].iloc[0]
    assert row["value"] == pytest.approx(shares_of(view.of(x), np.arange(2))[2, 1])
    random = shares_of(view.of(paths.states[RANDOM]), np.arange(2))
    assert row["random_weights_value"] == pytest.approx(random[2, 1])
    assert row["null_value"] == pytest.approx(null[:, 2, 1].mean())
    assert row["null_value_low"] == pytest.approx(np.quantile(null[:, 2, 1], 0.1))
    assert row["null_value_high"] == pytest.approx(np.quantile(null[:, 2, 1], 0.9))
    assert row["p_value"] == pytest.approx((1 + (null[:, 2, 1] >= row["value"]).sum()) / 51)


def test_a_model_of_one_block_has_views_too():
    paths = paths_of(noise(2, 4, DIM))
    views = views_of(TEXTS, TOKENS, [], 2)
    assert [view.n_layers for view in views] == [2, 1]
    shares = shares_of(every(4, 1).of(paths.states[TRAINED]), np.arange(4))
    assert shares[:, 1] == pytest.approx(0, abs=1e-12)
    assert np.isnan(shares[:, 2]).all()
