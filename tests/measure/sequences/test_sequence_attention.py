"""Runs attention along the gene on a small run that classifies sequences."""

from typing import Any

import numpy as np
import pytest

from embspace.analysis import Outcome
from embspace.errors import InputError
from embspace.measure.sequences.sequence_attention import measure_sequence_attention
from embspace.measure.sequences.sequence_attention_maps import ANY, OWN
from tests.analyses import settings_of
from tests.measure.sequences.small import in_pairs, learned_run

FEW: dict[str, Any] = {
    "regions": {"near the end": [500, 505]},
    "n_random_weights": 2,
    "n_resamples": 20,
}


def inputs(*, is_empty: bool) -> dict[str, Any]:
    learned = learned_run()
    placed = None if is_empty else in_pairs(learned.placed)
    return {"run": learned.run, "placed": placed, "root": learned.root, "final_norm": None}


def measured(**change: Any) -> Outcome:
    settings = settings_of(measure_sequence_attention, **FEW | change)
    return measure_sequence_attention(**inputs(is_empty=False), **settings)


def test_a_row_for_each_model_head_reader_and_region(learned: Any) -> None:
    tables = measured()
    regions, layers, places = (tables[name] for name in ("regions", "layers", "places"))
    assert len(regions) == 3 * 2 * 2 * 2 * 3  # models, layers, heads, readers, regions
    assert set(regions["region"]) == {OWN, ANY, "near the end"}
    assert (regions["ratio"] > 0).all() and (regions["ratio_low"] < regions["ratio_high"]).all()
    trained = regions[regions["weights"] == "trained"]
    at_random = regions[regions["weights"] != "trained"]
    assert at_random["looks_there"].isna().all()
    keys = ["layer", "head", "reader", "region"]
    largest = at_random.groupby(keys)["ratio"].max()
    assert trained.set_index(keys)["largest_random_ratio"].to_dict() == largest.to_dict()
    n_with_change = int(in_pairs(learned.placed).has.any(axis=1).sum())
    assert set(regions.loc[regions["region"] == OWN, "n_documents"]) == {n_with_change}
    assert set(layers.loc[layers["quantity"] == "cone_index", "layer"]) == {0, 1, 2}
    entropy = layers[layers["quantity"] == "row_entropy"]
    assert entropy["value"].between(0, 1).all()
    assert set(entropy["layer"]) == {1, 2}
    assert len(places) == 2 * 2 * 11
    assert np.isfinite(places["attention"]).all()


@pytest.mark.slow
def test_a_region_that_is_not_within_the_gene_is_refused() -> None:
    for codons in ([500], [505, 500], [1, 2]):
        with pytest.raises(InputError, match="key 'regions.odd': found .* between 478 and 511"):
            measured(regions={"odd": codons}, n_random_weights=1)
