"""Stage `measure_direction`: do the vectors of a layer point the same way?"""

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.files.rows import load_rows
from embspace.files.tables import save_table
from embspace.measure.layers.layer_profiles import LayerProfiles, layer_profiles
from embspace.measure.layers.layer_protocol import Protocol
from embspace.measure.layers.random_weight_nulls import with_random_weights_as_nulls
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Share
from embspace.spaces.documents import large_enough
from embspace.spaces.layers import Change, CorpusStates, load_corpora_states


def measure_direction(
    corpora: dict[str, CorpusStates],
    random_weights: pd.DataFrame,
    *,
    fewest_documents: Annotated[int, Field(ge=4)],
    changes: list[Change],
    n_half_samples: PositiveInt,
    level: Share,
    tolerance: Share,
    n_null_draws: PositiveInt,
    shares: list[Share],
    n_share_draws: PositiveInt,
    seed: NonNegativeInt,
) -> LayerProfiles:
    """The measures of the family `direction`, by corpus, space, change and layer.

    `random_weights` is what `measure_random_weights` leaves, and becomes a null among the others.
    A corpus of less than `fewest_documents` is left out.
    """
    protocol = Protocol(
        families=("direction",),
        changes=changes,
        n_half_samples=n_half_samples,
        level=level,
        tolerance=tolerance,
        n_null_draws=n_null_draws,
        shares=shares,
        n_share_draws=n_share_draws,
        rng=np.random.default_rng(seed),
    )
    profiles = layer_profiles(large_enough(corpora, fewest_documents), protocol)
    return with_random_weights_as_nulls(profiles, random_weights)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    corpora = load_corpora_states(
        f"data/extracted/hidden_states/{name}", "data/prepared/texts", config.corpora
    )
    random_weights = load_rows(f"data/measured/random_weights/{name}.parquet")
    tables = measure_direction(corpora, random_weights, **config.settings)
    save_table(tables.profiles, f"results/direction/profiles/{name}.csv")
    save_table(tables.nulls, f"results/direction/nulls/{name}.csv")
    save_table(tables.curves, f"results/direction/curves/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_direction)
