from typing import Any

import numpy as np
import pytest

from embspace.measure.blocks.text_streams import (
    chosen_corpus,
    chosen_texts,
    estimate_row,
    text_streams,
)
from embspace.models.final_norm import layer_states
from tests.lazy import torch
from tests.measure.layer_corpora import LENGTH, corpus
from tests.models.stream.tiny import tiny

CORPORA = {"posts": corpus(5), "articles": corpus(9)}


def test_the_corpus_asked_for_or_the_largest():
    assert chosen_corpus(CORPORA, "posts") == "posts"
    assert chosen_corpus(CORPORA, "unknown") == "articles"
    assert chosen_corpus({}, "posts") is None
    assert chosen_corpus({"posts": corpus(0)}, "posts") is None


def test_a_text_is_the_first_window_of_a_document():
    texts = chosen_texts(CORPORA, "articles", 100).tokens
    tokens = CORPORA["articles"].tokens
    facts = {"corpus": "articles", "n_texts": 9, "n_tokens": 9 * LENGTH}
    assert chosen_texts(CORPORA, "articles", 100).facts == facts
    for document, ids in enumerate(texts):
        assert ids.tolist() == tokens.query(f"window == {2 * document}")["id"].tolist()


def test_few_texts_lie_evenly_over_the_corpus():
    texts = chosen_texts(CORPORA, "articles", 3).tokens
    every = chosen_texts(CORPORA, "articles", 100).tokens
    assert [ids.tolist() for ids in texts] == [every[at].tolist() for at in (0, 4, 8)]


def test_a_window_of_one_token_is_left_out():
    short = corpus(4)
    single = short.tokens[(short.tokens["window"] > 1) | (short.tokens["position"] == 0)]
    short = type(short)(short.states, short.document, single)
    assert [len(ids) for ids in chosen_texts({"short": short}, "short", 9).tokens] == [LENGTH] * 3


def test_every_number_of_a_row():
    columns = ["value", "low", "high"]
    random = [f"random_weights_{end}" for end in ("mean", "smallest", "largest")]
    row = estimate_row(2, 0.5, 3, np.array([1.0, 2, 6]))
    assert row == dict(zip([*columns, *random], [2, 0.5, 3, 3, 1, 6], strict=True))
    assert estimate_row(5, 4, 6, np.array([])) == {"value": 5, "low": 4, "high": 6}


@pytest.mark.parametrize("model_type", ["bert", "gpt2"])
def test_each_text_is_read_without_the_others(model_type: str):
    module: Any = tiny(model_type)
    texts = [np.arange(5, 5 + n) for n in (4, 11, 1, 7)]
    streams = list(text_streams(module, texts, 22, "cpu"))
    assert {number for number, _ in streams} == {0, 1, 2, 3}
    assert len(streams) == 4 * 3
    norm = {"gpt2": "ln_f"}.get(model_type)
    for number, stream in streams:
        ids = torch.from_numpy(texts[number])[None]
        expected = layer_states(module, ids, torch.ones_like(ids), norm).layers[stream.layer, 0]
        assert torch.allclose(stream.output, expected, atol=1e-5)
        assert stream.attention.shape == (4, len(texts[number]), len(texts[number]))
