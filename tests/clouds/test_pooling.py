import numpy as np

from embspace.clouds.pooling import POOLINGS, pool


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
