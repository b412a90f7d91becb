"""Stage `measure_intrinsic_dimension`: how many dimensions the vectors of a layer have locally."""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome
from embspace.clouds.documents import large_enough
from embspace.clouds.layers import Change, CorpusStates
from embspace.files.rows import save_rows
from embspace.measure.layers.layer_profiles import (
    CORPORA,
    NEIGHBOR_TABLES,
    family_tables,
    layer_profiles,
)
from embspace.measure.layers.layer_protocol import Draws, Protocol
from embspace.settings.stage import run_stage

INTRINSIC_DIMENSION = Analysis(
    noun="intrinsic_dimension",
    question="How many numbers say where a layer's vectors are?",
    over="profiled",
    reads={"corpora": CORPORA},
    tables=NEIGHBOR_TABLES,
    data={"parquet": save_rows},
    undrawn=["parquet"],
)


def measure_intrinsic_dimension(
    corpora: Mapping[str, CorpusStates],
    *,
    fewest_documents: Annotated[int, Field(ge=4)],
    most_layers: Annotated[int, Field(ge=2)],
    changes: list[Change],
    value_only: list[str],
    few_batches: list[str],
    batch_size: Annotated[int, Field(ge=64)],
    n_batches_of_changes: PositiveInt,
    draws: Draws,
    seed: NonNegativeInt,
) -> Outcome:
    """Return the intrinsic dimension by corpus, space, change and layer, and the measures of hubs.

    Neighbors are searched within disjoint batches of `batch_size` shuffled vectors: in all batches
    of unchanged vectors, and in `n_batches_of_changes` batches for changed vectors and for measures
    of `few_batches`. Measures of `value_only` have neither intervals nor nulls. The search takes
    most of the time, so the measures of hubs use the same neighbors: "parquet", for `measure_hubs`.
    """
    protocol = Protocol(
        families=("intrinsic_dimension", "hubs"),
        changes=changes,
        most_layers=most_layers,
        value_only=value_only,
        few_batches=few_batches,
        batch_size=batch_size,
        n_batches_of_changes=n_batches_of_changes,
        rng=np.random.default_rng(seed),
        **dict(draws),
    )
    outcome = layer_profiles(large_enough(corpora, fewest_documents), protocol)
    hubs = family_tables(outcome, "hubs")
    return {**family_tables(outcome, "intrinsic_dimension"), "parquet": side_by_side(hubs)}


def side_by_side(tables: Outcome) -> pd.DataFrame:
    """Return the tables as one, with columns `<table>.<column>`, so that no column mixes types."""
    # Other integers become floats where another table has more rows.
    parts = [
        table.astype(dict.fromkeys(table.select_dtypes("integer"), "Int64")).add_prefix(f"{name}.")
        for name, table in tables.items()
    ]
    return pd.concat(parts, axis=1)


main = INTRINSIC_DIMENSION.main(measure_intrinsic_dimension)

if __name__ == "__main__":
    run_stage(main, measure_intrinsic_dimension)
