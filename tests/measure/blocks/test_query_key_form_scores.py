import numpy as np
import pytest

from embspace.measure.blocks.query_key_form_scores import (
    Inference,
    attention_inputs,
    has_rotary_positions,
    read_tokens,
    share_rows,
)
from embspace.models.stream.head_weights import head_weights
from embspace.models.stream.rebuild import rebuild_stream
from tests.lazy import torch
from tests.measure.layer_corpora import LENGTH, corpus
from tests.models.stream.tiny import tiny

CORPORA = {"posts": corpus(8), "articles": corpus(9, seed=1)}


def test_documents_at_equal_distances_are_read_without_what_windows_repeat():
    read = read_tokens(CORPORA, "posts", 4)
    assert read is not None and read.corpus == "posts"
    assert len(read.windows) == 8  # two of each document
    assert set(read.text) == {0, 1, 2, 3}
    assert sum(is_kept.sum() for is_kept in read.kept) == len(read.text) < 8 * LENGTH


def test_without_the_corpus_the_largest_is_read_and_without_any_none():
    read = read_tokens(CORPORA, "unknown", 100)
    assert read is not None and read.corpus == "articles"
    assert len(np.unique(read.text)) == 9
    assert read_tokens({}, "posts", 4) is None


@pytest.mark.parametrize("model_type", ["bert", "gpt2"])
def test_inputs_are_what_attention_reads_in_whatever_batches(model_type: str):
    module, read = tiny(model_type), read_tokens(CORPORA, "posts", 4)
    assert read is not None
    inputs = attention_inputs(module, read, 1000, "cpu")
    one_by_one = attention_inputs(module, read, 1, "cpu")
    assert len(inputs) == 3
    for layer, x in enumerate(inputs):
        assert x == pytest.approx(one_by_one[layer], abs=1e-5)
        ids = torch.tensor(read.windows[1][None].tolist())
        stream = list(rebuild_stream(module, ids, torch.ones_like(ids)))[layer]
        first = read.kept[0].sum()
        states = x[first : first + read.kept[1].sum()]
        expected = stream.attention_input[0].numpy()[read.kept[1]]
        assert states == pytest.approx(expected, abs=1e-5)


def test_shares_are_those_of_the_scores_of_one_head():
    module, read = tiny("bert"), read_tokens(CORPORA, "posts", 4)
    assert read is not None
    torch.manual_seed(0)
    with torch.no_grad():
        for layer in module.encoder.layer:
            layer.attention.self.query.bias.normal_(std=0.1)
    weights = head_weights(module)
    rows = share_rows(module, weights, read, 1000, "cpu", Inference(8, 0.9, 0))
    x = attention_inputs(module, read, 1000, "cpu")[1].astype(np.float64)
    [row] = [row for row in rows if (row["layer"], row["head"]) == (2, 3)]
    query, key, bias = (
        weight[2].double().numpy()
        for weight in (weights[1].query, weights[1].key, weights[1].query_bias)
    )
    scores = (x @ query.T + bias) @ (x @ key.T).T
    total = scores.var(axis=1).mean()
    assert row["key_only_share"] == pytest.approx((x @ key.T @ bias).var() / total, rel=1e-4)
    assert row["mean_query_share"] == pytest.approx(scores.mean(axis=0).var() / total, rel=1e-4)
    assert row["key_only_share_low"] < row["key_only_share_high"]
    alone = share_rows(module, weights, read, 1000, "cpu", None)
    assert "key_only_share_low" not in alone[0]
    assert alone[0]["key_only_share"] == pytest.approx(rows[0]["key_only_share"])


def test_positions_that_turn_queries_leave_no_term_of_the_key_alone():
    for model_type, is_rotary in (("llama", True), ("modernbert", True), ("bert", False)):
        assert has_rotary_positions(tiny(model_type)) is is_rotary
    module = tiny("llama")
    rows = share_rows(
        module, head_weights(module), read_tokens(CORPORA, "posts", 4), 99, "cpu", None
    )
    assert len(rows) == 12
    assert np.isnan([row["key_only_share"] for row in rows]).all()
