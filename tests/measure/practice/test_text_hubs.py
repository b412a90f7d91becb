from typing import Any

import numpy as np
import pytest

from embspace.app.practice.reading import read_corpus
from embspace.measure.practice import text_hubs
from embspace.measure.practice.scored_versions import cosines
from embspace.measure.practice.text_hubs import measure_text_hubs
from embspace.measure.practice.text_vectors import HalfVectors
from tests.analyses import settings_of
from tests.measure.practice.planted import corpus, topics

SETTINGS = settings_of(measure_text_hubs)


@pytest.fixture(autouse=True)
def few_clouds(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(text_hubs, "N_NULL", 19)


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return {"corpora": {} if is_empty else {"ships": topics()}}


def measured(read: Any) -> Any:
    tables = measure_text_hubs({"ships": read}, **SETTINGS)
    return tables["hubness"].set_index("version"), tables["tasks"]


def test_a_planted_hub_stands_out_of_gaussian_clouds_and_local_scaling_evens_it_out():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1, 200, 40))
    x[0, 0] = x[0].mean(axis=0)  # near to all by direction
    x[0] += 0.5
    table, _ = measured(corpus(x))
    plain = table.loc["cosine"]
    assert plain["largest"] > plain["null_largest"] and plain["p_value"] == 0.05
    assert table.loc["local_scaling", "largest"] < plain["largest"] / 2
    assert table["null_skewness"].notna().tolist() == [True, False, False, False, False]


def test_gaussian_clouds_have_no_hubs_beyond_gaussian_clouds():
    rng = np.random.default_rng(1)
    p_values = [
        measured(corpus(rng.normal(size=(1, 80, 10))))[0].loc["cosine", "p_value"] for _ in range(6)
    ]
    assert sum(p <= 0.05 for p in p_values) <= 2


def test_p_counts_for_all_corpora():
    read = {"ships": topics(), "ports": topics(seed=1)}
    table = measure_text_hubs(read, **SETTINGS)["hubness"]
    plain = table[table["version"] == "cosine"]
    doubled = (2 * plain["p_value"]).clip(upper=1)
    assert len(plain) == 2 and plain["p_value_of_all"].tolist() == doubled.tolist()


def test_remedies_are_held_against_the_plain_cosine():
    _, tasks = measured(topics())
    assert set(tasks["task"]) == {"search", "labels"}
    plain = tasks[tasks["version"] == "cosine"]
    assert (plain["difference"] == 0).all() and set(plain["n_documents"]) == {80}


def test_centered_queries_are_less_the_mean_of_the_texts():
    x = np.random.default_rng(0).normal(size=(40, 5)).astype(np.float32) + 3
    cloud, centered = read_corpus(x).at(), x - x.mean(axis=0, dtype=np.float64)
    halves = HalfVectors(x[:20], x[20:], np.eye(20, dtype=bool), np.arange(20), [*"a" * 20])
    given = text_hubs._searched(cloud, halves, "centered", "cosine")
    assert given == pytest.approx(cosines(centered[:20], centered[20:]), abs=1e-6)
