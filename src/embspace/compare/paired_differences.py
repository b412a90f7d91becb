"""Two models on the same pairs of sentences: bounds of how far they differ."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.geometry.defined import mean_of_defined
from embspace.geometry.directions import cosine_matrix
from embspace.geometry.offsets import (
    half_sample_weights,
    mean_offsets,
    mean_weights,
    offset_consistency,
)
from embspace.geometry.resampling import half_sample_interval
from embspace.measure.nulls import central_range

LOW, HIGH = "difference_low", "difference_high"


@dataclass(frozen=True, eq=False)
class PairedVectors:
    """The differences of pairs of sentences, the second less the first, in a model."""

    categories: list[str]
    category: Int[np.ndarray, " pair"]
    by_cell: dict[tuple[int, str], Float[np.ndarray, "pair dim"]]
    """By layer and pooling; empty for a model that read no sentence."""


def paired_vectors(
    sentences: pd.DataFrame, states: dict[str, Float[np.ndarray, "layer sentence dim"]]
) -> PairedVectors:
    """From a table of sentences (category, pair, side) and their states by pooling."""
    rows = sentences.reset_index(drop=True).reset_index(names="row")
    sides = rows.pivot(index=["category", "pair"], columns="side", values="row")
    order = rows.loc[rows["side"] == "first", ["category", "pair"]]
    sides = sides.reindex(pd.MultiIndex.from_frame(order))
    first, second = (sides[side].to_numpy(dtype=np.int64) for side in ("first", "second"))
    category, categories = pd.factorize(order["category"])
    by_cell = {
        (layer, pooling): (x[second] - x[first]).astype(np.float64)
        for pooling, layers in states.items()
        if layers.shape[1]
        for layer, x in enumerate(layers)
    }
    return PairedVectors([str(each) for each in categories], category.astype(np.int64), by_cell)


def paired_intervals(
    one: PairedVectors, other: PairedVectors, *, n_resamples: int, level: float, seed: int
) -> dict[str, pd.DataFrame]:
    """Bounds of the first model less the other: `categories` of consistency, `cosines` of means.

    In the cells that both have, nothing if there is none: layer, pooling, what the row is about,
    difference_low, difference_high, n_paired. The same halves of each category are taken in both
    models, so that what is so for both cancels. Consistency does not depend on how many pairs
    there are. Cosines of means do, so that halves deviate from their own mean, as in
    `measure_differences`; of two categories the smaller says how many are paired, and the wider
    bounds hold.
    """
    cells = [cell for cell in one.by_cell if cell in other.by_cell]
    if not cells or not one.categories:
        return {}
    for_consistency, for_cosines = np.random.default_rng(seed).spawn(2)
    return {
        "categories": _of_categories(
            one, other, cells, for_consistency, n_resamples=n_resamples, level=level
        ),
        "cosines": _of_cosines(
            one, other, cells, for_cosines, n_resamples=n_resamples, level=level
        ),
    }


Cells = list[tuple[int, str]]


def _of_categories(
    one: PairedVectors,
    other: PairedVectors,
    cells: Cells,
    generator: np.random.Generator,
    *,
    n_resamples: int,
    level: float,
) -> pd.DataFrame:
    parts = []
    keys = pd.DataFrame(cells, columns=["layer", "pooling"])
    for number, name in enumerate(one.categories):
        rows = np.flatnonzero(one.category == number)
        x, y = (
            np.stack([cosine_matrix(each.by_cell[cell][rows]) for cell in cells])
            for each in (one, other)
        )
        low, high = half_sample_interval(
            partial(_consistency_difference, x, y),
            len(rows),
            n_resamples=n_resamples,
            level=level,
            generator=generator,
        )
        parts.append(keys.assign(category=name, n_paired=len(rows), **{LOW: low, HIGH: high}))
    return pd.concat(parts, ignore_index=True)


def _consistency_difference(
    x: Float[np.ndarray, "cell pair pair"],
    y: Float[np.ndarray, "cell pair pair"],
    chosen: Int[np.ndarray, " chosen"],
) -> Float[np.ndarray, " cell"]:
    every = np.ones((len(chosen), len(chosen)), dtype=bool)
    of_x, of_y = (offset_consistency(each[:, chosen][:, :, chosen], every) for each in (x, y))
    return of_x - of_y


def _of_cosines(
    one: PairedVectors,
    other: PairedVectors,
    cells: Cells,
    generator: np.random.Generator,
    *,
    n_resamples: int,
    level: float,
) -> pd.DataFrame:
    first, second = np.triu_indices(len(one.categories), 1)
    names, n = np.array(one.categories, dtype=object), np.bincount(one.category)
    weights = half_sample_weights(one.category, n_draws=n_resamples, generator=generator)
    whole = mean_weights(one.category)
    half = n // 2
    scale = np.sqrt(half / (n - half))
    scale = np.maximum(scale[first], scale[second])
    parts = []
    for layer, pooling in cells:
        value, drawn = (
            _cosines(one, (layer, pooling), each)[:, first, second]
            - _cosines(other, (layer, pooling), each)[:, first, second]
            for each in (whole, weights)
        )
        low, high = central_range((drawn - mean_of_defined(drawn, axis=0)) * scale, level)
        columns = {"category_1": names[first], "category_2": names[second]}
        columns |= {LOW: value[0] - high, HIGH: value[0] - low}
        columns["n_paired"] = np.minimum(n[first], n[second])
        parts.append(pd.DataFrame({"layer": layer, "pooling": pooling, **columns}))
    return pd.concat(parts, ignore_index=True)


def _cosines(
    vectors: PairedVectors, cell: tuple[int, str], weights: Float[np.ndarray, "draw pair"]
) -> Float[np.ndarray, "draw category category"]:
    d = vectors.by_cell[cell]
    return mean_offsets(d @ d.T, vectors.category, weights).cosine
