"""Runs the class flow of a small run that classifies sequences."""

from typing import Any

import numpy as np
import pytest

from embspace.analysis import Outcome
from embspace.measure.sequences.class_flow import measure_class_flow
from tests.analyses import settings_of
from tests.measure.sequences.small import learned_run

FEW: dict[str, Any] = {
    "n_random_weights": 2,
    "n_resamples": 20,
    "n_shuffles": 20,
    "perplexity": 5.0,
    "early_exaggeration_iter": 5,
    "n_iter": 10,
    "quality_n_neighbors": 5,
}
DECIDED_BY_SEED = ("silhouette_p_value", "nearest_in_class_p_value", "is_parted", "tsne_1")
DECIDED_BY_SEED += ("tsne_2", "trustworthiness", "continuity", "neighbor_recall")


def inputs(*, is_empty: bool) -> dict[str, Any]:
    learned = learned_run()
    sequences = None if is_empty else learned.sequences
    return {"run": learned.run, "sequences": sequences, "root": learned.root, "final_norm": None}


@pytest.fixture(scope="module")
def tables() -> Outcome:
    return measure_class_flow(**inputs(is_empty=False), **settings_of(measure_class_flow, **FEW))


def test_a_row_for_each_model_and_layer(tables: Outcome, learned: Any) -> None:
    table = tables["separation"]
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


def test_maps_are_of_every_text_at_some_layers(tables: Outcome, learned: Any) -> None:
    maps, quality = tables["maps"], tables["quality"]
    assert sorted(maps["layer"].unique()) == [1, 2]
    assert len(maps) == 2 * len(learned.sequences.texts)
    assert np.isfinite(maps[["pca_1", "pca_2", "tsne_1", "tsne_2"]]).all(axis=None)
    pca = quality[quality["method"] == "pca"]
    assert (pca["explained_variance_1"] >= pca["explained_variance_2"]).all()
