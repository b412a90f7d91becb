import numpy as np
import pytest

from embspace.geometry.attention.received import received_attention
from tests.geometry.attention.heads import N, blocks, random_heads, sink, uniform


def test_uniform_attention_gives_all_the_same_for_encoders_and_decoders():
    kept = np.ones(N, bool)
    assert received_attention(uniform(), kept) == pytest.approx(np.ones(N))
    decoder = np.tril(np.ones((N, N)))
    decoder /= decoder.sum(axis=1, keepdims=True)
    assert received_attention(decoder, kept) == pytest.approx(np.ones(N))


def test_special_tokens_neither_give_nor_receive():
    """The first token receives nine tenths and the rest is even: without it nothing is uneven."""
    kept = np.arange(N) > 0
    maps = 0.9 * sink() + 0.1 * uniform()
    maps[0] = np.eye(N)[3]  # what the first token looks at counts for nothing
    received = received_attention(maps, kept)
    assert received == pytest.approx(np.ones(N - 1), rel=1e-5)


def test_planted_attention_is_that_of_its_keys_over_an_equal_share():
    maps = np.full((N, N), 0.5 / (N - 2))
    maps[:, [4, 7]] = 0.25
    received = received_attention(maps, np.ones(N, bool))
    assert received[[4, 7]] == pytest.approx([N / 4] * 2)
    assert received.mean() == pytest.approx(1)


def test_the_mean_over_tokens_is_one_for_each_head():
    maps = np.stack([*random_heads(2), blocks()])
    received = received_attention(maps, np.arange(N) % 5 > 0)
    assert received.mean(axis=-1) == pytest.approx(np.ones(3))


def test_queries_that_give_kept_tokens_nothing_give_nothing():
    assert (received_attention(sink(), np.arange(N) > 0) == 0).all()
