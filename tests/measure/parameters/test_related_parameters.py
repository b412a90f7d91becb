"""`measure_related_parameters`: planted partners are related, shuffled and random ones are not."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.clouds.layers import CorpusStates
from embspace.measure.parameters.related_parameters import measure_related_parameters
from embspace.measure.parameters.vocabulary_space import VocabularySpace
from tests.lazy import torch
from tests.measure.parameters.spaces import module_with, space_of

SETTINGS: dict[str, Any] = {
    "k": 6,
    "related_from": 0.9,
    "n_deals": 40,
    "corpus": "posts",
    "n_texts": 6,
    "n_tokens": 2,
    "n_active": 3,
    "state_k": 5,
    "n_half_samples": 20,
    "level": 0.9,
    "seed": 0,
}


def texts() -> CorpusStates:
    rng = np.random.default_rng(1)
    tokens = pd.DataFrame({"window": np.repeat(np.arange(6), 8), "id": rng.integers(5, 60, 48)})
    x = rng.normal(size=(4, 48, 24)).astype(np.float32)
    return CorpusStates({"token": x, "mean": x[:, :6]}, np.arange(6), tokens)


def with_equal_partners() -> Any:
    module = module_with()
    with torch.no_grad():
        block = module.encoder.layer[0]
        block.output.dense.weight.copy_(block.intermediate.dense.weight.T)
        block.attention.self.key.weight.copy_(-block.attention.self.query.weight)
    return module


def row(table: pd.DataFrame, **of: Any) -> dict[str, Any]:
    for column, value in of.items():
        table = table[table[column] == value]
    [found] = table.to_dict("records")
    return found


def test_partners_that_are_equal_are_related_and_opposite_ones_in_absolute_terms_alone():
    module = with_equal_partners()
    found = measure_related_parameters(space_of(module), module, {}, **SETTINGS).pairs
    for measure in ("jaccard_signed", "jaccard_absolute", "share_related"):
        same = row(found, layer=1, pair="key_value", measure=measure)
        assert same["value"] == 1 and same["p_value"] == 1 / 41
        assert same["shuffled_low"] < same["shuffled"] < same["shuffled_high"] < 0.3
        assert same["n_pairs"] == module.config.intermediate_size
    assert row(found, layer=1, pair="query_key", measure="jaccard_signed")["value"] == 0
    assert row(found, layer=1, pair="query_key", measure="jaccard_absolute")["value"] == 1
    random = row(found, layer=2, pair="key_value", measure="jaccard_signed")
    assert random["p_value"] > 0.05
    assert abs(random["value"] - random["shuffled"]) < 0.05
    assert len(found) == 3 * 3 * 3


def test_each_group_has_a_share_with_both_states():
    module = module_with()
    found = measure_related_parameters(space_of(module), module, {"posts": texts()}, **SETTINGS)
    states = found.states
    groups = {"feed_forward_key", "feed_forward_value", "attention_value", "attention_output"}
    assert set(states["group"]) == groups
    assert len(states) == 3 * 4 * 2
    assert (states["n_texts"] == 6).all()
    assert (states["n_tokens"] == 12).all()
    assert states["value"].between(0, 1).all()
    last = states[states["layer"] == 3]
    both = last.pivot_table(index="group", columns="state", values="value")
    assert both["layer"].tolist() == pytest.approx(both["final"].tolist())


def test_without_the_corpus_there_are_pairs_alone():
    module = module_with()
    found = measure_related_parameters(space_of(module), module, {}, **SETTINGS)
    assert found.states.empty
    assert not found.pairs.empty
    assert found.facts["corpus"] is None


def test_an_architecture_that_is_not_known_has_empty_tables():
    found = measure_related_parameters(VocabularySpace(None, None, []), None, {}, **SETTINGS)
    assert found.pairs.empty
    assert found.states.empty
    assert found.facts == {"known": False, "architecture": None}
