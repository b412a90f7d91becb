"""Stage `measure_information_imbalance`: which layer holds what of another one's neighbors."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import Field, NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.clouds.layers import CorpusStates, load_corpora_states
from embspace.device import Device, choose_device
from embspace.files.tables import save_table
from embspace.geometry.inference.imbalance_draws import (
    ImbalanceDraws,
    imbalance_draws,
    view_imbalances,
)
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.pairs.distinct import is_one_vector
from embspace.models.encoder import batches_by_length, encode
from embspace.models.weights import load_model, with_random_weights
from embspace.models.windows import Window
from embspace.settings.model import VectorsModel, describe_model
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability

POOLINGS = ("cls", "mean")
DRAWN = ["value", "low", "high", "asymmetry", "asymmetry_low", "asymmetry_high"]
DRAWN += ["null_mean", "null_smallest"]
COLUMNS = ["corpus", "pooling", "layer", "other_layer", "n", *DRAWN, "random_weights_value"]
COLUMNS += ["level"]
LayerStates = Mapping[str, Float[np.ndarray, "layer window dim"]]


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
) -> pd.DataFrame:
    """Return a row per corpus, pooling and pair of layers, with the `information_imbalance`.

    A point is a window, drawn at random per document: points are independent. `value` near 0:
    neighbors at the layer are near at `other_layer`; 1: the layer says nothing about `other_layer`.
    `asymmetry` is the value less the value in the reverse direction: negative where the layer holds
    more. The null shuffles the documents of `other_layer`; beside stands, for
    `random_weights_corpora`, the value at random weights, drawn by the config with `seed`, for the
    same tokens. A pooling with equal vectors for all documents at a layer, as the first token
    before the first block, has no rows there. Layer 0 is the embedding output.
    """
    generator = np.random.default_rng(seed)
    parts = [pd.DataFrame(columns=COLUMNS)]
    for corpus, read in corpora.items():
        rows = _one_window_of_each(read.document, largest_n, stream_of(generator, corpus, "texts"))
        if corpus in left_out or len(rows) < max(smallest_n, 2 * n_neighbors + 2):
            continue
        states = {pooling: read.states[pooling][:, rows] for pooling in POOLINGS}
        random: LayerStates = {}
        if module is not None and corpus in random_weights_corpora:
            randomized = with_random_weights(module, seed)
            windows = _windows(read.tokens, rows)
            where = choose_device(device)
            random = _pooled_states(randomized, windows, final_norm, tokens_per_batch, where)
        for pooling in POOLINGS:
            layers = _that_differ(states[pooling])
            # One thread: on more BLAS would add in another order.
            with threadpool_limits(1, user_api="blas"):
                found = imbalance_draws(
                    [states[pooling][layer] for layer in layers],
                    k=n_neighbors,
                    n_half_samples=n_half_samples,
                    n_shuffles=n_shuffles,
                    level=level,
                    rng=stream_of(generator, corpus, pooling),
                )
                at_random = _at_random(random, pooling, layers, n_neighbors)
            table = _table(found, at_random, layers)
            parts.append(table.assign(corpus=corpus, pooling=pooling, n=len(rows), level=level))
    return pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)[COLUMNS]


def _one_window_of_each(
    document: Int[np.ndarray, " window"], largest_n: int, rng: np.random.Generator
) -> Int[np.ndarray, " chosen"]:
    """The rows of a window of each document, of at most so many documents, in ascending order."""
    shuffled = rng.permutation(len(document))
    first = np.unique(document[shuffled], return_index=True)[1]
    return np.sort(shuffled[rng.permutation(np.sort(first))[:largest_n]])


def _windows(tokens: pd.DataFrame, rows: Int[np.ndarray, " chosen"]) -> list[Window]:
    columns = ("id", "special", "repeated", "start", "end")
    of_window = dict(tuple(tokens.groupby("window", sort=True)))
    parts = [of_window[row] for row in rows.tolist()]
    return [
        Window(number, 0, *(part[column].to_numpy() for column in columns))
        for number, part in enumerate(parts)
    ]


def _pooled_states(
    module: Any, windows: list[Window], final_norm: str | None, tokens_per_batch: int, device: str
) -> LayerStates:
    """Return the states that a model makes of windows, in their order; tokens are not kept."""
    batches = batches_by_length([len(each.ids) for each in windows], tokens_per_batch)
    found = {one.index: one.pooled for one in encode(module, windows, batches, device, final_norm)}
    order = range(len(windows))
    return {pooling: np.stack([found[n][pooling] for n in order], axis=1) for pooling in POOLINGS}


def _that_differ(states: Float[np.ndarray, "layer window dim"]) -> list[int]:
    return [layer for layer, x in enumerate(states) if not is_one_vector(x)]


def _at_random(
    states: LayerStates, pooling: str, layers: list[int], k: int
) -> Float[np.ndarray, "layer other_layer"]:
    if not states:
        return np.full((len(layers), len(layers)), np.nan)
    return view_imbalances([states[pooling][layer] for layer in layers], k=k)


def _table(
    found: ImbalanceDraws, at_random: Float[np.ndarray, "layer other_layer"], layers: list[int]
) -> pd.DataFrame:
    """One row a layer and other layer; none of a layer and itself."""
    one, other = np.nonzero(~np.eye(len(layers), dtype=bool))
    number = np.array(layers, dtype=np.int64)
    columns = {name: getattr(found, name)[one, other] for name in DRAWN}
    columns["random_weights_value"] = at_random[one, other]
    return pd.DataFrame({"layer": number[one], "other_layer": number[other], **columns})


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    model = describe_model(name, config.model)
    is_network = not isinstance(model, VectorsModel)
    table = measure_information_imbalance(
        load_model(name, model) if is_network else None,
        None if isinstance(model, VectorsModel) else model.final_norm,
        load_corpora_states(
            f"data/extracted/hidden_states/{name}", "data/prepared/texts", config.corpora
        ),
        **config.settings,
    )
    save_table(table, f"results/information_imbalance/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_information_imbalance)
