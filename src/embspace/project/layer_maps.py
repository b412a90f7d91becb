"""Stage `project_layer_maps`: the tokens of every layer on maps that are laid on one another."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.clouds.layers import CorpusStates, load_corpora_states
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.device import Device, choose_device
from embspace.files.rows import save_rows
from embspace.geometry.inference.resampling import half_sample_interval, stream_of
from embspace.geometry.maps.pca import principal_components
from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.pairs.distinct import distinct_rows
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.pairs import scan_pairs
from embspace.measure.layers.layer_states import token_states
from embspace.measure.tables.columns import with_bounds
from embspace.measure.tables.pooled_states import final_norm_of
from embspace.models.weights import load_model, with_random_weights
from embspace.project.layouts.aligned import (
    Plane,
    aligned_layouts,
    mean_displacement,
    repeated_layouts,
)
from embspace.project.layouts.umap import umap_layout
from embspace.project.maps import most_neighbors
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

TOKEN = ["corpus", "document", "window", "position", "id", "token", "context"]
CHANGED = ["changed_in_space", "changed_in_map", "changed_between_seeds"]
COORDINATES = [*TOKEN, "layer", "x", "y", *CHANGED]
SHARES = ["neighbor_recall", *CHANGED]
LAYER_MAPS = Analysis(
    noun="layer_maps",
    question=(
        "How do tokens move from layer to layer on maps that are laid on one another, and which of "
        "their neighbors change?"
    ),
    verb="project",
    over="profiled",
    reads={
        "corpora": Source(load_corpora_states, TEXT_FOLDERS, lists=["corpora"]),
        "module": Source(load_model),
        "final_norm": Source(final_norm_of),
    },
    data={"parquet": save_rows},  # a row per layer and token; changed shares are NaN at layer 0
    tables={
        "csv": Table(
            {
                "layer": ("row", "layer"),
                "n": ("count", "n"),
                "n_documents": ("count", "documents"),
                "k": ("row", "k"),
                **with_bounds("neighbor_recall", "map_recall", "neighbor recall of the map"),
                **with_bounds("changed_in_space", "rank_share", "changed in the full space"),
                "random_weights_changed": ("rank_share", "changed at random weights"),
                **with_bounds("changed_in_map", "map_recall", "changed on the map"),
                **with_bounds("changed_between_seeds", "seed_change", "changed by another seed"),
                "chance_neighbor_recall": ("moment", "recall by chance"),
                "chance_changed": ("moment", "changed by chance"),
                "displacement": ("map_place", "displacement"),
                "displacement_between_seeds": ("map_place", "displacement by another seed"),
                "level": "setting",
            }
        )
    },
)


@dataclass(frozen=True, eq=False)
class _Tokens:
    """The same tokens at all layers."""

    about: pd.DataFrame
    """Columns `TOKEN`; the number of a document counts over all corpora."""
    states: Float[np.ndarray, "layer token dim"]
    at_random: Float[np.ndarray, "layer token _"] | None
    """By random weights; None without a model."""


Untrained = Callable[[pd.DataFrame, Int[np.ndarray, " chosen"]], Float[np.ndarray, "layer n dim"]]
"""Returns the states at random weights of some rows of a table of tokens."""


def project_layer_maps(
    corpora: Mapping[str, CorpusStates],
    module: Any,
    final_norm: str | None,
    *,
    left_out: list[str],
    most_tokens: PositiveInt,
    smallest_n: Annotated[int, Field(ge=8)],
    n_neighbors: Annotated[int, Field(ge=2)],
    min_dist: Annotated[float, Field(ge=0, le=1)],
    n_epochs: PositiveInt,
    negative_sample_rate: PositiveInt,
    jitter: PositiveFloat,
    learning_rate: PositiveFloat,
    quality_n_neighbors: PositiveInt,
    n_context: NonNegativeInt,
    n_half_samples: PositiveInt,
    level: Probability,
    tokens_per_batch: PositiveInt,
    device: Device,
    seed: NonNegativeInt,
) -> Outcome:
    """Return maps of the tokens of all layers, and the changes of neighbors between layers.

    Tokens are a sample, the same at all layers: up to `most_tokens` of every corpus with states of
    tokens, drawn at random, without special tokens, first positions, repetitions in windows, and
    all but the first of vectors equal at layer 0. Neighbors are the k nearest by cosine, exact, and
    on a map by distance. `changed_in_space` is the share of new neighbors of a token since the
    layer before; `random_weights_changed` the same at random weights, drawn by the config with
    `seed`; `changed_in_map` the same on the maps; `changed_between_seeds` the share of neighbors on
    the map that vanish when the map is repeated with a second seed, from the same map
    of the layer before: the change of a map with unchanged vectors. A random layout changes
    `chance_changed`. A displacement is a mean over tokens, in root mean square distances from the
    middle of a map. Intervals are by half-samples of the documents, given the maps. Layer 0 is the
    embedding output.
    """
    generator = np.random.default_rng(seed)
    untrained: Untrained | None = None
    if module is not None:
        untrained = partial(
            token_states,
            with_random_weights(module, seed),
            final_norm=final_norm,
            tokens_per_batch=tokens_per_batch,
            device=choose_device(device),
        )
    tokens = _sampled(corpora, left_out, most_tokens, n_context, generator, untrained)
    if tokens is None or len(tokens.about) < smallest_n:
        logging.getLogger(__name__).warning("no maps of layers: not enough tokens with states")
        return LAYER_MAPS.empty() | {"parquet": pd.DataFrame(columns=COORDINATES)}
    k = most_neighbors(len(tokens.about), quality_n_neighbors)
    # One thread: on more BLAS would add in another order.
    with threadpool_limits(1, user_api="blas"):
        unit = [unit_rows(x.astype(np.float32)) for x in tokens.states]
        graphs = [_nearest(x, max(k, min(n_neighbors, len(x)) - 1)) for x in unit]
        start = principal_components(unit[0], n_components=2).coordinates
        umap: dict[str, Any] = {
            "n_neighbors": n_neighbors,
            "min_dist": min_dist,
            "n_epochs": n_epochs,
            "negative_sample_rate": negative_sample_rate,
            "jitter": jitter,
        }
        layouts = (
            partial(umap_layout, **umap),
            partial(umap_layout, learning_rate=learning_rate, **umap),
        )
        seed, other = stream_of(generator, "seeds").integers(2**31, size=2).tolist()
        maps = aligned_layouts(graphs, start, *layouts, seed=seed)
        others = repeated_layouts(graphs, maps, start, *layouts, seed=other)
    shares = _shares([graph.first(k).indices for graph in graphs], maps, others, k)
    layers = _by_layer(
        shares, tokens.about, k, n_half_samples, level, stream_of(generator, "halves")
    )
    layers["random_weights_changed"] = _changed(tokens.at_random, k, len(maps))
    layers["displacement"] = [np.nan, *map(mean_displacement, maps[1:], maps[:-1])]
    layers["displacement_between_seeds"] = [*map(mean_displacement, maps, others)]
    return {
        "parquet": _coordinates(tokens.about, maps, shares),
        "csv": LAYER_MAPS.tables["csv"].of(layers),
    }


def _sampled(
    corpora: Mapping[str, CorpusStates],
    left_out: Sequence[str],
    most: int,
    n_context: int,
    generator: np.random.Generator,
    untrained: Untrained | None,
) -> _Tokens | None:
    """Return some tokens of every corpus in the order of the texts; None without any."""
    about, states, at_random, n_documents = [], [], [], 0
    for corpus, read in corpora.items():
        if corpus in left_out or "token" not in read.states:
            continue
        table = read.tokens
        is_ordinary = ~table["repeated"] & ~table["special"] & (table["position"] > 0)
        ordinary = np.flatnonzero(is_ordinary.to_numpy())
        rows = np.sort(stream_of(generator, corpus).permutation(ordinary)[:most])
        if not len(rows):
            continue
        chosen = table.iloc[rows].reset_index(drop=True)
        document = read.document[chosen["window"].to_numpy()] + n_documents
        context = _contexts(table, rows, n_context)
        about.append(chosen.assign(corpus=corpus, document=document, context=context)[TOKEN])
        states.append(read.states["token"][:, rows])
        if untrained is not None:
            at_random.append(untrained(table, rows))
        n_documents += int(read.document.max()) + 1
    if not about:
        return None
    x = np.concatenate(states, axis=1)
    distinct = distinct_rows(x[0])  # a word in two corpora may have one vector, too
    table = pd.concat(about, ignore_index=True)
    random = np.concatenate(at_random, axis=1)[:, distinct] if at_random else None
    return _Tokens(table.iloc[distinct].reset_index(drop=True), x[:, distinct], random)


def _contexts(table: pd.DataFrame, rows: Int[np.ndarray, " chosen"], n: int) -> list[str]:
    """Return a token's context, a number of word pieces before and after in the window."""
    pieces, window = table["token"].astype(str).to_numpy(), table["window"].to_numpy()
    around = [np.arange(max(row - n, 0), min(row + n + 1, len(table))) for row in rows]
    return [
        " ".join(
            f"[{pieces[place]}]" if place == row else pieces[place]
            for place in near
            if window[place] == window[row]
        )
        for row, near in zip(rows, around, strict=True)
    ]


def _nearest(x: Float[np.ndarray, "n dim"], k: int) -> NeighborGraph:
    neighbors = scan_pairs(x, n_neighbors=k).neighbors
    assert neighbors is not None  # they were asked for
    return neighbors


def changed_shares(
    neighbors: Int[np.ndarray, "n k"], others: Int[np.ndarray, "n k"]
) -> Float[np.ndarray, " n"]:
    """Return, by row, the share of the neighbors that are not among `others`."""
    is_kept = (neighbors[:, :, np.newaxis] == others[:, np.newaxis, :]).any(axis=2)
    return np.asarray(1 - is_kept.mean(axis=1))


def _changed(
    states: Float[np.ndarray, "layer token dim"] | None, k: int, n_layers: int
) -> Float[np.ndarray, " layer"]:
    """Return the mean share of new neighbors in the full space by layer, NaN at layer 0."""
    if states is None:
        return np.full(n_layers, np.nan)
    with threadpool_limits(1, user_api="blas"):
        graphs = [_nearest(unit_rows(x.astype(np.float32)), k).indices for x in states]
    return np.array([np.nan, *(changed_shares(*pair).mean() for pair in pairwise(graphs))])


def _shares(
    in_space: Sequence[Int[np.ndarray, "n k"]],
    maps: Sequence[Plane],
    others: Sequence[Plane],
    k: int,
) -> dict[str, Float[np.ndarray, "layer n"]]:
    """Return every token's shares of neighbors by layer, under the names of `SHARES`."""
    on_map = [_nearest(plane, k).indices for plane in maps]
    on_other = [_nearest(plane, k).indices for plane in others]
    none = [np.full(len(maps[0]), np.nan)]
    shares = {
        "neighbor_recall": [1 - changed for changed in map(changed_shares, in_space, on_map)],
        "changed_in_space": none + [*map(changed_shares, in_space[1:], in_space[:-1])],
        "changed_in_map": none + [*map(changed_shares, on_map[1:], on_map[:-1])],
        "changed_between_seeds": [*map(changed_shares, on_map, on_other)],
    }
    return {name: np.stack(rows) for name, rows in shares.items()}


def _by_layer(
    shares: Mapping[str, Float[np.ndarray, "layer n"]],
    about: pd.DataFrame,
    k: int,
    n_half_samples: int,
    level: float,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Return every layer's mean shares with intervals over documents, beside chance."""
    values = np.stack([shares[name] for name in SHARES])
    document = pd.factorize(about["document"])[0]
    n, n_documents = len(about), int(document.max()) + 1
    means = values.mean(axis=2)
    bounds = half_sample_interval(
        lambda units: values[:, :, np.isin(document, units)].mean(axis=2),
        n_documents,
        n_resamples=n_half_samples,
        level=level,
        generator=rng,
    )
    table = pd.DataFrame({"layer": range(values.shape[1]), "n": n, "n_documents": n_documents})
    for name, *rows in zip(SHARES, means, bounds.low, bounds.high, strict=True):
        for end, row in zip(("", "_low", "_high"), rows, strict=True):
            table[f"{name}{end}"] = row.clip(0, 1)
    chance = k / (n - 1)
    return table.assign(k=k, chance_neighbor_recall=chance, chance_changed=1 - chance, level=level)


def _coordinates(
    about: pd.DataFrame,
    maps: Sequence[Plane],
    shares: Mapping[str, Float[np.ndarray, "layer n"]],
) -> pd.DataFrame:
    parts = []
    for layer, places in enumerate(maps):
        x, y = places.T.astype(np.float32)
        changed = {name: shares[name][layer].astype(np.float32) for name in CHANGED}
        parts.append(about.assign(layer=layer, x=x, y=y, **changed))
    return pd.concat(parts, ignore_index=True)[COORDINATES]


main = LAYER_MAPS.main(project_layer_maps)

if __name__ == "__main__":
    run_stage(main, project_layer_maps)
