"""Stage `measure_information_imbalance`: how well a layer predicts another one's neighbors."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import Field, NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.clouds.layers import CorpusStates, load_corpora_states
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.device import Device, choose_device
from embspace.geometry.inference.imbalance_draws import (
    ImbalanceDraws,
    imbalance_draws,
    view_imbalances,
)
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.pairs.distinct import is_one_vector
from embspace.measure.tables.pooled_states import PooledStates, final_norm_of, pooled_states
from embspace.models.weights import load_model, with_random_weights
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

POOLINGS = ("cls", "mean")
DRAWN = ["value", "low", "high", "asymmetry", "asymmetry_low", "asymmetry_high"]
DRAWN += ["null_mean", "null_smallest"]
INFORMATION_IMBALANCE = Analysis(
    noun="information_imbalance",
    question="Which layer holds what of another one's neighbors?",
    over="profiled",
    reads={
        "module": Source(load_model),
        "final_norm": Source(final_norm_of),
        "corpora": Source(load_corpora_states, TEXT_FOLDERS, lists=["corpora"]),
    },
    tables={
        "csv": Table(
            {
                "corpus": "row",
                "pooling": "row",
                "layer": "row",
                "other_layer": "row",
                "n": "count",
                **dict.fromkeys([*DRAWN, "random_weights_value"], "imbalance"),
                "level": "setting",
            }
        )
    },
)


def measure_information_imbalance(
    module: Any,
    final_norm: str | None,
    corpora: Mapping[str, CorpusStates],
    *,
    left_out: list[str],
    smallest_n: Annotated[int, Field(ge=4)],
    largest_n: Annotated[int, Field(ge=4)],
    n_neighbors: PositiveInt,
    random_weights_corpora: list[str],
    tokens_per_batch: PositiveInt,
    n_half_samples: PositiveInt,
    n_shuffles: PositiveInt,
    level: Probability,
    device: Device,
    seed: NonNegativeInt,
) -> Outcome:
    """Return a row per corpus, pooling and pair of layers, with the `information_imbalance`.

    A point is a window, drawn at random per document, so points are independent. A `value` near 0
    means that neighbors at the layer are also near at `other_layer`, a value of 1 that the layer
    says nothing about `other_layer`. `asymmetry` is the value less the value in the reverse
    direction: it is negative where the layer holds more. The null shuffles the documents of
    `other_layer`. For `random_weights_corpora`, the table also has the value at random weights,
    drawn by the config with `seed`, for the same tokens. A pooling that gives all documents the
    same vector at a layer, as the first token does before the first block, has no rows at this
    layer. Layer 0 is the embedding output.
    """
    generator = np.random.default_rng(seed)
    parts = []
    for corpus, read in corpora.items():
        rows = _one_window_of_each(read.document, largest_n, stream_of(generator, corpus, "texts"))
        if corpus in left_out or len(rows) < max(smallest_n, 2 * n_neighbors + 2):
            continue
        random: PooledStates = {}
        if module is not None and corpus in random_weights_corpora:
            randomized = with_random_weights(module, seed)
            tokens = read.tokens[read.tokens["window"].isin(rows)]
            where = choose_device(device)
            random = pooled_states(
                randomized, tokens, final_norm, tokens_per_batch, where, POOLINGS
            )
        for pooling in POOLINGS:
            states = read.states[pooling][:, rows]
            layers = [layer for layer, x in enumerate(states) if not is_one_vector(x)]
            # One thread: on more BLAS would add in another order.
            with threadpool_limits(1, user_api="blas"):
                draws = imbalance_draws(
                    [states[layer] for layer in layers],
                    k=n_neighbors,
                    n_half_samples=n_half_samples,
                    n_shuffles=n_shuffles,
                    level=level,
                    rng=stream_of(generator, corpus, pooling),
                )
                at_random = (
                    view_imbalances([random[pooling][layer] for layer in layers], k=n_neighbors)
                    if random
                    else np.full((len(layers), len(layers)), np.nan)
                )
            table = _table(draws, at_random, layers)
            parts.append(table.assign(corpus=corpus, pooling=pooling, n=len(rows), level=level))
    filled = [part for part in parts if len(part)]
    if not filled:
        return INFORMATION_IMBALANCE.empty()
    return {"csv": INFORMATION_IMBALANCE.tables["csv"].of(pd.concat(filled, ignore_index=True))}


def _one_window_of_each(
    document: Int[np.ndarray, " window"], largest_n: int, rng: np.random.Generator
) -> Int[np.ndarray, " chosen"]:
    """Return the row of a random window per document, ascending, for `largest_n` at most."""
    shuffled = rng.permutation(len(document))
    first = np.unique(document[shuffled], return_index=True)[1]
    return np.sort(shuffled[rng.permutation(np.sort(first))[:largest_n]])


def _table(
    draws: ImbalanceDraws, at_random: Float[np.ndarray, "layer other_layer"], layers: list[int]
) -> pd.DataFrame:
    """Return a row per ordered pair of different layers."""
    one, other = np.nonzero(~np.eye(len(layers), dtype=bool))
    number = np.array(layers, dtype=np.int64)
    columns = {name: getattr(draws, name)[one, other] for name in DRAWN}
    columns["random_weights_value"] = at_random[one, other]
    return pd.DataFrame({"layer": number[one], "other_layer": number[other], **columns})


main = INFORMATION_IMBALANCE.main(measure_information_imbalance)

if __name__ == "__main__":
    run_stage(main, measure_information_imbalance)
