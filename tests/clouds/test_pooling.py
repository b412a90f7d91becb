import numpy as np

from embspace.clouds.pooling import POOLINGS, TOKEN_POOLINGS, pool, pooled


def test_each_pooling_by_hand():
    tokens = np.array([[[1.0, 0.0], [3.0, 4.0], [8.0, -1.0]]], dtype=np.float32)
    pooled = pool(tokens)
    assert tuple(pooled) == POOLINGS
    assert pooled["cls"].tolist() == [[1, 0]]
    assert pooled["mean"].tolist() == [[4, 1]]
    assert pooled["max"].tolist() == [[8, 4]]


def test_the_mean_of_many_tokens_loses_nothing_to_float32():
    tokens = np.full((1, 100_000, 1), 0.1, dtype=np.float32)
    assert pool(tokens)["mean"][0, 0] == np.float32(0.1)


def test_more_poolings_by_hand():
    tokens = np.array([[[1.0, 0.0], [3.0, 4.0], [8.0, -1.0]]], dtype=np.float32)
    made = pool(tokens, TOKEN_POOLINGS)
    assert tuple(made) == TOKEN_POOLINGS
    assert made["last"].tolist() == [[8, -1]]
    assert np.allclose(made["weightedmean"], [[31 / 6, 5 / 6]])
    assert np.allclose(made["mean_sqrt_len_tokens"], [[12 / 3**0.5, 3 / 3**0.5]])


def test_weights_count_the_tokens_that_were_left_out():
    tokens = np.array([[[3.0, 4.0], [8.0, -1.0]]], dtype=np.float32)
    assert np.allclose(pooled(tokens, "weightedmean", 1), [[30 / 5, 5 / 5]])
    assert pooled(tokens, "mean", 1).tolist() == [[5.5, 1.5]]
