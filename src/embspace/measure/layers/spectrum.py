"""Stage `measure_spectrum`: over how many directions the variance of a layer is spread."""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome
from embspace.clouds.documents import large_enough
from embspace.clouds.layers import Change, CorpusStates
from embspace.measure.layers.layer_profiles import CORPORA, RANDOM_WEIGHTS, TABLES, layer_profiles
from embspace.measure.layers.layer_protocol import Draws, Protocol
from embspace.measure.layers.random_weight_nulls import with_random_weights_as_nulls
from embspace.settings.stage import run_stage

SPECTRUM = Analysis(
    noun="spectrum",
    question="Over how many directions is a layer's variance spread?",
    over="profiled",
    reads={"corpora": CORPORA, "random_weights": RANDOM_WEIGHTS},
    tables=TABLES,
)


def measure_spectrum(
    corpora: Mapping[str, CorpusStates],
    random_weights: pd.DataFrame,
    *,
    fewest_documents: Annotated[int, Field(ge=4)],
    most_layers: Annotated[int, Field(ge=2)],
    changes: list[Change],
    n_top: PositiveInt,
    value_only: list[str],
    over_batches: list[str],
    batch_size: Annotated[int, Field(ge=64)],
    draws: Draws,
    seed: NonNegativeInt,
) -> Outcome:
    """Return the measures of the spectrum by corpus, space, change and layer.

    As `measure_direction`; further, a change removes the first `n_top` principal components,
    measures of `value_only` have neither intervals nor nulls, and the measures `over_batches`, of
    all vectors, are repeated over batches of `batch_size` vectors in the order of the texts.
    """
    protocol = Protocol(
        families=("spectrum",),
        changes=changes,
        most_layers=most_layers,
        n_top=n_top,
        value_only=value_only,
        over_batches=dict.fromkeys(over_batches, batch_size),
        rng=np.random.default_rng(seed),
        **dict(draws),
    )
    outcome = layer_profiles(large_enough(corpora, fewest_documents), protocol)
    return with_random_weights_as_nulls(outcome, random_weights)


main = SPECTRUM.main(measure_spectrum)

if __name__ == "__main__":
    run_stage(main, measure_spectrum)
