from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.measure.texts.layer_choice import (
    ReadCorpus,
    ReadTexts,
    _text_means,
    measure_layer_choice,
)
from tests.measure.texts.planted_layers import (
    CARRIER,
    N_LAYERS,
    SETTINGS,
    N,
    planted,
    planted_table,
    with_own_vectors,
)

# The seed deals texts to folds, and rows are ranked.
DECIDED_BY_SEED = ("rank", "embedding", "layer", "weights", "value", "among_best")
DECIDED_BY_SEED += ("less_last", "less_best")


def inputs(*, is_empty: bool) -> dict[str, Any]:
    corpora = {} if is_empty else {"planted": planted()}
    return {"module": None, "final_norm": None, "corpora": corpora}


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return planted_table()


def test_the_layer_that_carries_labels_and_halves_is_best_in_all(table: pd.DataFrame):
    for task in ("search", "labels", "clusters"):
        rows = table[table["task"] == task]
        trained = rows[rows["weights"] == "trained"]
        assert trained["rank"].tolist() == list(range(1, 3 * N_LAYERS + 1))
        assert set(trained["layer"].iloc[:3]) == {CARRIER}
        assert (trained["less_last_low"].iloc[:3] > 0).all()
        assert set(trained.loc[trained["among_best"], "layer"]) == {CARRIER}
        assert trained["value"].is_monotonic_decreasing
        assert (rows["n"] == N).all()


def test_the_last_layer_and_the_best_differ_from_themselves_by_nothing(table: pd.DataFrame):
    last = table[(table["layer"] == N_LAYERS - 1) & (table["weights"] == "trained")]
    assert (last[["less_last", "less_last_low", "less_last_high"]] == 0).all(axis=None)
    best = table[table["rank"] == 1]
    assert (best[["less_best", "less_best_low", "less_best_high"]] == 0).all(axis=None)


def test_words_and_chance_stand_beside(table: pd.DataFrame):
    words = table[table["weights"] == "none"]
    assert set(words["embedding"]) == {"tf_idf", "bm25"}
    assert words[["layer", "rank", "less_last"]].isna().all(axis=None)
    chance = table.drop_duplicates("task").set_index("task")["chance"]
    assert chance["labels"] == 0.5
    assert chance["clusters"] == 0
    assert chance["search"] == pytest.approx(np.mean(1 / np.arange(1, N + 1)))
    # Halves have the same words here.
    assert words.loc[words["task"] == "search", "value"].min() > 0.5


def test_what_is_left_out_or_small_has_no_row():
    assert measure_layer_choice(None, None, {"skipped": planted()}, **SETTINGS)["csv"].empty
    assert planted_table(fewest_documents=N + 1).empty


def test_more_labeled_texts_than_wanted_are_drawn():
    n_by_task = planted_table(most_texts=60).drop_duplicates("task").set_index("task")["n"]
    assert n_by_task.to_dict() == {"search": N, "labels": 60, "clusters": 60}


def test_a_text_of_several_windows_is_their_mean():
    texts, windows = pd.DataFrame({"id": ["a", "b"]}), pd.DataFrame({"text": ["b", "a", "b"]})
    read = ReadTexts(texts, windows, pd.DataFrame(), {})
    vectors = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert _text_means(read, vectors).tolist() == [[3, 4], [3, 4]]
    assert _text_means(read, vectors * [[3], [1], [1]]).tolist() == [[3, 4], [4, 6]]


def test_the_vector_of_a_sentence_model_stands_beside_and_moves_no_other(table: pd.DataFrame):
    read = {"planted": with_own_vectors(planted())}
    scores = measure_layer_choice(None, None, read, **SETTINGS)["csv"]
    is_own = scores["embedding"] == "sentence"
    pd.testing.assert_frame_equal(scores[~is_own].reset_index(drop=True), table)
    own = scores[is_own]
    assert own["task"].tolist() == ["search", "labels", "clusters"]
    assert own[["layer", "rank", "less_last"]].isna().all(axis=None)
    assert not own["among_best"].any() and set(own["weights"]) == {"trained"}
    mean = scores[(scores["embedding"] == "mean") & (scores["layer"] == CARRIER)]
    assert own["value"].tolist() == mean["value"].tolist()
    assert (own["less_best_high"] >= 0).all()


def test_of_a_decoder_the_last_token_is_ranked():
    whole = planted().whole
    states = whole.states | {"last": whole.states["mean"] + np.float32(1)}
    read = {"planted": ReadCorpus(replace(whole, states=states), planted().halves)}
    scores = measure_layer_choice(None, None, read, **SETTINGS)["csv"]
    ranked = scores[(scores["task"] == "labels") & (scores["weights"] == "trained")]
    assert set(ranked["embedding"]) == {"cls", "mean", "max", "last"}
    assert ranked["less_last"].notna().all()
