"""`measure_token_tracker`: its tables, what has no text, and random weights beside."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.measure.words.token_tracker import (
    CorpusTexts,
    measure_token_tracker,
)
from embspace.models.weights import with_random_weights
from tests.analyses import settings_of
from tests.measure.words.followed import (
    CONTENT,
    FUNCTION,
    Tokenizer,
    corpus,
    table_of,
    vocabulary_of,
)
from tests.models.stream.tiny import tiny

FEW = {"n_texts": 6, "n_words_of_text": 2, "n_neighbors": 4, "n_dealt": 50, "n_half_samples": 10}
FEW |= {"source_text": "river of paint", "roles": {"sentences_of_long_texts": "sentences"}}
SETTINGS = settings_of(measure_token_tracker, **FEW, level=0.9, seed=3)
DECIDED_BY_SEED = ("random_weights_value", "dealt")
SENTENCES = ["the river of table", "paint table and", "river and", "table of paint"] * 3
HOMONYMS = pd.DataFrame({"word": ["river", "paint", "river", "paint"] * 3, "text": SENTENCES})
STIMULI = {
    "homonyms": HOMONYMS,
    "homonym_tokens": table_of(SENTENCES),
    "words": pd.DataFrame({"word": CONTENT, "part_of_speech": ["noun", "noun", "verb"]}),
    "function_words": pd.DataFrame({"word": FUNCTION}),
}
CORPORA = {"posts": CorpusTexts(*corpus(9, seed=1)), "sentences": CorpusTexts(*corpus(9))}


@cache
def bert() -> Any:
    return tiny("bert")


def inputs(*, is_empty: bool) -> dict[str, Any]:
    given = {"module": bert(), "vocabulary_of": vocabulary_of, "tokenizer": Tokenizer()}
    return given | {"corpora": {} if is_empty else CORPORA, **STIMULI}


def measured(**change: Any) -> Outcome:
    return measure_token_tracker(**inputs(is_empty=False) | SETTINGS | change)


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return measured()


def test_tables_have_their_places(outcome: Outcome):
    layers = outcome["layers"]
    assert set(layers["group"]) == {"content", "function", "homonym", "one_sense"}
    plain = layers[(layers["positions"] == "none") & (layers["group"] == "content")]
    assert len(plain.drop_duplicates(["layer", "point"])) == 1 + 3 * 3
    assert set(layers["positions"]) == {"none", "own", "first"}
    assert (outcome["together"]["layer"].min(), len(outcome["together"])) == (0, 4 + 3)
    assert len(outcome["summary"]["statistic"].unique()) == len(outcome["summary"])
    dealt = outcome["summary"].dropna(subset="p_value").set_index("statistic")
    assert list(dealt.index) == [
        "content_receives_more_attention",
        "attention_content_over_function",
    ]
    assert (dealt["n_tokens"] == 6 * 8).all()  # all words of both groups, of 6 texts


def test_an_interval_holds_its_value_and_sizes_are_said(outcome: Outcome):
    rows = outcome["layers"][outcome["layers"]["group"] == "content"]
    assert (rows["low"] <= rows["value"] + 0.2).all() and (rows["n_units"] == 6).all()
    assert rows["n_tokens"].max() <= 6 * 2
    words = outcome["layers"][outcome["layers"]["group"] == "homonym"]
    assert (words["n_units"] == 2).all() and words["low"].isna().all()  # fewer than 4 units


def test_random_weights_are_those_of_a_model_before_training(outcome: Outcome):
    untrained = measured(module=with_random_weights(bert(), 3))
    keys = ["group", "positions", "layer", "point", "quantity"]
    trained, random = (tables["layers"].set_index(keys) for tables in (outcome, untrained))
    assert np.allclose(trained["random_weights_value"], random["value"], atol=1e-6)
    assert not np.allclose(trained["value"], random["value"], atol=0.1)


def test_the_corpus_of_the_role_is_read_and_else_the_first(outcome: Outcome):
    by_name = measured(corpus="sentences")
    other = measured(roles={})
    pd.testing.assert_frame_equal(outcome["summary"], by_name["summary"])
    assert not outcome["layers"]["value"].equals(other["layers"]["value"])


@pytest.mark.parametrize("change", [{"module": None}, {"tokenizer": None}])
def test_without_a_model_or_tokenizer_tables_are_empty(change: dict[str, Any]):
    assert all(table.empty for table in measured(**change).values())


def test_without_words_of_both_lists_tables_are_empty():
    windows, tokens, texts = corpus(4)
    silent = {"c": CorpusTexts(windows, tokens, texts.assign(text="x" * 60))}
    assert measured(corpora=silent)["layers"].empty


def test_where_blocks_cannot_be_rebuilt_tokens_are_followed_at_the_outputs_of_layers():
    outcome = measured(module=tiny("mpnet"))
    layers = outcome["layers"]
    assert {*layers["point"]} == {"embedding", "output"}
    assert {*layers["group"]} == {"content", "function", "homonym", "one_sense"}
    assert len(outcome["contrasts"]) and len(outcome["movement"]) and len(outcome["together"])
    # Claims are on the sum after attention, which nobody can read here.
    assert outcome["summary"].empty and outcome["source_text"].empty
