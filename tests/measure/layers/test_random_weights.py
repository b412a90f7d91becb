"""Holds the measures of random weights to what transformers makes of the same tokens."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.clouds.layers import CorpusStates
from embspace.geometry import intra_sentence_similarity, mean_cosine
from embspace.measure.layers.random_weights import COLUMNS, KINDS, measure_random_weights
from embspace.models.shuffled_weights import with_shuffled_entries
from embspace.models.weights import with_random_weights
from tests.analyses import settings_of
from tests.lazy import torch, transformers
from tests.measure.layer_corpora import LENGTH, corpus

SIZES = {"num_hidden_layers": 1, "hidden_size": 8, "num_attention_heads": 2, "vocab_size": 12}
SETTINGS: dict[str, Any] = {
    "read_corpora": ["posts", "pooled", "few", "unknown"],
    "n_seeds": 2,
    "most_layers": 13,
    "left_out": ["partition_isotropy"],
    "tokens_per_batch": 40,
    "device": "cpu",
    "seed": 5,
}
CORPORA = {
    "posts": corpus(5, dim=8),
    "pooled": corpus(4, dim=8, seed=1, with_tokens=False),
    "few": corpus(3, dim=8),
    "articles": corpus(5, dim=8, seed=2),
}


DECIDED_BY_SEED = ("value",)
FEW = {"n_seeds": 1, "read_corpora": ["posts"]}


def inputs(*, is_empty: bool) -> dict[str, Any]:
    corpora = {} if is_empty else {"posts": CORPORA["posts"]}
    return {"module": tiny_bert(), "final_norm": None, "corpora": corpora}


def measured(
    module: Any, corpora: dict[str, CorpusStates] = CORPORA, **change: Any
) -> pd.DataFrame:
    settings = settings_of(measure_random_weights, **SETTINGS | change)
    return measure_random_weights(module, None, corpora, **settings)["parquet"]


@pytest.fixture(scope="module")
def bert() -> Any:
    return tiny_bert()


@cache
def tiny_bert() -> Any:
    return transformers.BertModel(
        transformers.BertConfig(**SIZES, intermediate_size=16, max_position_embeddings=16)
    ).eval()


@pytest.fixture(scope="module")
def table(bert: Any) -> pd.DataFrame:
    return measured(bert)


def test_a_row_a_kind_seed_layer_space_and_measure(table: pd.DataFrame) -> None:
    assert list(table) == COLUMNS
    assert not table.duplicated(COLUMNS[:-2]).any()
    places = table.groupby("corpus")[["space", "layer", "null", "seed"]].agg(set)
    kinds, seeds, layers = set(KINDS), {0, 1}, {0, 1}
    assert places.loc["posts"].tolist() == [{"token", "cls", "mean"}, layers, kinds, seeds]
    assert places.loc["pooled"].tolist() == [{"cls", "mean"}, layers, kinds, seeds]
    assert set(places.index) == {"posts", "pooled"}  # few is too few, articles are not asked for
    assert "partition_isotropy" not in set(table["measure"])
    families = {"mean_cosine", "effective_rank", "self_similarity"}
    assert families < set(table["measure"])


@pytest.mark.parametrize(
    ("kind", "make"),
    [("random_initialization", with_random_weights), ("shuffled_entries", with_shuffled_entries)],
)
def test_values_are_of_the_states_that_transformers_gives(
    table: pd.DataFrame, bert: Any, kind: str, make: Any
) -> None:
    tokens = CORPORA["posts"].tokens
    kept = ~tokens["repeated"].to_numpy()
    text = CORPORA["posts"].document[tokens["window"][kept]]
    for seed in (0, 1):
        module = make(bert, SETTINGS["seed"] + seed)
        ids = torch.from_numpy(np.array(tokens["id"], dtype=np.int64).reshape(-1, LENGTH))
        with torch.inference_mode():
            states = module(input_ids=ids, output_hidden_states=True).hidden_states
        for layer, state in enumerate(states):
            x = state.reshape(-1, 8).numpy()[kept]
            query = (
                f"corpus == 'posts' and null == '{kind}' and seed == {seed} and layer == {layer}"
            )
            rows = table.query(query).set_index(["space", "measure"])
            expected = {
                ("token", "mean_cosine"): mean_cosine(x),
                ("token", "intra_sentence_similarity"): intra_sentence_similarity(x, text),
                ("cls", "mean_cosine"): mean_cosine(state[:, 0].numpy()),
                ("mean", "mean_cosine"): mean_cosine(state.mean(dim=1).numpy()),
            }
            for place, value in expected.items():
                assert rows.loc[place, "value"] == pytest.approx(value, abs=1e-5), place
            assert rows.loc[("token", "mean_cosine"), "n"] == kept.sum()


def test_seeds_and_kinds_differ_and_the_module_stays(bert: Any) -> None:
    before = {name: weight.clone() for name, weight in bert.state_dict().items()}
    one, other = measured(bert, **FEW), measured(bert, **FEW, seed=6)
    assert all(weight.equal(before[name]) for name, weight in bert.state_dict().items())
    cosines = [table.query("measure == 'mean_cosine'")["value"] for table in (one, other)]
    assert np.unique(np.concatenate(cosines).round(6)).size > len(cosines[0])
    assert (cosines[0] != cosines[1]).any()


def test_no_corpus_is_read_where_none_is_asked_for(bert: Any) -> None:
    nothing = measured(bert, read_corpora=[])
    assert nothing.empty and list(nothing) == COLUMNS


def test_without_the_corpora_asked_for_the_largest_is_read(bert: Any) -> None:
    unknown: dict[str, Any] = {"read_corpora": ["unknown"], "n_seeds": 1}
    table = measured(bert, **unknown)
    largest = max(CORPORA, key=lambda name: len(CORPORA[name].tokens))
    assert set(table["corpus"]) == {largest}
    assert measured(bert, {}, **unknown).empty


def test_the_settings_of_the_project_fit(bert: Any) -> None:
    settings = settings_of(measure_random_weights, n_seeds=1)
    table = measure_random_weights(bert, None, CORPORA, **settings)["parquet"]
    assert not set(settings["left_out"]) & set(table["measure"])
    assert set(table["corpus"]) == {"posts"}
