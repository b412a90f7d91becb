"""`measure_related_parameters`: planted partners are related, shuffled and random ones are not."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.clouds.layers import CorpusStates
from embspace.measure.parameters.related_parameters import measure_related_parameters
from embspace.measure.parameters.vocabulary_space import VocabularySpace
from tests.analyses import settings_of
from tests.lazy import torch
from tests.measure.parameters.spaces import module_with, space_of

FEW: dict[str, Any] = {"k": 6, "n_deals": 40, "n_texts": 6, "n_tokens": 2, "n_active": 3}
FEW |= {"state_k": 5}
DECIDED_BY_SEED = ("value", "other_texts")  # of tokens that are drawn


def inputs(*, is_empty: bool) -> dict[str, Any]:
    module = None if is_empty else module_with()
    space = VocabularySpace(None, None, []) if is_empty else space_of(module)
    return {"space": space, "module": module, "corpora": {"posts": texts()}}


def measured(module: Any, corpora: dict[str, CorpusStates]) -> dict[str, Any]:
    settings = settings_of(measure_related_parameters, **FEW, related_from=0.9)
    return measure_related_parameters(space_of(module), module, corpora, **settings)


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
    [only] = table.to_dict("records")
    return only


def test_partners_that_are_equal_are_related_and_opposite_ones_in_absolute_terms_alone():
    module = with_equal_partners()
    pairs = measured(module, {})["pairs"]
    for measure in ("jaccard_signed", "jaccard_absolute", "share_related"):
        same = row(pairs, layer=1, pair="key_value", measure=measure)
        assert same["value"] == 1 and same["p_value"] == 1 / 41
        assert same["shuffled_low"] < same["shuffled"] < same["shuffled_high"] < 0.3
        assert same["n_pairs"] == module.config.intermediate_size
    assert row(pairs, layer=1, pair="query_key", measure="jaccard_signed")["value"] == 0
    assert row(pairs, layer=1, pair="query_key", measure="jaccard_absolute")["value"] == 1
    random = row(pairs, layer=2, pair="key_value", measure="jaccard_signed")
    assert random["p_value"] > 0.05
    assert abs(random["value"] - random["shuffled"]) < 0.05
    assert len(pairs) == 3 * 3 * 3


def test_each_group_has_a_share_with_both_states():
    states = measured(module_with(), {"posts": texts()})["csv"]
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
    outcome = measured(module_with(), {})
    assert outcome["csv"].empty
    assert not outcome["pairs"].empty
    assert outcome["json"]["corpus"] is None
