from __future__ import annotations

import numpy as np
import pytest

from benchmarks.relatives import (
    EXACT,
    NEAR,
    Bounded,
    Outcome,
    Values,
    block_cosines,
    key_of,
    outcome_of,
    procrustes_values,
    verdict_of,
    verdicts_table,
)
from embspace.compare.same_points import Views
from tests.lazy import torch, transformers

BLOCKS = [(small, large) for small in (1, 2, 3) for large in range(1, 7)]


def bert(n_blocks: int, seed: int) -> transformers.BertModel:
    torch.manual_seed(seed)
    return transformers.BertModel(
        transformers.BertConfig(
            vocab_size=20,
            hidden_size=16,
            num_hidden_layers=n_blocks,
            num_attention_heads=2,
            intermediate_size=32,
        )
    )


def cut(
    large: transformers.BertModel, kept: tuple[int, ...], noise: float
) -> transformers.BertModel:
    """Return a model of some blocks of another, each moved by noise as by further training."""
    small = bert(len(kept), seed=9)
    for block, number in zip(small.encoder.layer, kept, strict=True):
        block.load_state_dict(large.encoder.layer[number - 1].state_dict())
        for weight in block.parameters():
            weight.data += noise * torch.randn_like(weight)
    return small


def test_weights_tell_which_blocks_were_one():
    large = bert(6, seed=0)
    assert key_of(block_cosines(cut(large, (2, 4, 6), noise=0.005), large)) == EXACT
    assert key_of(block_cosines(bert(3, seed=1), large)) == NEAR  # nothing in common
    assert key_of(block_cosines(cut(large, (1, 4, 6), noise=0.005), large)) is None


def test_a_block_with_itself_has_a_cosine_of_one():
    assert np.diag(block_cosines(bert(2, seed=0), bert(2, seed=0))) == pytest.approx(1)


def values(best: tuple[int, int, int], half_width: float) -> Values:
    """0.9 at the best block of each, 0.5 elsewhere."""
    bounds = {}
    for small, large in BLOCKS:
        value = 0.9 if best[small - 1] == large else 0.5
        bounds[small, large] = Bounded(value, value - half_width, value + half_width)
    return bounds


@pytest.mark.parametrize(
    ("best", "half_width", "outcomes"),
    [
        ((2, 4, 6), 0.1, ["found", "found", "found"]),
        ((2, 4, 6), 0.3, ["open", "open", "open"]),  # 0.42 either way, of a difference of 0.4
        ((2, 3, 6), 0.1, ["found", "missed", "found"]),
    ],
)
def test_a_block_is_found_missed_or_open(
    best: tuple[int, int, int], half_width: float, outcomes: list[Outcome]
):
    assert [outcome_of(block, values(best, half_width), EXACT) for block in EXACT] == outcomes


def test_the_near_key_takes_either_neighbor():
    assert [outcome_of(block, values((3, 4, 6), 0.1), NEAR) for block in NEAR] == ["found"] * 3
    assert outcome_of(1, values((1, 4, 6), 0.1), NEAR) == "missed"


@pytest.mark.parametrize(
    ("by_view", "verdict"),
    [
        ([["found"] * 3, ["found", "open", "found"]], "matches"),
        ([["found"] * 3, ["found", "missed", "found"]], "depends on the view"),
        ([["missed", "found", "open"], ["open"] * 3], "differs"),
        ([["missed", "found", "found"], ["found"] * 3], "depends on the view"),
        ([["found", "open", "found"], ["missed"] * 3], "undecided"),
    ],
)
def test_the_first_view_decides(by_view: list[list[Outcome]], verdict: str):
    assert verdict_of(by_view) == verdict


def test_measures_are_ordered_by_the_blocks_that_they_find():
    table = verdicts_table(
        {"one": [values((2, 3, 6), 0.1)], "all": [values((2, 4, 6), 0.1)]}, EXACT
    )
    assert table["measure"].tolist() == ["`all`", "`one`"]
    assert table["found"].tolist() == [3, 2]
    assert table["most_like"].tolist() == ["2, 4, 6", "2, 3, 6"]
    assert table["rising"].tolist() == [True, True]


def test_procrustes_finds_planted_blocks():
    generator = np.random.default_rng(0)
    large = generator.normal(size=(7, 300, 12))
    turn = np.linalg.qr(generator.normal(size=(12, 12)))[0]
    small = np.stack([large[block] @ turn for block in (0, 2, 4, 6)])
    small += 0.3 * generator.normal(size=small.shape)
    cosines = procrustes_values(
        Views(small, large, is_sample=True), n_resamples=50, level=0.95, generator=generator
    )
    assert sorted(cosines) == BLOCKS
    assert [outcome_of(block, cosines, EXACT) for block in EXACT] == ["found"] * 3
    assert all(bounded.low < bounded.value < bounded.high for bounded in cosines.values())
