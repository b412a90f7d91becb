from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.clouds.pooling import POOLINGS
from embspace.errors import InputError
from embspace.measure.texts import text_clouds
from embspace.measure.texts.text_clouds import JOINED, TEXT_CLOUDS, measure_text_clouds
from tests.measure.texts.test_text_cloud_random import read as tokens_of_documents
from tests.measure.texts.test_text_cloud_random import tiny_bert
from tests.text_corpora import CLOUD_SETTINGS, CLOUDS_ALONE, corpus, no_corpora, three_corpora

FEW = CLOUD_SETTINGS
SETTINGS = CLOUD_SETTINGS | CLOUDS_ALONE

DECIDED_BY_SEED = (  # draws of documents, folds, deals and weights
    *("auc", "auc_standard_deviation", "equal_length_auc", "length_auc", "n_equal_length_pairs"),
    *("equal_n_participation_ratio", "participation_ratio_difference"),
    "participation_ratio_difference_p_value",
    *("quantile_0.25", "quantile_0.5", "quantile_0.75", "share_above"),  # of random weights
)


def inputs(*, is_empty: bool) -> dict[str, Any]:
    if is_empty:
        return {"clouds": no_corpora(), **CLOUDS_ALONE}
    read = {"module": tiny_bert(), "final_norm": None, "tokens": {"posts": tokens_of_documents()}}
    return {"clouds": three_corpora(), **read}


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return measure_text_clouds(three_corpora(), **SETTINGS)


def test_each_table_has_a_row_for_each_state_and_corpus_or_two(outcome: Outcome):
    states = len(POOLINGS) * 2
    assert len(outcome["positive"]) == states * 6
    assert len(outcome["spectrum"]) == states * 3
    assert len(outcome["separation"]) == states * 3
    assert len(outcome["distributions"]) == states * (3 + 6 * 3)
    for name, table in TEXT_CLOUDS.tables.items():
        if name != "histogram":
            keys = [column for column, kind in table.kinds.items() if kind == "row"]
            assert not outcome[name].duplicated(keys).any()


def test_a_small_corpus_is_left_out_and_says_why(outcome: Outcome):
    corpora = outcome["corpora"].set_index("corpus")
    assert corpora["left_out"].to_dict() == {
        "notes": "fewer than 8 documents",
        "articles": "",
        "sentences": "",
        "posts": "",
    }
    assert corpora["n"].tolist() == [3, 12, 24, 16]
    assert corpora["n_documents"].tolist() == [3, 12, 12, 16]
    assert corpora.loc["articles", "smallest_n_tokens"] == 300
    assert "notes" not in set(outcome["positive"]["corpus"])


def test_pairs_of_one_document_are_no_pairs(outcome: Outcome):
    n = (
        outcome["positive"]
        .query("pooling == 'cls' and layer == 1")
        .set_index(["corpus", "other_corpus"])["n"]
    )
    assert n["articles", "articles"] == 12 * 11 / 2
    assert n["sentences", "sentences"] == 24 * 22 / 2
    assert n["articles", "sentences"] == 12 * 22
    assert n["sentences", "posts"] == 24 * 16


def test_a_layer_of_one_vector_has_cosine_one_and_no_shape(outcome: Outcome):
    rows = outcome["distributions"].query("layer == 0 and quantity == 'cosine'")
    assert rows["mean"].to_numpy() == pytest.approx(1)
    assert outcome["spectrum"].query("layer == 0")["participation_ratio"].isna().all()
    assert (outcome["separation"].query("layer == 0")["auc"] == 0.5).all()


def test_posts_stand_apart_and_sentences_do_not(outcome: Outcome):
    rows = outcome["separation"].query("layer == 1 and pooling == 'mean'")
    rows = rows.set_index(["corpus", "other_corpus"])
    assert rows.loc[("sentences", "posts"), "auc"] == 1
    assert rows.loc[("articles", "sentences"), "auc"] < 0.9
    assert rows.loc[("articles", "sentences"), "n_shared_documents"] == 12
    # Lengths of articles and posts never meet, those of sentences and posts are alike.
    assert rows["equal_length_auc"].isna().tolist() == [True, True, False]


def test_only_the_shown_state_has_histograms(outcome: Outcome):
    assert set(outcome["histogram"]["pooling"]) == {"mean"}
    assert set(outcome["histogram"]["layer"]) == {1}
    counts = outcome["histogram"].groupby(["corpus", "other_corpus", "quantity"])["count"].sum()
    assert counts["posts", "posts", "cosine"] == 16 * 15 / 2
    assert counts["posts", "posts", "norm"] == 16


def test_no_histogram_is_of_a_first_token_that_saw_no_other():
    settings = SETTINGS | {"shown_pooling": "cls"}
    assert set(measure_text_clouds(three_corpora(), **settings)["histogram"]["pooling"]) == {"cls"}
    blind = {
        name: replace(cloud, states=cloud.states | {"cls": np.ones_like(cloud.states["cls"])})
        for name, cloud in three_corpora().items()
    }
    assert set(measure_text_clouds(blind, **settings)["histogram"]["pooling"]) == {"mean"}


def test_the_number_of_threads_changes_nothing(outcome: Outcome, monkeypatch):
    monkeypatch.setattr(text_clouds, "MOST_THREADS", 1)
    again = measure_text_clouds(three_corpora(), **SETTINGS)
    for table in TEXT_CLOUDS.tables:
        pd.testing.assert_frame_equal(again[table], outcome[table], rtol=0, atol=0)


def test_the_halves_do_not_depend_on_the_number_of_layers(outcome: Outcome):
    clouds = three_corpora()
    shallow = {
        name: replace(cloud, states={pooling: x[:1] for pooling, x in cloud.states.items()})
        for name, cloud in clouds.items()
    }
    other = measure_text_clouds(shallow, **{**SETTINGS, "shown_layer": 0})
    first, second = (
        tables["parquet"][tables["parquet"]["table"] == "distributions"].join(
            tables["distributions"][["pooling", "layer"]], on="row"
        )
        for tables in (outcome, other)
    )
    assert set(second["pooling"]) == set(POOLINGS)
    first = first[first["layer"] == 0]
    assert first["units"].tolist() == second["units"].tolist()
    deviations = (np.stack(table["deviations"].tolist()) for table in (first, second))
    np.testing.assert_allclose(*deviations, rtol=1e-6, atol=1e-7)


def test_one_corpus_is_compared_with_none():
    alone = measure_text_clouds({"posts": three_corpora()["posts"]}, **SETTINGS)
    assert alone["separation"].empty
    assert set(alone["positive"]["other_corpus"]) == {"posts"}


def test_a_model_that_reads_no_text_has_corpora_of_no_text():
    nothing = measure_text_clouds(no_corpora(), **SETTINGS)
    assert nothing["corpora"]["n"].tolist() == [0, 0]
    assert np.isnan(nothing["corpora"]["median_n_tokens"]).all()


def test_a_layer_that_the_model_has_not_is_refused():
    clouds = {"a": corpus([f"d{number}" for number in range(9)], seed=0)}
    with pytest.raises(InputError, match="'shown_layer': found 2, allowed: -2 to 1"):
        measure_text_clouds(clouds, **{**SETTINGS, "shown_layer": 2})


def test_the_last_token_of_a_decoder_is_a_pooling_that_moves_no_other(outcome: Outcome):
    corpora = {
        name: replace(cloud, states=cloud.states | {"last": cloud.states["mean"] + 0.5})
        for name, cloud in three_corpora().items()
    }
    more = measure_text_clouds(corpora, **SETTINGS)
    for table in JOINED:
        rows = more[table]
        plain = rows[rows["pooling"] != "last"].reset_index(drop=True)
        pd.testing.assert_frame_equal(plain, outcome[table])
        if table != "histogram":
            assert (rows["pooling"] == "last").sum() == len(plain) / len(POOLINGS)
