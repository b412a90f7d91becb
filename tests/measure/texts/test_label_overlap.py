"""Holds the stage to a planted layer, to the measures themselves, and to chance."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.geometry import balanced_label_overlap, label_overlap
from embspace.measure.texts.label_overlap import LabeledStates, measure_label_overlap
from tests.analyses import settings_of
from tests.measure.layer_corpora import corpus
from tests.measure.texts.planted_layers import CARRIER, N_LAYERS, N, planted
from tests.models.stream.tiny import tiny

FEW = {"left_out": ["skipped"], "random_weights_corpora": [], "n_half_samples": 20}
SETTINGS = settings_of(measure_label_overlap, **FEW, n_shuffles=10, tokens_per_batch=512)


def states(strength: float = 2.0) -> LabeledStates:
    whole = planted(strength=strength).whole
    return LabeledStates(whole.texts, whole.windows, whole.tokens, whole.states)


def table_of(read: LabeledStates, **given: Any) -> pd.DataFrame:
    return measure_label_overlap(None, None, {"mail": read}, **SETTINGS | given)["csv"]


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return {"module": None, "final_norm": None, "corpora": {} if is_empty else {"mail": states()}}


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return table_of(states())


def test_intervals_of_shares_end_at_0_and_1() -> None:
    rows = table_of(states(strength=2.5)).dropna(subset=["low"])
    assert (rows.loc[rows["value"].between(0.95, 0.999), "high"] == 1).any()
    assert (rows["low"] >= 0).all() and (rows["high"] <= 1).all()
    assert (rows["low"] <= rows["value"]).all() and (rows["value"] <= rows["high"]).all()


def test_the_layer_that_carries_the_labels_is_found(table: pd.DataFrame) -> None:
    assert len(table) == 2 * 3 * N_LAYERS
    carrier = table["layer"] == CARRIER
    assert (table.loc[carrier, "low"] > table.loc[carrier, "null_largest"]).all()
    assert (table.loc[carrier, "less_last_low"] > 0).all()
    assert table.loc[carrier, "value"].min() > table.loc[~carrier, "value"].max()
    others = table[~carrier]
    assert ((others["low"] < others["chance"]) & (others["chance"] < others["high"])).mean() > 0.8


def test_every_document_is_a_unit_with_the_labels_that_there_are(table: pd.DataFrame) -> None:
    assert set(table["n"]) == set(table["n_units"]) == {N}
    assert set(table["n_labels"]) == {2}


def test_values_are_those_of_the_measures(table: pd.DataFrame) -> None:
    read = states()
    labels = read.texts["subject"].to_numpy()
    for _, row in table.iterrows():
        x = read.states[row["pooling"]][row["layer"]].astype(np.float64)
        if row["measure"] == "label_overlap":
            expected = label_overlap(x, labels, k=10)
        else:
            expected = balanced_label_overlap(x, labels, class_fraction=0.25)
        assert row["value"] == pytest.approx(expected)


@pytest.mark.slow
def test_chance_is_the_mean_of_shuffled_labels(table: pd.DataFrame) -> None:
    assert table["chance"].to_numpy() == pytest.approx((N / 2 - 1) / (N - 1))
    overlaps = table_of(states(), n_shuffles=60)
    assert overlaps["null_mean"].to_numpy() == pytest.approx(
        overlaps["chance"].to_numpy(), abs=0.02
    )
    assert (overlaps["null_largest"] >= overlaps["null_mean"]).all()


def test_the_last_layer_differs_from_itself_by_nothing(table: pd.DataFrame) -> None:
    last = table[table["layer"] == N_LAYERS - 1]
    assert (last[["less_last", "less_last_low", "less_last_high"]] == 0).all(axis=None)


def test_a_text_of_two_windows_is_their_mean(table: pd.DataFrame) -> None:
    read = states()
    twice = {pooling: np.concatenate([x - 1, x + 1], axis=1) for pooling, x in read.states.items()}
    windows = pd.concat([read.windows, read.windows], ignore_index=True)
    overlaps = table_of(LabeledStates(read.texts, windows, read.tokens, twice))
    assert overlaps["value"].to_numpy() == pytest.approx(table["value"].to_numpy())


def test_one_vector_for_all_texts_has_no_neighbors() -> None:
    read = states()
    read.states["cls"][0] = 1
    overlaps = table_of(read)
    flat = (overlaps["pooling"] == "cls") & (overlaps["layer"] == 0)
    assert overlaps.loc[flat, ["value", "low", "null_mean"]].isna().all(axis=None)
    assert overlaps.loc[~flat, "value"].notna().all()


def test_what_is_left_out_or_has_no_labels_has_no_row() -> None:
    assert measure_label_overlap(None, None, {"skipped": states()}, **SETTINGS)["csv"].empty
    assert table_of(states(), fewest_documents=N).empty
    assert table_of(states(), n_neighbors=N // 2).empty


def test_random_weights_stand_beside_corpora_that_are_named() -> None:
    module = tiny("bert", num_hidden_layers=1)
    read = corpus(40, dim=module.config.hidden_size)
    names = [f"t{number}" for number in range(80)]
    subjects = np.where(np.arange(80) % 2, "glad", "sad")
    texts = pd.DataFrame({"id": names, "document": names, "domain": "", "subject": subjects})
    pooled = dict.fromkeys(("cls", "mean", "max"), read.states["mean"])
    mail = LabeledStates(texts, pd.DataFrame({"text": names}), read.tokens, pooled)
    given = SETTINGS | {"random_weights_corpora": ["mail"]}
    overlaps = measure_label_overlap(module, None, {"mail": mail, "post": mail}, **given)["csv"]
    is_mail = overlaps["corpus"] == "mail"
    flat = (overlaps["pooling"] == "cls") & (overlaps["layer"] == 0)  # one vector for all texts
    assert overlaps.loc[is_mail & ~flat, "random_weights_value"].between(0, 1).all()
    assert overlaps.loc[flat, "random_weights_value"].isna().all()
    assert overlaps.loc[~is_mail, "random_weights_value"].isna().all()


def test_the_vector_of_a_sentence_model_has_rows_and_moves_no_other(table: pd.DataFrame) -> None:
    read = states()
    own = replace(read, sentences=read.states["mean"][CARRIER].copy())
    overlaps = table_of(own)
    is_own = overlaps["pooling"] == "sentence"
    pd.testing.assert_frame_equal(
        overlaps[~is_own].reset_index(drop=True), table, check_dtype=False
    )
    mean = table[(table["pooling"] == "mean") & (table["layer"] == CARRIER)]
    assert overlaps.loc[is_own, "value"].tolist() == mean["value"].tolist()
    outside = ["layer", "less_last", "less_last_low", "less_last_high"]
    assert overlaps.loc[is_own, outside].isna().all(axis=None)
