"""`related_states`: activated units and their words, token by token."""

import numpy as np

from embspace.measure.parameters.related_states import (
    _largest,
    _tokens_of_other_texts,
    related_states,
    text_tokens,
)
from embspace.models.stream.rebuild import rebuild_stream
from tests.measure.parameters.spaces import module_with, space_of
from tests.measure.parameters.test_related_parameters import texts


def top(vector: np.ndarray, embedding: np.ndarray, k: int) -> set[int]:
    return set(np.argsort(-(embedding @ vector))[:k].tolist())


def test_it_is_the_share_of_the_states_words_that_an_activated_vector_names():
    module = module_with()
    parameters = space_of(module).parameters
    assert parameters is not None
    ids = np.array([2, 9, 17, 30, 3])
    texts, rng = [ids, ids[::-1].copy()], np.random.default_rng(0)
    related = related_states(module, parameters, texts, n_tokens=5, n_active=2, k=4, rng=rng)
    assert related.text.tolist() == [0] * 5 + [1] * 5
    embedding = parameters.output_embedding
    for stream in rebuild_stream(module, ids[None], np.ones((1, 5), int)):
        layer = parameters.layers[stream.layer - 1]
        block = module.encoder.layer[stream.layer - 1]
        units = block.intermediate.dense(stream.mlp_input)[0].detach().numpy()
        heads = stream.concatenation[0].numpy()
        state = stream.output[0].numpy()
        sources = {
            "feed_forward_key": (units, layer.ff_keys["key"]),
            "feed_forward_value": (units, layer.ff_values),
            "attention_value": (heads, layer.value),
            "attention_output": (heads, layer.output),
        }
        for group, (activity, vectors) in sources.items():
            for token in range(5):
                active = np.argsort(-activity[token])[:2]
                named = set().union(*(top(vectors[unit], embedding, 4) for unit in active))
                expected = len(top(state[token], embedding, 4) & named) / 4
                assert related.shares[stream.layer, group, "layer"][token] == expected


def test_one_window_of_a_document_is_read():
    assert text_tokens({}, "posts", 3) == []
    chosen = text_tokens({"posts": texts()}, "posts", 3)
    assert [len(ids) for ids in chosen] == [8, 8, 8]


def test_chance_takes_a_state_of_another_text():
    text = np.array([0, 0, 1, 2, 2])
    for seed in range(20):
        other = _tokens_of_other_texts(text, np.random.default_rng(seed))
        assert (text[other] != text).all()
    alone = _tokens_of_other_texts(np.zeros(4, dtype=int), np.random.default_rng(0))
    assert set(alone) <= {0, 1, 2, 3}


def test_the_largest_come_first_and_of_equal_ones_the_first():
    assert _largest(np.array([[1.0, 3, 2, 3], [0, 0, 0, 1]]), 2).tolist() == [[1, 3], [3, 0]]
