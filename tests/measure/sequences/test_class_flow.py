"""Runs the class flow of a small run, and of one that classifies no sequences."""

from typing import Any

import numpy as np
import pytest

from embspace.measure.sequences.class_flow import ClassFlowTables, measure_class_flow

SETTINGS: dict[str, Any] = {
    "n_random_weights": 2,
    "n_resamples": 20,
    "level": 0.95,
    "n_shuffles": 20,
    "n_map_layers": 4,
    "perplexity": 5.0,
    "early_exaggeration": 4.0,
    "early_exaggeration_iter": 5,
    "n_iter": 10,
    "jitter": 0.01,
    "quality_n_neighbors": 5,
    "seed": 0,
}


@pytest.fixture(scope="module")
def tables(learned: Any) -> ClassFlowTables:
    return measure_class_flow(learned.run, learned.sequences, learned.root, None, **SETTINGS)


def test_a_row_for_each_model_and_layer(tables: ClassFlowTables, learned: Any) -> None:
    table = tables.separation
    models = table.groupby(["weights", "model_seed"]).size()
    assert models.to_dict() == {
        ("trained", 0): 3,
        ("pretrained", 0): 3,
        ("random weights", 0): 3,
        ("random weights", 1): 3,
    }
    assert (table["n_documents"] == learned.sequences.document.max() + 1).all()
    # Before the first block [CLS] is one vector: nothing is parted, and nothing is said.
    assert table.loc[table["layer"] == 0, "silhouette"].isna().all()
    later = table[table["layer"] > 0]
    assert (later["silhouette_low"] <= later["silhouette_high"]).all()
    assert later["silhouette"].between(-1, 1).all()


def test_maps_are_of_every_text_at_some_layers(tables: ClassFlowTables, learned: Any) -> None:
    assert sorted(tables.maps["layer"].unique()) == [1, 2]
    assert len(tables.maps) == 2 * len(learned.sequences.texts)
    assert np.isfinite(tables.maps[["pca_1", "pca_2", "tsne_1", "tsne_2"]]).all(axis=None)
    pca = tables.quality[tables.quality["method"] == "pca"]
    assert (pca["explained_variance_1"] >= pca["explained_variance_2"]).all()


def test_the_same_run_gives_the_same_tables(tables: ClassFlowTables, learned: Any) -> None:
    again = measure_class_flow(learned.run, learned.sequences, learned.root, None, **SETTINGS)
    assert again.separation.equals(tables.separation)
    assert again.maps.equals(tables.maps)


def test_a_run_without_sequences_has_empty_tables(learned: Any) -> None:
    found = measure_class_flow(learned.run, None, learned.root, None, **SETTINGS)
    assert found.separation.empty and found.maps.empty and found.quality.empty
    assert "silhouette_low" in found.separation
