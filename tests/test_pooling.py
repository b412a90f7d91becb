import numpy as np

from embspace.pooling import POOLINGS, pool

TOKENS = np.array([[[1.0, 0.0], [3.0, 4.0], [8.0, -1.0]]], dtype=np.float32)


def test_each_pooling_by_hand():
    pooled = pool(TOKENS, None)
    assert tuple(pooled) == POOLINGS
    assert pooled["cls"].tolist() == [[1, 0]]
    assert pooled["mean"].tolist() == [[4, 1]]
    assert pooled["max"].tolist() == [[8, 4]]


def test_only_kept_tokens_count_in_mean_and_max():
    pooled = pool(TOKENS, np.array([False, True, False]))
    assert pooled["mean"].tolist() == pooled["max"].tolist() == [[3, 4]]
    assert pooled["cls"].tolist() == [[1, 0]]


def test_where_nothing_is_kept_all_tokens_count():
    assert pool(TOKENS, np.zeros(3, dtype=bool))["mean"].tolist() == [[4, 1]]
