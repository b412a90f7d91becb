"""Holds `measure_head_pairs` to heads that are built by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import SCALARS, Outcome
from embspace.clouds.layers import CorpusStates
from embspace.errors import InputError
from embspace.measure.parameters.head_pairs import measure_head_pairs
from embspace.measure.parameters.vocabulary_space import VocabularySpace
from embspace.models.parameters.layers import LayerParameters
from embspace.models.parameters.read import ModelParameters
from embspace.models.spelling import Spelling
from tests.analyses import settings_of

FEW: dict[str, Any] = {
    "n_pairs": 10,
    "n_listed": 4,
    "corpus": "posts",
    "n_permutations": 99,
    "n_shuffled_heads": 8,
    "least_share": 0.2,
    "count_above": {"value_output": 25.0},
}
DECIDED_BY_SEED = ("permuted_mean", "paired_anew_mean", "shuffled_mean", "shuffled_largest")
SPELLING = Spelling("WordPiece", "continuation", "##", False)
LISTS = {"animal": [(f"w{n}", "animal") for n in range(10, 30)]}
TOKENS = ["[CLS]", "[unused0]", *(f"w{n}" for n in range(2, 150))]
KINDS = ["special", "unused", *["word"] * 148]
DIM, HEAD_DIM, N_HEADS = 64, 4, 2


def parameters(seed: int = 0) -> ModelParameters:
    """Two layers of random heads."""
    rng = np.random.default_rng(seed)
    embedding = rng.normal(size=(150, DIM)).astype(np.float32)

    def layer(number: int) -> LayerParameters:
        rows = [rng.normal(size=(N_HEADS * HEAD_DIM, DIM)).astype(np.float32) for _ in range(4)]
        bias = rng.normal(size=N_HEADS * HEAD_DIM).astype(np.float32)
        nothing = np.zeros((1, DIM), dtype=np.float32)
        return LayerParameters(
            layer=number,
            n_heads=N_HEADS,
            **dict(zip(("query", "key", "value", "output"), rows, strict=True)),
            query_bias=bias,
            key_bias=bias,
            value_bias=None,
            output_bias=None,
            ff_keys={"key": nothing},
            ff_key_biases={"key": None},
            ff_values=nothing,
            ff_value_bias=None,
            attention_input_scale=None,
            ff_input_scale=None,
            attention_output_scale=None,
            ff_output_scale=None,
        )

    return ModelParameters([layer(1), layer(2)], embedding, embedding, None, None, TOKENS, True)


def planted() -> ModelParameters:
    """Head 2 of layer 1 writes w90 where it reads w40; head 1 of layer 2 joins animals."""
    made = parameters()
    unit = made.output_embedding / np.linalg.norm(made.output_embedding, axis=1, keepdims=True)
    first, second = made.layers
    first.value[HEAD_DIM:], first.output[HEAD_DIM:] = 0, 0
    first.value[HEAD_DIM], first.output[HEAD_DIM] = 9 * unit[40], 9 * unit[90]
    animals = unit[10:30].sum(axis=0)
    second.query[:HEAD_DIM] = second.key[:HEAD_DIM] = 0
    second.query[0] = second.key[0] = animals
    return made


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return reading(None if is_empty else planted())


def reading(made: ModelParameters | None) -> dict[str, Any]:
    read = pd.DataFrame({"id": [0, 40, 41, 42, 90, 91, 40]})
    return {
        "space": VocabularySpace(made, "Made", KINDS if made else []),
        "spelling": SPELLING,
        "lists": LISTS,
        "corpora": {"posts": CorpusStates({}, np.zeros(1, dtype=np.int64), read)},
    }


def measured(made: ModelParameters, **change: Any) -> Outcome:
    return measure_head_pairs(**reading(made) | change, **settings_of(measure_head_pairs, **FEW))


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return measured(planted())


def test_a_head_that_writes_one_token_for_another_is_read_so(outcome: Outcome):
    rows = outcome["pairs"].query(
        "form == 'value_output' and layer == 1 and head == 2 and rank == 1"
    )
    assert rows["tokens"].tolist() == ["all", "corpus"]
    assert rows[["row", "column"]].to_numpy().tolist() == [["w40", "w90"]] * 2
    embedding = planted().output_embedding.astype(np.float64)
    length = np.linalg.norm(embedding, axis=1)
    assert rows["score"].iloc[0] == pytest.approx(81 * length[40] * length[90], rel=1e-5)


def test_tables_have_a_row_a_head_and_a_category(outcome: Outcome):
    places = [(layer, head) for layer in (1, 2) for head in (1, 2)]
    for _, rows in outcome["profiles"].groupby("form"):
        assert list(zip(rows["layer"], rows["head"], strict=True)) == places
    assert len(outcome["shares"]) == 2 * 2 * 4 * 4  # tokens, forms, heads, categories
    assert set(outcome["shares"]["category"]) == {"equal", "joined", "joined_backwards", "animal"}
    assert outcome["pairs"].groupby(["tokens", "form", "layer", "head"])["rank"].max().eq(4).all()
    assert outcome[SCALARS]["n_ordinary_tokens"] == 148
    assert outcome[SCALARS]["n_corpus_tokens"] == 5
    assert outcome[SCALARS]["n_words"] == {"animal": 20}


def test_the_category_of_a_planted_head_is_above_all_nulls_and_of_its_list(outcome: Outcome):
    shares = outcome["shares"].query("tokens == 'all' and category == 'animal'")
    above = shares[shares["above_null"]]
    assert above[["form", "layer", "head"]].to_numpy().tolist() == [["query_key", 2, 1]]
    row = above.iloc[0]
    assert row["share"] >= 0.9
    assert row["p_value"] == row["p_value_over_heads"] == 0.01
    # All animals belong to one another, so that joining them anew changes little.
    assert row["paired_anew_p_value"] > 0.3
    assert row["permuted_mean"] == pytest.approx(20 / 148, abs=0.05)
    assert row["shuffled_largest"] < row["share"]


def test_random_heads_are_as_chance_has_it():
    shares = measured(parameters(3))["shares"].query("tokens == 'all'")
    assert not shares["above_null"].any()
    assert (shares.query("category == 'joined'")["share"] == 0).all()
    p_values = shares.query("category == 'animal'")["p_value"]
    assert p_values.min() > 0.01 and p_values.mean() > 0.2


def test_equal_tokens_are_no_part_of_other_lists():
    made = parameters()
    # A head that gives back what it reads.
    made.layers[0].output[:] = made.layers[0].value
    outcome = measured(made)
    shares = outcome["shares"].query("tokens == 'all' and form == 'value_output' and layer == 1")
    equal = shares[shares["category"] == "equal"]
    assert (equal["share"] > 0.4).all() and equal["above_null"].all()
    assert (outcome["pairs"]["row"] != outcome["pairs"]["column"]).all()
    assert not outcome["pairs"]["row"].isin(["[CLS]", "[unused0]"]).any()


def test_the_term_of_the_key_alone(outcome: Outcome):
    assert outcome["profiles"].query("form == 'query_key'")["key_only_share"].between(0, 2).all()
    assert outcome["keys"].groupby(["layer", "head"])["rank"].max().eq(4).all()
    made = planted()
    scores = made.output_embedding @ made.layers[1].key[4:].T @ made.layers[1].query_bias[4:]
    scores[:2] = -np.inf
    first = outcome["keys"].query("layer == 2 and head == 2 and rank == 1")["token"].item()
    assert first == TOKENS[int(scores.argmax())]
    layers = [replace(layer, query_bias=None) for layer in made.layers]
    without = measured(replace(made, layers=layers))
    assert without["profiles"]["key_only_share"].isna().all() and without["keys"].empty
    assert without["profiles"]["mean_query_share"].dropna().between(0, 1).all()


def test_scores_above_what_was_published_are_counted(outcome: Outcome):
    made = planted()
    layer = made.layers[0]
    scores = (made.output_embedding @ layer.value[:4].T) @ (
        layer.output[:4] @ made.output_embedding.T
    )
    first = outcome["profiles"].iloc[0]
    assert first["n_above"] == (scores > 25).sum() and first["threshold"] == 25
    assert first["top_score"] <= scores.max() + 1e-3
    assert outcome["profiles"].query("form == 'query_key'")["n_above"].isna().all()
    planted_head = outcome["profiles"].iloc[1]
    assert planted_head["top_pair"] == planted_head["top_unequal_pair"] == "w40 w90"


def test_without_a_corpus_there_are_all_tokens_alone():
    tables = measured(parameters(), corpora={})
    assert set(tables["pairs"]["tokens"]) == {"all"} and tables[SCALARS]["corpus"] is None


def test_a_vocabulary_of_another_size_is_refused():
    made = replace(parameters(), tokens=TOKENS[:-1])
    space = VocabularySpace(made, "Made", KINDS[:-1])
    with pytest.raises(InputError, match="has 149 tokens, the output embedding 150 rows"):
        measured(made, space=space)
