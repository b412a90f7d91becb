"""Stage `measure_neighbourhoods`: who is whose neighbour at a layer, and how far away?

The intrinsic dimension is another question to the same neighbours, who are looked for once.
"""

from typing import Annotated

import numpy as np
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.files.rows import save_rows
from embspace.files.tables import save_table
from embspace.measure.layers.layer_profiles import LayerProfiles, layer_profiles
from embspace.measure.layers.layer_protocol import Protocol
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Share
from embspace.spaces.documents import large_enough
from embspace.spaces.layers import Change, CorpusStates, load_corpora_states


def measure_neighbourhoods(
    corpora: dict[str, CorpusStates],
    *,
    fewest_documents: Annotated[int, Field(ge=4)],
    changes: list[Change],
    batch_size: Annotated[int, Field(ge=64)],
    n_batches_of_changes: PositiveInt,
    value_only: list[str],
    n_half_samples: PositiveInt,
    level: Share,
    tolerance: Share,
    n_null_draws: PositiveInt,
    shares: list[Share],
    n_share_draws: PositiveInt,
    seed: NonNegativeInt,
) -> LayerProfiles:
    """The measures of neighbours, of two families, by corpus, space, change and layer.

    Neighbours are looked for within disjoint batches of `batch_size` shuffled vectors: all batches
    of vectors as they are, `n_batches_of_changes` of those that are changed. A corpus of
    less than `fewest_documents` is left out.
    """
    protocol = Protocol(
        families=("neighbourhoods", "intrinsic_dimension"),
        changes=changes,
        batch_size=batch_size,
        n_batches_of_changes=n_batches_of_changes,
        value_only=value_only,
        n_half_samples=n_half_samples,
        level=level,
        tolerance=tolerance,
        n_null_draws=n_null_draws,
        shares=shares,
        n_share_draws=n_share_draws,
        rng=np.random.default_rng(seed),
    )
    return layer_profiles(large_enough(corpora, fewest_documents), protocol)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    corpora = load_corpora_states(
        f"data/extracted/hidden_states/{name}", "data/prepared/texts", config.corpora
    )
    of_both = measure_neighbourhoods(corpora, **config.settings)
    save_rows(of_both.profiles, f"data/measured/neighbourhoods/profiles/{name}.parquet")
    save_rows(of_both.nulls, f"data/measured/neighbourhoods/nulls/{name}.parquet")
    save_rows(of_both.curves, f"data/measured/neighbourhoods/curves/{name}.parquet")
    tables = of_both.of_family("neighbourhoods")
    save_table(tables.profiles, f"results/neighbourhoods/profiles/{name}.csv")
    save_table(tables.nulls, f"results/neighbourhoods/nulls/{name}.csv")
    save_table(tables.curves, f"results/neighbourhoods/curves/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_neighbourhoods)
