from typing import Any

import numpy as np
import pytest

from embspace.measure.practice.compression import measure_compression, smallest
from tests.analyses import settings_of
from tests.measure.practice.planted import corpus, topics

SETTINGS = settings_of(measure_compression)

DECIDED_BY_SEED = (
    "value",
    "difference",
    "share_kept",
    "chance",
    "first",
    "random",
    "bytes",
    "version",
)


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return {"corpora": {} if is_empty else {"ships": topics(dim=16)}}


def measured(**changed: Any) -> Any:
    return measure_compression({"ships": topics(dim=16)}, **(SETTINGS | changed))


def test_a_space_of_few_directions_keeps_all_by_as_many_components():
    rng = np.random.default_rng(0)
    flat = rng.normal(size=(1, 80, 4)) @ rng.normal(size=(4, 32))
    tables = measure_compression({"ships": corpus(flat)}, **SETTINGS)
    kept = tables["csv"].set_index(["task", "version"])["value"]
    assert kept["neighbors", "PCA 8"] > 0.95 > kept["neighbors", "first 8"]
    # With noise in each direction, eight components are not enough.
    noisy = rng.normal(size=(1, 80, 32))
    tables = measure_compression({"ships": corpus(noisy)}, **SETTINGS)
    kept = tables["csv"].set_index(["task", "version"])["value"]
    assert kept["neighbors", "PCA 8"] < 0.7


def test_search_labels_neighbors_and_clusters_are_asked():
    tables = measured()
    table = tables["csv"]
    assert set(table["task"]) == {"search", "labels", "neighbors", "clusters"}
    full = table[table["version"] == "float32"].set_index("task")
    assert full.loc["neighbors", "value"] == 1 and (full["difference"] == 0).all()
    assert full.loc["search", "value"] > 0.8 and full.loc["labels", "value"] > 0.4
    assert set(table[table["bytes"].notna()].groupby("version")["bytes"].nunique()) == {1}
    assert tables["shape"]["dim"].tolist() == [16]


def test_the_smallest_setting_keeps_what_is_asked_for_sure():
    tables = measured()
    rows = tables["smallest"].set_index("task")
    chosen = smallest(tables["csv"], "neighbors", SETTINGS["lost"])
    assert chosen is not None and rows.loc["neighbors", "version"] == chosen["version"]
    assert chosen["share_kept_low"] > 1 - SETTINGS["lost"]
    lenient = measured(lost=0.9)["smallest"].set_index("task")["bytes"]
    assert lenient["neighbors"] < rows.loc["neighbors", "bytes"]
    none = measured(lost=1e-12)["smallest"].set_index("task")
    assert none.loc["neighbors", "version"] == "float16"  # which loses no neighbor of so few


def test_labels_by_chance_have_nothing_to_keep():
    n_kept = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        label = [*map(str, rng.integers(2, size=80))]
        read = corpus(rng.normal(size=(1, 80, 16)), labels=label)
        table = measure_compression({"ships": read}, **SETTINGS)["csv"].query("task == 'labels'")
        assert table["chance"].iloc[0] == pytest.approx(0.5, abs=0.1)
        n_kept += bool(table["share_kept"].notna().all())
    assert n_kept <= 2


def test_a_small_corpus_is_left_out():
    assert measured(fewest_documents=41)["csv"].empty
    assert measured(most_texts=60)["csv"]["n"].max() <= 30
