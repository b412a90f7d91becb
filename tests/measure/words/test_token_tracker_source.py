"""`source_table`: the example of the source, by both computations."""

import numpy as np
import pytest

from embspace.measure.words.token_tracker_source import source_table
from embspace.models.stream.tracked_vocabulary import TrackedVocabulary
from tests.measure.words.followed import Tokenizer, vocabulary_of
from tests.models.stream.tiny import tiny

TEXT = "river of paint"


def test_both_computations_stand_beside_each_other():
    module = tiny("bert")
    table = source_table(module, vocabulary_of(module), Tokenizer(), TEXT)
    assert len(table) == 4 * 3 * 5
    assert set(table["token"]) == {"<2>", "river", "of", "paint"}
    by = table.set_index(["computation", "positions", "layer", "position"])["cosine"]
    assert by["as_coded", "first", 1, 1] != pytest.approx(by["attention_sum", "first", 1, 1])
    assert by["attention_sum", "own", 1, 0] == by["attention_sum", "first", 1, 0]  # is the first
    assert by["attention_sum", "own", 1, 1] != by["attention_sum", "first", 1, 1]


def test_the_nearest_token_is_the_own_one_at_rank_0():
    module = tiny("bert")
    table = source_table(module, vocabulary_of(module), Tokenizer(), TEXT)
    own = table["nearest_token"] == table["token"]
    assert (own == (table["rank"] == 0)).all() and own.any()
    assert np.allclose(table.loc[own, "nearest_cosine"], table.loc[own, "cosine"])


def test_a_pre_norm_model_has_no_such_computation():
    module = tiny("modernbert")
    rows = module.get_input_embeddings().weight.detach().numpy()
    table = source_table(module, TrackedVocabulary(rows, None), Tokenizer(), TEXT)
    assert set(table["computation"]) == {"attention_sum"} and set(table["positions"]) == {"none"}


def test_what_has_no_room_in_the_model_has_no_row():
    for model_type in ("bert", "modernbert"):
        module = tiny(model_type)
        rows = module.get_input_embeddings().weight.detach().numpy()
        positional = rows[:40] if model_type == "bert" else None
        vocabulary = TrackedVocabulary(rows, positional)
        for n_words, n_rows in ((40, 0), (39, 1)):
            text = " ".join(["of"] * n_words)
            table = source_table(module, vocabulary, Tokenizer(), text)
            assert (len(table) > 0) == bool(n_rows)
