import numpy as np
import pytest

from embspace.geometry.attention.blocks import two_blocks
from tests.geometry.attention.heads import band, blocks, previous, random_heads, sink, uniform

ALL = np.ones((24, 24), bool)


def test_two_equal_blocks_have_half_and_keep_a_good_part_beyond_their_offsets():
    split = two_blocks(blocks(), ALL)
    assert split.score == pytest.approx(0.5)
    assert split.excess > 0.2


@pytest.mark.parametrize("head", [uniform(), sink()])
def test_uniform_attention_and_a_sink_have_no_blocks(head: np.ndarray):
    split = two_blocks(head, ALL)
    assert split.score == pytest.approx(0, abs=2e-3)
    assert split.excess < 0.03


@pytest.mark.parametrize("head", [previous(), band()])
def test_a_band_has_blocks_by_its_offsets_alone(head: np.ndarray):
    split = two_blocks(head, ALL)
    assert split.score > 0.3
    assert split.excess == pytest.approx(0, abs=0.02)


def test_it_is_the_modularity_of_the_best_cut_as_networkx_would_have_it():
    (head,) = random_heads(1, 6)
    weights = (head.astype(float) + head.T) / 2
    total = weights.sum()
    best = -np.inf
    for cut in range(1, 6):
        part = np.arange(6) < cut
        same = part[:, None] == part
        expected = weights.sum(axis=1)[:, None] * weights.sum(axis=0) / total
        best = max(best, ((weights - expected) * same).sum() / total)
    assert two_blocks(head, ALL[:6, :6]).score == pytest.approx(best)


def test_one_token_has_none():
    assert np.isnan(two_blocks(np.ones((2, 1, 1)), ALL[:1, :1]).score).all()


def test_a_mask_that_hides_later_tokens_makes_no_blocks_by_itself():
    visible = np.tri(24, dtype=bool)
    uniform_head = visible / visible.sum(axis=1, keepdims=True)
    assert two_blocks(uniform_head, ALL).score > 0.1
    split = two_blocks(uniform_head, visible)
    assert split.score == pytest.approx(0)
    assert split.excess == pytest.approx(0)
    causal_blocks = blocks() * visible
    causal_blocks /= causal_blocks.sum(axis=1, keepdims=True)
    assert two_blocks(causal_blocks, visible).score > 0.3
