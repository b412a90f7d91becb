"""`measure_token_tracker`: its tables, what has no text, and random weights beside."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.measure.words.token_tracker import (
    CorpusTexts,
    Stimuli,
    TokenTracker,
    measure_token_tracker,
    nothing,
)
from embspace.measure.words.token_tracker_tables import COLUMNS
from embspace.models.weights import with_random_weights
from tests.measure.words.followed import (
    CONTENT,
    FUNCTION,
    Tokenizer,
    corpus,
    table_of,
    vocabulary_of,
)
from tests.models.stream.tiny import tiny

SETTINGS: dict[str, Any] = {
    "corpus": "{sentences_of_long_texts}",
    "n_texts": 6,
    "n_words_of_text": 2,
    "n_neighbors": 4,
    "n_listed": 15,
    "apart": 0.75,
    "n_dealt": 50,
    "source_text": "river of paint",
    "n_half_samples": 10,
    "level": 0.9,
    "roles": {"sentences_of_long_texts": "sentences"},
    "seed": 3,
}
SENTENCES = ["the river of table", "paint table and", "river and", "table of paint"] * 3
HOMONYMS = pd.DataFrame({"word": ["river", "paint", "river", "paint"] * 3, "text": SENTENCES})
STIMULI = Stimuli(
    HOMONYMS,
    table_of(SENTENCES),
    pd.DataFrame({"word": CONTENT, "part_of_speech": ["noun", "noun", "verb"]}),
    pd.DataFrame({"word": FUNCTION}),
)
CORPORA = {"posts": CorpusTexts(*corpus(9, seed=1)), "sentences": CorpusTexts(*corpus(9))}


@cache
def bert() -> Any:
    return tiny("bert")


def measured(**change: Any) -> TokenTracker:
    given = {"module": bert(), "tokenizer": Tokenizer(), "corpora": CORPORA}
    own = {key: change.pop(key, value) for key, value in given.items()}
    return measure_token_tracker(
        own["module"],
        vocabulary_of,
        own["tokenizer"],
        own["corpora"],
        STIMULI,
        **SETTINGS | change,
    )


@pytest.fixture(scope="module")
def found() -> TokenTracker:
    return measured()


def test_tables_have_their_columns_and_places(found: TokenTracker):
    for name, columns in COLUMNS.items():
        assert list(getattr(found, name)) == columns
    layers = found.layers
    assert set(layers["group"]) == {"content", "function", "homonym", "one_sense"}
    plain = layers[(layers["positions"] == "none") & (layers["group"] == "content")]
    assert len(plain.drop_duplicates(["layer", "point"])) == 1 + 3 * 3
    assert set(layers["positions"]) == {"none", "own", "first"}
    assert (found.together["layer"].min(), len(found.together)) == (0, 4 + 3)
    assert len(found.summary["statistic"].unique()) == len(found.summary)
    dealt = found.summary.dropna(subset="p_value").set_index("statistic")
    assert list(dealt.index) == [
        "content_receives_more_attention",
        "attention_content_over_function",
    ]
    assert (dealt["n_tokens"] == 6 * 8).all()  # all words of both groups, of 6 texts


def test_an_interval_holds_its_value_and_sizes_are_said(found: TokenTracker):
    rows = found.layers[found.layers["group"] == "content"]
    assert (rows["low"] <= rows["value"] + 0.2).all() and (rows["n_units"] == 6).all()
    assert rows["n_tokens"].max() <= 6 * 2
    words = found.layers[found.layers["group"] == "homonym"]
    assert (words["n_units"] == 2).all() and words["low"].isna().all()  # fewer than 4 units


def test_random_weights_are_those_of_a_model_before_training(found: TokenTracker):
    untrained = measured(module=with_random_weights(bert(), 3))
    keys = ["group", "positions", "layer", "point", "quantity"]
    trained, random = (each.layers.set_index(keys) for each in (found, untrained))
    assert np.allclose(trained["random_weights_value"], random["value"], atol=1e-6)
    assert not np.allclose(trained["value"], random["value"], atol=0.1)


def test_the_same_is_found_again(found: TokenTracker):
    again = measured()
    for name in COLUMNS:
        pd.testing.assert_frame_equal(getattr(found, name), getattr(again, name))


def test_the_corpus_of_the_role_is_read_and_else_the_first(found: TokenTracker):
    by_name = measured(corpus="sentences")
    other = measured(roles={})
    pd.testing.assert_frame_equal(found.summary, by_name.summary)
    assert not found.layers["value"].equals(other.layers["value"])


@pytest.mark.parametrize(
    "change", [{"module": None}, {"tokenizer": None}, {"corpora": {}}, {"module": object()}]
)
def test_without_a_text_or_a_known_model_tables_are_empty(change: dict[str, Any]):
    for name, columns in COLUMNS.items():
        table = getattr(measured(**change), name)
        assert table.empty and list(table) == columns
    assert nothing().source_text.empty


def test_without_words_of_both_lists_tables_are_empty():
    windows, tokens, texts = corpus(4)
    silent = {"c": CorpusTexts(windows, tokens, texts.assign(text="x" * 60))}
    assert measured(corpora=silent).layers.empty
