"""Compares the layers of two models on the same points: one row a pair of layers and measure."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.compare.same_points import Views
from embspace.files.tables import Row
from embspace.geometry.groups.alignment import (
    common_neighbors,
    common_neighbors_without_each,
    nearest_rows,
    procrustes_fit,
    procrustes_similarity,
)
from embspace.geometry.inference.alignment_draws import (
    Kernels,
    cka_of_orders,
    debiased_cka_of_subsets,
    linear_kernels,
)
from embspace.geometry.inference.resampling import half_sample_bounds, upper_p_value
from embspace.geometry.pairs.directions import unit_rows

PROCRUSTES = "procrustes_similarity"
MEASURES = ("linear_cka", "debiased_linear_cka", PROCRUSTES, "mutual_nearest_neighbors")
RANGES = {
    "debiased_linear_cka": (-1, 1),
    PROCRUSTES: (0, 1),
    "mutual_nearest_neighbors": (0, 1),
}
"""The possible values of every measure with an interval."""
ValuesByMeasure = dict[str, Float[np.ndarray, "*draw layer other_layer"]]


def alignment_rows(
    views: Views,
    *,
    n_neighbors: int,
    n_resamples: int,
    n_permutations: int,
    n_procrustes_permutations: int,
    level: float,
    generator: np.random.Generator,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """All measures of all pairs of layers, and the rows of `best_pair_rows`.

    Procrustes only for `corresponding_layers`.

    `null` and `null_high` are the mean and the quantile `level` of the same with the points of the
    second model permuted: one-sided, while intervals leave half of the rest on both sides.
    Procrustes needs a decomposition per order, and has only `n_procrustes_permutations`, too few
    for a quantile. Intervals are by halves of the points. `linear_cka` has no interval: the bias
    depends on n, and halves differ. The interval of Procrustes holds the rotation fixed. The
    interval of neighbors is by the jackknife, as points are also candidates of others: in
    simulations a quarter to a half wider than needed, where halves of the points as queries alone
    held the truth in two thirds; none if all further points are neighbors.
    """
    prepared = _prepared(views, n_neighbors)
    measured = _values(prepared, np.arange(views.n)[np.newaxis])
    orders = np.stack([generator.permutation(views.n) for _ in range(n_permutations)])
    null = _values(prepared, orders, n_procrustes_permutations)
    intervals = _intervals(prepared, n_resamples, level, generator)
    parts = []
    for measure in MEASURES:
        low, high = intervals.get(measure, np.full((2, *measured[measure].shape[1:]), np.nan))
        is_few = measure == PROCRUSTES
        draws = null[measure][:n_procrustes_permutations] if is_few else null[measure]
        columns = {
            "value": measured[measure][0],
            "low": low,
            "high": high,
            "null": draws.mean(axis=0),
            "null_high": np.full(draws.shape[1:], np.nan)
            if is_few
            else np.quantile(draws, level, axis=0),
        }
        parts.append(_by_layers(columns).assign(measure=measure, n=views.n))
    values = {measure: drawn[0] for measure, drawn in measured.items()}
    best = pd.DataFrame(best_pair_rows(values, null, level))
    return pd.concat(parts, ignore_index=True), best.assign(n=views.n)


def best_pair_rows(
    values: dict[str, Float[np.ndarray, "layer other_layer"]], null: ValuesByMeasure, level: float
) -> Iterator[Row]:
    """Yield, by measure, the two most similar layers of two models, beside a null of their own.

    The largest of many values is large by chance, too. The null is the largest value over all pairs
    of layers, after each random order of the second model's points, the same for all its layers
    (arXiv 2602.14486); `null_high` is the quantile `level`. Procrustes has too few orders.

    Args:
        values: The values by measure.
        null: The same for random orders.
        level: Level of the upper bound.
    """
    for measure in (name for name in MEASURES if name != PROCRUSTES):
        value = values[measure]
        if np.isnan(value).all():  # of equal texts
            continue
        largest = np.nanmax(null[measure], axis=(1, 2))
        layer, other = np.unravel_index(np.nanargmax(value), value.shape)
        high = float(np.quantile(largest, level))
        yield {
            "measure": measure,
            "layer": int(layer),
            "other_layer": int(other),
            "value": float(value[layer, other]),
            "null": float(largest.mean()),
            "null_high": high,
            "p_value": upper_p_value(float(value[layer, other]), largest),
            "is_above_null": bool(value[layer, other] > high),
        }


def alignment_values(views: Views, *, n_neighbors: int) -> pd.DataFrame:
    """Return only the columns `layer`, `other_layer`, `measure` and `value`."""
    values = _values(_prepared(views, n_neighbors), np.arange(views.n)[np.newaxis])
    parts = [
        _by_layers({"value": values[measure][0]}).assign(measure=measure) for measure in MEASURES
    ]
    return pd.concat(parts, ignore_index=True)[["layer", "other_layer", "measure", "value"]]


def corresponding_layers(n_layers: int, n_other_layers: int) -> list[tuple[int, int]]:
    """Pairs of layers of the two models, from 0, at nearest relative depth.

    Every layer of the shallower model has a partner; 0 goes with 0, the last with the last.
    """
    fewer = min(n_layers, n_other_layers)
    steps = np.linspace(0, 1, fewer)
    return [
        (round(step * (n_layers - 1)), round(step * (n_other_layers - 1)))
        for step in steps.tolist()
    ]


@dataclass(frozen=True, eq=False)
class _Prepared:
    """Views, with the input of all measures."""

    views: Views
    kernels: tuple[Kernels, Kernels]
    nearest: tuple[list[np.ndarray], list[np.ndarray]]
    """Neighbors of every point, nearest first, and the next neighbor, if any."""
    n_neighbors: int

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.views.x), len(self.views.y)


def _prepared(views: Views, n_neighbors: int) -> _Prepared:
    x, y = _in_few_columns(views.x), _in_few_columns(views.y)
    k = min(n_neighbors + 1, max(n_neighbors, views.n - 1))
    near = [[nearest_rows(unit_rows(layer), k) for layer in layers] for layers in (x, y)]
    kernels = linear_kernels(x), linear_kernels(y)
    return _Prepared(Views(x, y, views.is_sample), kernels, (near[0], near[1]), n_neighbors)


def _in_few_columns(
    x: Float[np.ndarray, "layer n dim"],
) -> Float[np.ndarray, "layer n fewer"]:
    """Return the points in their own span: same products and distances, in at most n columns."""
    x = x.astype(np.float64)
    if x.shape[2] <= x.shape[1]:
        return x
    return np.stack([np.transpose(np.linalg.qr(layer.T, mode="r")) for layer in x])


def _values(
    prepared: _Prepared, orders: Int[np.ndarray, "order n"], n_procrustes: int = 1
) -> ValuesByMeasure:
    """All measures, for every order of the second model's points.

    Procrustes only for the first `n_procrustes` orders.
    """
    x, y = prepared.views.x, prepared.views.y
    near, other_near = (
        [indices[:, : prepared.n_neighbors] for indices in lists] for lists in prepared.nearest
    )
    procrustes, neighbors = np.full((2, len(orders), *prepared.shape), np.nan)
    for draw, order in enumerate(orders):
        for layer, other in corresponding_layers(*prepared.shape) if draw < n_procrustes else ():
            procrustes[draw, layer, other] = procrustes_similarity(x[layer], y[other][order])
        place = np.argsort(order)
        renamed = [place[indices[order]] for indices in other_near]
        for layer, other in np.ndindex(prepared.shape):
            neighbors[draw, layer, other] = common_neighbors(near[layer], renamed[other]).mean()
    return cka_of_orders(*prepared.kernels, orders) | {
        PROCRUSTES: procrustes,
        "mutual_nearest_neighbors": neighbors,
    }


def _intervals(
    prepared: _Prepared, n_resamples: int, level: float, generator: np.random.Generator
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    if not prepared.views.is_sample:
        return {}
    n = prepared.views.n
    chosen = np.zeros((n, 1 + n_resamples))
    chosen[:, 0] = 1  # all
    for draw in range(1, 1 + n_resamples):
        chosen[generator.choice(n, n // 2, replace=False), draw] = 1
    drawn = {
        "debiased_linear_cka": debiased_cka_of_subsets(*prepared.kernels, chosen),
        PROCRUSTES: _procrustes_of_subsets(prepared, chosen),
    }
    in_front = {measure: np.moveaxis(values, -1, 0) for measure, values in drawn.items()}
    bounds = {
        **{
            measure: half_sample_bounds(values[0], values[1:], n, level=level)[:2]
            for measure, values in in_front.items()
        },
        "mutual_nearest_neighbors": _neighbor_bounds(prepared, level),
    }
    # What is cut off holds no possible value, so that the coverage stays what it is.
    return {
        measure: (np.clip(low, *RANGES[measure]), np.clip(high, *RANGES[measure]))
        for measure, (low, high) in bounds.items()
    }


def _neighbor_bounds(prepared: _Prepared, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Return jackknife bounds with Student's quantile; NaN where no next neighbor could enter."""
    from scipy.special import stdtrit  # scipy.stats takes seconds to import

    n, k = prepared.views.n, prepared.n_neighbors
    low, high = np.full((2, *prepared.shape), np.nan)
    near, other_near = prepared.nearest
    for layer, other in np.ndindex(prepared.shape) if k < n - 1 else ():
        without = common_neighbors_without_each(near[layer], other_near[other])
        value = common_neighbors(near[layer][:, :k], other_near[other][:, :k]).mean()
        error = np.sqrt((n - 1) * np.square(without - without.mean()).mean())
        reach = stdtrit(n - 1, (1 + level) / 2) * error
        low[layer, other], high[layer, other] = value - reach, value + reach
    return low, high


def _procrustes_of_subsets(
    prepared: _Prepared, chosen: Float[np.ndarray, "n draw"]
) -> Float[np.ndarray, "layer other_layer draw"]:
    """Return the fit of subsets with the rotation held: its change matters to second order only."""
    values = np.full((*prepared.shape, chosen.shape[1]), np.nan)
    for layer, other in corresponding_layers(*prepared.shape):
        fit = procrustes_fit(prepared.views.x[layer], prepared.views.y[other])
        lengths = fit.squared_lengths @ chosen
        values[layer, other] = fit.products @ chosen / np.sqrt(lengths[0] * lengths[1])
    return values


def _by_layers(columns: dict[str, Float[np.ndarray, "layer other_layer"]]) -> pd.DataFrame:
    """Return a row per pair of layers with a value."""
    layer, other = np.nonzero(~np.isnan(columns["value"]))
    values = {name: array[layer, other] for name, array in columns.items()}
    return pd.DataFrame({"layer": layer, "other_layer": other, **values})
