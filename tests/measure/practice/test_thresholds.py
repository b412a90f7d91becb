from typing import Any

import numpy as np

from embspace.geometry.pairs.directions import unit_rows
from embspace.measure.practice.thresholds import measure_thresholds
from tests.analyses import settings_of
from tests.measure.practice.planted import corpus, topics

SETTINGS = settings_of(measure_thresholds)


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return {"corpora": {} if is_empty else {"ships": topics()}}


def rare(x: np.ndarray, documents: np.ndarray | None = None, **changed: Any) -> Any:
    tables = measure_thresholds({"ships": corpus(x, documents)}, **(SETTINGS | changed))
    return tables["csv"].set_index(["layer", "preparation", "rate"]), tables["fixed"]


def test_one_pair_in_a_thousand_reaches_the_cosine():
    x = np.random.default_rng(0).normal(size=(2, 100, 8)) + [[[0.0]], [[1.0]]]
    table, _ = rare(x)
    unit = unit_rows(x[0])
    cosine = np.sort((unit @ unit.T)[np.triu_indices(100, 1)])[::-1]
    row = table.loc[0, "raw", 1e-3]
    assert row["n_pairs"] == 4950 and row["n_above"] == 4
    assert cosine[4] < row["cosine"] <= cosine[3] + 1e-6
    assert row["cosine_low"] <= row["cosine"] <= row["cosine_high"]
    assert np.isnan(table.loc[0, "raw", 1e-5]["cosine"])  # less than one pair


def test_a_common_mean_makes_high_cosines_of_all_pairs_until_it_is_taken_away():
    x = np.random.default_rng(0).normal(size=(1, 100, 8)) + 9
    table, fixed = rare(x)
    raw, centered = (table.loc[0, kind, 1e-3]["cosine"] for kind in ("raw", "centered"))
    assert raw > 0.99 > centered
    above = fixed.set_index("cosine")["share"]
    assert above[0.8] == 1 and (above.diff().dropna() <= 0).all()


def test_pairs_of_one_document_do_not_count():
    x = np.random.default_rng(0).normal(size=(1, 60, 8))
    x[0, 1::2] = x[0, ::2]  # the same text twice, in one document
    table, fixed = rare(x, np.arange(60) // 2)
    assert table.loc[0, "raw", 1e-3]["n_pairs"] == 60 * 59 / 2 - 30
    assert fixed.set_index("cosine")["n_above"][0.95] == 0


def test_a_small_corpus_and_equal_vectors_have_no_row():
    x = np.random.default_rng(0).normal(size=(1, 19, 8))
    assert rare(x)[0].empty
    table, _ = rare(np.ones((1, 30, 8)))
    assert {*table.index.get_level_values("preparation")} == {"raw"}
