"""Holds `measure_run_head_pairs` to heads that are built by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.errors import InputError
from embspace.grammar.language import make_language
from embspace.measure.parameters.head_pairs_words import words_of
from embspace.measure.parameters.run_head_pairs import _over_heads, measure_run_head_pairs
from embspace.models.parameters.layers import LayerParameters
from embspace.models.parameters.read import ModelParameters
from embspace.settings.corpus import BuiltinCorpus
from embspace.train.checkpoints import Checkpoint
from tests.analyses import settings_of
from tests.grammar.languages import corpus as grammar
from tests.models.parameters.known import known_parameters

FEW: dict[str, Any] = {
    "n_pairs": 10,
    "n_listed": 3,
    "least_count": 1,
    "near_places": 2,
    "n_permutations": 99,
    "n_shuffled_heads": 8,
    "least_share": 0.2,
}
DECIDED_BY_SEED = ("permuted_mean", "paired_anew_mean", "shuffled_mean", "shuffled_largest")
DECIDED_BY_SEED += ("p_value_over_heads", "paired_anew_p_value")
LANGUAGE = grammar(n_topics=4, n_nouns=12, n_verbs=3, n_adjectives=9)
FORMS = make_language(LANGUAGE).lexicon.forms
CLASSES = ("noun singular", "noun plural", "adjective", "adverb", "preposition")
TOKENS = [word for kind in CLASSES for row in FORMS[kind] for word in row]
TEXTS = [" ".join(TOKENS)]
PROSE = BuiltinCorpus(label="a", license="b", language="English", source="builtin", path="a.jsonl")
DIM, HEAD_DIM, N_HEADS = 96, 4, 2
NOTHING = np.zeros((1, DIM), dtype=np.float32)


def at(step: int, seed: int = 0) -> Checkpoint:
    return Checkpoint("runs", seed, "pretraining", step)


def random_heads(seed: int) -> ModelParameters:
    """Two layers of two heads of random rows, and random embeddings."""
    rng = np.random.default_rng(seed)
    known = known_parameters(0)

    def layer(number: int) -> LayerParameters:
        rows = [rng.normal(size=(N_HEADS * HEAD_DIM, DIM)).astype(np.float32) for _ in range(4)]
        names = ("query", "key", "value", "output")
        none = {"ff_keys": {"key": NOTHING}, "ff_values": NOTHING}
        parts = dict(zip(names, rows, strict=True))
        return replace(known.layers[0], layer=number, **none, **parts)

    embedding = rng.normal(size=(len(TOKENS), DIM)).astype(np.float32)
    return ModelParameters(
        [layer(1), layer(2)], embedding, embedding, None, None, TOKENS, is_tied=True
    )


def planted() -> ModelParameters:
    """Head 1 of layer 1 writes adjectives for nouns of topic 0, head 2 of 2 asks for plurals."""
    made = random_heads(1)
    unit = made.output_embedding / np.linalg.norm(made.output_embedding, axis=1, keepdims=True)
    first, second = made.layers

    def direction(words: list[str]) -> np.ndarray:
        direction: np.ndarray = unit[[TOKENS.index(word) for word in words]].sum(axis=0)
        return direction

    first.value[:HEAD_DIM] = first.output[:HEAD_DIM] = 0
    first.value[0] = direction(FORMS["noun singular"][0] + FORMS["noun plural"][0])
    first.output[0] = direction(FORMS["adjective"][0])
    second.query[HEAD_DIM:] = second.key[HEAD_DIM:] = 0
    for rank, (one, other) in enumerate(
        zip(FORMS["noun singular"][0][:4], FORMS["noun plural"][0][:4], strict=True)
    ):
        second.query[HEAD_DIM + rank] = unit[TOKENS.index(one)] * (9 - rank)
        second.key[HEAD_DIM + rank] = unit[TOKENS.index(other)]
    return made


def never() -> Any:
    raise AssertionError
    yield


def inputs(*, is_empty: bool) -> dict[str, Any]:
    models = never() if is_empty else [(at(0), random_heads(3)), (at(9), planted())]
    corpus = PROSE if is_empty else LANGUAGE
    return {"models": models, "corpus": corpus, "base": None, "texts": TEXTS}


def measured(*, models: Any = None, **change: Any) -> Outcome:
    read = inputs(is_empty=False) | ({} if models is None else {"models": models})
    return measure_run_head_pairs(**read, **settings_of(measure_run_head_pairs, **FEW | change))


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return measured()


def above(table: pd.DataFrame, category: str) -> list[list[Any]]:
    rows = table.query(f"category == '{category}' and above_null")
    return rows[["form", "layer", "head"]].to_numpy().tolist()


def test_a_head_that_maps_a_category_to_itself_is_found(outcome: Outcome) -> None:
    assert ["value_output", 1, 1] in above(outcome["shares"], "topic")
    row = outcome["shares"].query("category == 'topic' and form == 'value_output'").iloc[0]
    assert row["share"] >= 0.9 and row["p_value_over_heads"] == 0.01
    # All words of a topic belong to one another, so that joining them anew changes little.
    assert row["paired_anew_p_value"] > 0.3


def test_a_head_that_asks_one_stem_for_its_plural_is_found(outcome: Outcome) -> None:
    assert above(outcome["shares"], "stem") == [["query_key", 2, 2]]
    row = outcome["shares"].query("category == 'stem' and above_null").iloc[0]
    assert row["share"] == pytest.approx(0.4)  # four stems of ten pairs
    assert row["paired_anew_mean"] < row["share"] and row["paired_anew_p_value"] <= 0.05
    pairs = outcome["pairs"].query("form == 'query_key' and layer == 2 and head == 2 and rank == 1")
    assert pairs["row"].item() == FORMS["noun singular"][0][0]
    assert pairs["column"].item() == FORMS["noun plural"][0][0]
    assert "stem" in pairs["categories"].item()


def test_random_heads_hold_no_category(outcome: Outcome) -> None:
    before = outcome["checkpoints"].query("step == 0")
    assert before["n_above_null"].sum() == 0
    excess = before["share"] - before["permuted_mean"]
    assert excess.abs().max() < 0.2


def test_tables_have_a_row_a_head_and_category_after_training(outcome: Outcome) -> None:
    assert set(outcome["shares"]["step"]) == set(outcome["pairs"]["step"]) == {9}
    assert set(outcome["checkpoints"]["step"]) == {0, 9}
    names = ["equal", "part_of_speech", "topic", "same_number", "stem"]
    assert list(outcome["shares"]["category"].unique()) == names
    assert len(outcome["shares"]) == 2 * 4 * 5 and len(outcome["checkpoints"]) == 2 * 2 * 5
    assert len(outcome["pairs"]) == 2 * 4 * 3
    last = outcome["checkpoints"].query("step == 9 and category == 'stem' and form == 'query_key'")
    assert last["n_above_null"].item() == 1 and last["n_heads"].item() == 4
    assert last["largest_share"].item() == pytest.approx(0.4)
    assert last["n_tokens"].item() == len(TOKENS)
    assert last["n_words"].item() == 2 * 4 * 12


def test_other_checkpoints_move_no_number(outcome: Outcome) -> None:
    alone = measured(models=[(at(9), planted())])
    pd.testing.assert_frame_equal(alone["shares"], outcome["shares"])


def test_a_base_has_its_own_vocabulary_whatever_the_corpus() -> None:
    """Word pieces are no words of the texts: none would be frequent enough."""
    read = inputs(is_empty=False) | {"models": never(), "base": "minilm"}
    tables = measure_run_head_pairs(**read, **settings_of(measure_run_head_pairs, **FEW))
    assert all(table.empty for table in tables.values())


def test_heads_that_only_select_tokens_are_told_from_those_that_pair_them(
    outcome: Outcome,
) -> None:
    """The head of topics takes all its tokens from one topic, that of stems joins single words."""
    last = outcome["checkpoints"].query("step == 9").set_index(["form", "category"])
    topics, stems = last.loc[("value_output", "topic")], last.loc[("query_key", "stem")]
    assert topics["n_above_null"] >= 1 and topics["n_above_null_and_anew"] == 0
    assert stems["n_above_null"] == stems["n_above_null_and_anew"] == 1


def test_a_p_value_of_what_is_allowed_is_allowed() -> None:
    place = {"phase": "pretraining", "step": 0, "seed": 0, "form": "query_key", "category": "stem"}
    means = {"share": [0.4, 0.2], "permuted_mean": 0.1, "paired_anew_mean": 0.1}
    beyond = {"paired_anew_p_value": [0.05, 0.06], "above_null": True}
    shares = pd.DataFrame({**place, **means, "shuffled_mean": 0.1, **beyond})
    words = words_of(["a", "b"], ["word", "word"], None, {})
    row = _over_heads(shares, words, 0.05).iloc[0]
    assert (row["n_heads"], row["n_above_null"], row["n_above_null_and_anew"]) == (2, 2, 1)


def test_bad_input_is_refused() -> None:
    models = [(at(9), replace(planted(), tokens=TOKENS[:-1]))]
    with pytest.raises(InputError, match=f"the output embedding {len(TOKENS)} rows"):
        measured(models=models)
    with pytest.raises(InputError, match="key 'least_count': found 2, but 0"):
        measured(least_count=2)
