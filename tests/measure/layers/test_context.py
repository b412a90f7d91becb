"""Holds the measures of context of layers to their vectors, settings and nulls."""

from functools import cache
from typing import Any

import pytest

from embspace.analysis import Outcome
from embspace.geometry import self_similarity
from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.layers.context import measure_context
from tests.analyses import settings_of
from tests.measure.layer_corpora import DECIDED_BY_SEED as DECIDED_BY_SEED
from tests.measure.layer_corpora import (
    EMPTY,
    corpus,
    processes,
    random_weights,
    three_corpora,
    vectors,
)
from tests.measure.layer_corpora import FEW as FEW_OF_ALL

RANDOM = random_weights("self_similarity")
FEW = FEW_OF_ALL | {"position_band": 5}


def inputs(*, is_empty: bool) -> dict[str, Any]:
    corpora = {} if is_empty else {"many": corpus(9)}
    return {"corpora": corpora, "random_weights": EMPTY if is_empty else RANDOM}


@cache
def measured(**change: Any) -> Outcome:
    settings = settings_of(measure_context, **FEW | change)
    with processes(1):
        return measure_context(three_corpora(), RANDOM, **settings)


def test_every_measure_of_context_and_no_other():
    names = {name for name, measure in profiled_measures().items() if measure.family == "context"}
    assert set(measured()["profiles"]["measure"]) == names


def test_corpora_without_tokens_and_small_corpora_are_left_out():
    assert set(measured()["profiles"]["corpus"]) == {"many"}
    larger = measured(fewest_documents=13)
    assert larger["profiles"].empty and larger["nulls"].empty


def test_slow_measures_have_no_interval():
    slow_ones = settings_of(measure_context)["value_only"]
    rows = measured()["profiles"]
    slow = rows[rows["measure"].isin(slow_ones)]
    assert set(slow["measure"]) == set(slow_ones)
    assert set(slow["change"]) == {"as_is"}
    assert slow[["low", "high"]].isna().all(axis=None)
    others = rows.drop(slow.index).query("change == 'as_is'")
    assert others["low"].notna().mean() > 0.9


def test_layers_of_words_alone_owe_nothing_to_the_text():
    nulls = measured()["nulls"]
    rows = nulls[nulls["null"] == "exchanged_between_texts"].set_index("measure")
    # Exchanged within a word, nothing of a word changes: no null of what is measured by word.
    assert set(rows.index) == {"intra_sentence_similarity", "text_curvature"}
    row = rows.loc["intra_sentence_similarity"].set_index("layer")
    assert abs(row["value"] - row["null_mean"])[0] < 0.05
    assert (row["value"] - row["null_mean"])[1] > 0.1


def test_random_weights_are_a_null_among_others():
    nulls = measured()["nulls"]
    [row] = nulls[nulls["null"] == "shuffled_entries"].to_dict("records")
    assert (row["measure"], row["n_draws"], row["null_mean"]) == ("self_similarity", 2, 0.25)
    many = vectors("many", layer=1)
    assert row["value"] == pytest.approx(self_similarity(many.x, many.word))
