"""Tables of `measure_dynamics` whose profiles are known."""

from collections.abc import Callable

import pandas as pd

from embspace.measure.layers.layer_batches import SPREAD
from embspace.measure.runs.dynamics import DYNAMICS

N_LAYERS = 7  # with layer 0
STEPS = [0, 1, 2, 4, 8, 16, 32, 64]
Profile = Callable[[int, int], float]
"""A value from the number of the checkpoint and the layer."""


def dynamics(anisotropy: Profile, dimension: Profile, seeds: int = 2) -> pd.DataFrame:
    """One phase after which another follows whose values are all wrong."""
    rows = [
        {"seed": seed, "phase": phase, "step": step, "layer": layer, "measure": measure}
        | {"n_batches": 5, SPREAD: 0.0}
        | {"change": change, "value": value if (phase, change) == ("first", "as_is") else -99.0}
        for seed in range(seeds)
        for phase in ("first", "second")
        for number, step in enumerate(STEPS)
        for layer in range(N_LAYERS)
        for change in ("as_is", "ordinary_tokens")
        for measure, value in (
            ("top_variance_share", anisotropy(number, layer)),
            ("two_nn", dimension(number, layer)),
        )
    ]
    return DYNAMICS.tables["csv"].of(rows)
