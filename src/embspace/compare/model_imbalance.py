"""Stage `compare_model_imbalance`: which of two models holds more of the other's neighbors."""

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.analysis import Analysis, Outcome, Table
from embspace.compare.model_states import TEXTS_AND_STATES, ModelStates
from embspace.compare.same_points import Views, point_sets
from embspace.geometry.inference.imbalance_draws import (
    ImbalanceDraws,
    imbalance_draws,
    view_imbalances,
)
from embspace.geometry.inference.resampling import stream_of
from embspace.measure.tables.columns import with_bounds
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

MODEL_IMBALANCE = Analysis(
    noun="model_imbalance",
    question="Which of two models holds more of the other's neighbors?",
    reads=TEXTS_AND_STATES,
    tables={
        "csv": Table(
            {
                "corpus": "row",
                "layer": "row",
                "other_layer": "row",
                "n": "count",
                **with_bounds("to_other", "imbalance"),
                **with_bounds("from_other", "imbalance"),
                **with_bounds("asymmetry", "imbalance"),
                "null_mean": "imbalance",
                "null_smallest": "imbalance",
                "random_weights_to_other": "imbalance",
                "random_weights_from_other": "imbalance",
                "level": "setting",
            }
        )
    },
    verb="compare",
    over="compared",
)


def compare_model_imbalance(
    texts: dict[str, pd.DataFrame],
    stimuli: dict[str, pd.DataFrame],
    states: ModelStates,
    other_states: ModelStates,
    *,
    smallest_n: Annotated[int, Field(ge=4)],
    largest_n: Annotated[int, Field(ge=4)],
    n_neighbors: PositiveInt,
    n_half_samples: PositiveInt,
    n_shuffles: PositiveInt,
    level: Probability,
    seed: NonNegativeInt,
) -> Outcome:
    """Return a row per corpus and pair of layers of two models: `information_imbalance` both ways.

    `to_other` near 0: neighbors in the first model are near in the second; 1: the first says
    nothing about the second. `asymmetry` is `to_other` less `from_other`: negative where the first
    holds more of the second than the reverse. Points are the texts of `compare_alignment`, one per
    document, by the mean of the tokens. The null is `to_other` with the second model's texts in
    random order. The corpus `stimuli` has sentences made for other stages; only these have values
    at random weights, and no interval, for the sentences were not sampled.
    """
    generator = np.random.default_rng(seed)
    parts = []
    both = states, other_states
    for points in point_sets(
        texts, stimuli, *both, word_corpora=[], largest_n=largest_n, seed=seed
    ):
        views = points.views
        if views.n < max(smallest_n, 2 * n_neighbors + 2):
            continue
        # One thread: on more BLAS would add in another order.
        with threadpool_limits(1, user_api="blas"):
            draws = imbalance_draws(
                [*views.x, *views.y],
                k=n_neighbors,
                n_half_samples=n_half_samples if views.is_sample else 0,
                n_shuffles=n_shuffles,
                level=level,
                rng=stream_of(generator, points.corpus),
            )
            at_random = _at_random(points.random, n_neighbors)
        rows = _rows(draws, at_random, len(views.x))
        parts.append(rows.assign(corpus=points.corpus, n=views.n, level=level))
    table = pd.concat(parts, ignore_index=True) if parts else ()
    return {"csv": MODEL_IMBALANCE.tables["csv"].of(table)}


def _rows(draws: ImbalanceDraws, at_random: np.ndarray | None, n_layers: int) -> pd.DataFrame:
    """Return a row per pair of layers; the views of the second model come last."""
    first, second = slice(n_layers), slice(n_layers, None)
    columns = {
        "to_other": draws.value[first, second],
        "to_other_low": draws.low[first, second],
        "to_other_high": draws.high[first, second],
        "from_other": draws.value[second, first].T,
        "from_other_low": draws.low[second, first].T,
        "from_other_high": draws.high[second, first].T,
        "asymmetry": draws.asymmetry[first, second],
        "asymmetry_low": draws.asymmetry_low[first, second],
        "asymmetry_high": draws.asymmetry_high[first, second],
        "null_mean": draws.null_mean[first, second],
        "null_smallest": draws.null_smallest[first, second],
    }
    if at_random is not None:
        columns["random_weights_to_other"] = at_random[first, second]
        columns["random_weights_from_other"] = at_random[second, first].T
    layer, other = np.indices(columns["to_other"].shape).reshape(2, -1)
    table = pd.DataFrame({name: values.ravel() for name, values in columns.items()})
    return table.assign(layer=layer, other_layer=other)


def _at_random(random: Views | None, k: int) -> np.ndarray | None:
    """None without random weights, and if both models have the same random weights."""
    if random is None or np.array_equal(random.x, random.y):
        return None
    return view_imbalances([*random.x, *random.y], k=k)


main = MODEL_IMBALANCE.main(compare_model_imbalance)

if __name__ == "__main__":
    run_stage(main, compare_model_imbalance, groups=("pair",))
