"""Stage `measure_profiles`: the measures of a family at every layer of a model.

The stage `measure_hubs` runs this module, too. It has the results of two families, for
neighbors are looked for once, and DVC cannot give one item of a matrix more outputs than others.
"""

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.clouds.documents import large_enough
from embspace.clouds.layers import Change, CorpusStates, load_corpora_states
from embspace.errors import InputError, not_among
from embspace.files.rows import load_rows
from embspace.files.tables import save_table
from embspace.geometry.measures.declaration import Family
from embspace.measure.layers.layer_profiles import LayerProfiles, layer_profiles
from embspace.measure.layers.layer_protocol import Protocol
from embspace.measure.layers.random_weight_nulls import with_random_weights_as_nulls
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Share

# What `family` may be -> the families that are measured together.
TOGETHER: dict[str, tuple[Family, ...]] = {
    "direction": ("direction",),
    "spectrum": ("spectrum",),
    "context": ("context",),
    "hubs": ("hubs", "intrinsic_dimension"),
}


def measure_profiles(
    corpora: dict[str, CorpusStates],
    random_weights: pd.DataFrame | None,
    families: tuple[Family, ...],
    *,
    fewest_documents: Annotated[int, Field(ge=4)],
    most_layers: Annotated[int, Field(ge=2)],
    changes: list[Change],
    changes_of_spectrum: list[Change],
    n_top: PositiveInt,
    value_only: list[str],
    without_draws: list[str],
    few_batches: list[str],
    over_batches: list[str],
    position_band: PositiveInt,
    batch_size: Annotated[int, Field(ge=64)],
    n_batches_of_changes: PositiveInt,
    n_half_samples: PositiveInt,
    level: Share,
    tolerance: Share,
    n_null_draws: PositiveInt,
    shares: list[Share],
    n_share_draws: PositiveInt,
    seed: NonNegativeInt,
) -> LayerProfiles:
    """Return the measures of families by corpus, space, change and layer; of context by token.

    A model with more than `most_layers` layers is measured at every second, third, … layer and the
    last.

    `random_weights` is the result of `measure_random_weights`, and becomes a further null; None for
    neighbors. Neighbors are searched within disjoint batches of `batch_size` shuffled vectors: in
    all batches of unchanged vectors, in `n_batches_of_changes` batches of changed vectors. Measures
    of `few_batches` have as few batches for unchanged vectors, too. Measures `without_draws` have
    intervals, but no draws of nulls and of fewer texts. The measures `over_batches` use all
    vectors, and are repeated over batches of the same size in the order of the texts.
    """
    protocol = Protocol(
        families=families,
        changes=changes + (changes_of_spectrum if "spectrum" in families else []),
        most_layers=most_layers,
        n_top=n_top,
        value_only=value_only,
        without_draws=without_draws,
        few_batches=few_batches,
        over_batches=dict.fromkeys(over_batches, batch_size),
        position_band=position_band,
        batch_size=batch_size if "hubs" in families else None,
        n_batches_of_changes=n_batches_of_changes,
        n_half_samples=n_half_samples,
        level=level,
        tolerance=tolerance,
        n_null_draws=n_null_draws,
        shares=shares,
        n_share_draws=n_share_draws,
        rng=np.random.default_rng(seed),
    )
    found = layer_profiles(large_enough(corpora, fewest_documents), protocol)
    return found if random_weights is None else with_random_weights_as_nulls(found, random_weights)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    if config.family not in TOGETHER:
        raise InputError(f"command line: key 'family': {not_among(config.family, TOGETHER)}")
    families = TOGETHER[config.family]
    corpora = load_corpora_states(
        f"data/extracted/hidden_states/{name}", "data/prepared/texts", config.corpora
    )
    random_weights = (
        None if "hubs" in families else load_rows(f"data/measured/random_weights/{name}.parquet")
    )
    found = measure_profiles(corpora, random_weights, families, **config.settings)
    for family in families:
        tables = found.of_family(family)
        save_table(tables.profiles, f"results/{family}/profiles/{name}.csv")
        save_table(tables.nulls, f"results/{family}/nulls/{name}.csv")
        save_table(tables.curves, f"results/{family}/curves/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_profiles)
