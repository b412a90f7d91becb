"""Stage `measure_direction`: how alike the vectors of a model's layers point."""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field, NonNegativeInt

from embspace.analysis import Analysis, Outcome
from embspace.clouds.documents import large_enough
from embspace.clouds.layers import Change, CorpusStates
from embspace.measure.layers.layer_profiles import CORPORA, RANDOM_WEIGHTS, TABLES, layer_profiles
from embspace.measure.layers.layer_protocol import Draws, Protocol
from embspace.measure.layers.random_weight_nulls import with_random_weights_as_nulls
from embspace.settings.stage import run_stage

DIRECTION = Analysis(
    noun="direction",
    question="Do the vectors of a layer point the same way?",
    over="profiled",
    reads={"corpora": CORPORA, "random_weights": RANDOM_WEIGHTS},
    tables=TABLES,
)


def measure_direction(
    corpora: Mapping[str, CorpusStates],
    random_weights: pd.DataFrame,
    *,
    fewest_documents: Annotated[int, Field(ge=4)],
    most_layers: Annotated[int, Field(ge=2)],
    changes: list[Change],
    draws: Draws,
    seed: NonNegativeInt,
) -> Outcome:
    """Return the measures of direction by corpus, space, change and layer.

    A model with more than `most_layers` layers is measured at every second, third, … layer and the
    last. `random_weights` is the result of `measure_random_weights`, and becomes a further null.
    """
    protocol = Protocol(
        families=("direction",),
        changes=changes,
        most_layers=most_layers,
        rng=np.random.default_rng(seed),
        **dict(draws),
    )
    outcome = layer_profiles(large_enough(corpora, fewest_documents), protocol)
    return with_random_weights_as_nulls(outcome, random_weights)


main = DIRECTION.main(measure_direction)

if __name__ == "__main__":
    run_stage(main, measure_direction)
