"""Compares the position embeddings of two models as curves, beside curves that encode nothing."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.clouds.learned import structured_positions
from embspace.geometry.maps.pca import principal_components
from embspace.geometry.positional.curve_distance import CurveDistances, curve_distances
from embspace.geometry.positional.smooth_nulls import NULLS

FULL, COMPONENTS = "full", "components"
N_COMPONENTS = 3
SURROGATES = ("random_walk", "stationary")
YES, NO = "yes", "no"
Curve = Float[np.ndarray, "n dim"]


class Positions(NamedTuple):
    """The position embeddings of a model; None without any, and the table of `measure_regimes`."""

    matrix: Curve | None
    regimes: pd.DataFrame


def position_rows(
    one: Positions,
    other: Positions,
    *,
    fewest: int,
    n_surrogates: int,
    level: float,
    generator: np.random.Generator,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each space of the positions that are structured in both models.

    No row with fewer than `fewest` such positions. `*_low` is the quantile 1 - `level` of the
    distances to surrogates of the second curve.
    """
    kept = _common(one, other)
    if one.matrix is None or other.matrix is None or len(kept) < fewest:
        return
    x, y = (table[kept].astype(np.float64) for table in (one.matrix, other.matrix))
    for space in (FULL, COMPONENTS):
        if space == FULL and x.shape[1] != y.shape[1]:
            continue
        own = _in_space(x, space)
        distances = curve_distances(own, _in_space(y, space))
        streams = dict(zip(SURROGATES, generator.spawn(len(SURROGATES)), strict=True))
        drawn = {
            name: [
                curve_distances(own, _in_space(table, space))
                for table in NULLS[name](y, kept, n_surrogates, stream)
            ]
            for name, stream in streams.items()
        }
        yield {"space": space, "n": len(kept), **_beside(distances, drawn, level)}


def _common(one: Positions, other: Positions) -> Int[np.ndarray, " n"]:
    return np.intersect1d(structured_positions(one.regimes), structured_positions(other.regimes))


def _in_space(x: Curve, space: str) -> Float[np.ndarray, "n axis"]:
    if space == FULL:
        return x
    return principal_components(x, n_components=min(N_COMPONENTS, *x.shape)).coordinates


def _beside(
    distances: CurveDistances, drawn: Mapping[str, list[CurveDistances]], level: float
) -> dict[str, Any]:
    """Return both distances with the mean and the low end of both kinds of surrogates."""
    row: dict[str, Any] = {}
    is_nearer = True
    for name, value in distances._asdict().items():
        row[name] = value
        for kind, curves in drawn.items():
            values = np.array([getattr(curve, name) for curve in curves])
            row[f"{name}_{kind}"] = float(values.mean())
            row[f"{name}_{kind}_low"] = low = float(np.quantile(values, 1 - level))
            is_nearer &= value < low
    return row | {"are_alike": YES if is_nearer else NO}
