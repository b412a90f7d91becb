"""Runs attention along the gene on a small run, and on one that classifies no sequences."""

from typing import Any

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.measure.sequences.sequence_attention import measure_sequence_attention
from embspace.measure.sequences.sequence_attention_maps import ANY, OWN

SETTINGS: dict[str, Any] = {
    "regions": {"near the end": [500, 505]},
    "n_random_weights": 2,
    "n_resamples": 20,
    "level": 0.95,
    "seed": 0,
}


def test_a_row_for_each_model_head_reader_and_region(learned: Any) -> None:
    found = measure_sequence_attention(learned.run, learned.placed, learned.root, None, **SETTINGS)
    regions = found.regions
    assert len(regions) == 3 * 2 * 2 * 2 * 3  # models, layers, heads, readers, regions
    assert set(regions["region"]) == {OWN, ANY, "near the end"}
    assert (regions["ratio"] > 0).all()
    trained = regions[regions["weights"] == "trained"]
    at_random = regions[regions["weights"] != "trained"]
    assert at_random["looks_there"].isna().all()
    keys = ["layer", "head", "reader", "region"]
    largest = at_random.groupby(keys)["ratio"].max()
    assert trained.set_index(keys)["largest_random_ratio"].to_dict() == largest.to_dict()
    n_with_change = int(learned.placed.has.any(axis=1).sum())
    assert set(regions.loc[regions["region"] == OWN, "n_documents"]) == {n_with_change}
    layers = found.layers
    assert set(layers.loc[layers["quantity"] == "cone_index", "layer"]) == {0, 1, 2}
    entropy = layers[layers["quantity"] == "row_entropy"]
    assert entropy["value"].between(0, 1).all()
    assert set(entropy["layer"]) == {1, 2}
    assert len(found.places) == 2 * 2 * 11
    assert np.isfinite(found.places["attention"]).all()


@pytest.mark.slow
def test_a_region_that_is_not_within_the_gene_is_refused(learned: Any) -> None:
    for codons in ([500], [505, 500], [1, 2]):
        settings = {**SETTINGS, "regions": {"odd": codons}, "n_random_weights": 1}
        with pytest.raises(InputError, match="key 'regions.odd': found .* between 478 and 511"):
            measure_sequence_attention(learned.run, learned.placed, learned.root, None, **settings)


def test_a_run_without_sequences_has_empty_tables(learned: Any) -> None:
    found = measure_sequence_attention(learned.run, None, learned.root, None, **SETTINGS)
    assert found.regions.empty and found.layers.empty and found.places.empty
    assert "ratio_low" in found.regions
