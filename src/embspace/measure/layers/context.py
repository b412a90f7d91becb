"""Stage `measure_context`: how much a vector owes to its word, and how much to its text."""

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

CONTEXT = Analysis(
    noun="context",
    question="What does a vector owe to its word, and what to its text?",
    over="profiled",
    reads={"corpora": CORPORA, "random_weights": RANDOM_WEIGHTS},
    tables=TABLES,
)


def measure_context(
    corpora: Mapping[str, CorpusStates],
    random_weights: pd.DataFrame,
    *,
    fewest_documents: Annotated[int, Field(ge=4)],
    most_layers: Annotated[int, Field(ge=2)],
    changes: list[Change],
    value_only: list[str],
    without_draws: list[str],
    position_band: PositiveInt,
    draws: Draws,
    seed: NonNegativeInt,
) -> Outcome:
    """Return the measures of context by corpus, change and layer, of tokens.

    As `measure_direction`; further, measures of `value_only` have neither intervals nor nulls,
    measures `without_draws` have intervals and the null of random weights alone, and a null
    exchanges tokens of the same word between texts within `position_band` positions.
    """
    protocol = Protocol(
        families=("context",),
        changes=changes,
        most_layers=most_layers,
        value_only=value_only,
        without_draws=without_draws,
        position_band=position_band,
        rng=np.random.default_rng(seed),
        **dict(draws),
    )
    outcome = layer_profiles(large_enough(corpora, fewest_documents), protocol)
    return with_random_weights_as_nulls(outcome, random_weights)


main = CONTEXT.main(measure_context)

if __name__ == "__main__":
    run_stage(main, measure_context)
