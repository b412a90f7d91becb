"""Makes the tables of all maps: coordinates and their quality."""

from collections.abc import Callable, Mapping
from dataclasses import asdict

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.clouds.learned import LearnedCloud
from embspace.files.tables import Tables
from embspace.geometry.maps.lines import one_dimensionality
from embspace.geometry.maps.maps import MapQuality, map_quality
from embspace.geometry.pairs.neighbors import NeighborGraph

AXES = ["x", "y", "z"]
Layout = Float[np.ndarray, "_ _"]
LayoutFunction = Callable[..., Layout]
"""A method with its settings: it makes a map from neighbors, a start, and `seed` by name."""


def maps_of(
    clouds: Mapping[str, LearnedCloud],
    layouts: Mapping[str, Layout],
    graphs: Mapping[str, NeighborGraph],
    vocabulary: pd.DataFrame,
    *,
    quality_n_neighbors: int,
    n_shuffles: int,
    rng: np.random.Generator,
) -> Tables:
    """Return the tables of a layout of every cloud, with the exact neighbors of the points.

    `parquet` has a row per vector: cloud, space, id, token, and x, y and perhaps z; `quality` a row
    per map: trustworthiness, continuity, neighbor recall, beside chance; `one_dimensionality` a row
    per map of positions.

    For a small cloud, quality is measured with fewer neighbors, n / 2 at most.
    """
    quality, lines = [], []
    for name, layout in layouts.items():
        cloud = clouds[name]
        quality += [
            _quality(name, cloud, layout[:, :n_axes], graphs[name], quality_n_neighbors)
            # A third axis is looked at of positions alone; of all tokens it takes seconds to judge.
            for n_axes in range(2, layout.shape[1] + 1 if cloud.is_positional else 3)
        ]
        if cloud.is_positional:
            line = one_dimensionality(layout, cloud.ids, n_shuffles=n_shuffles, rng=rng)
            lines.append({"cloud": name, "n_axes": layout.shape[1], **asdict(line)})
    coordinates = [_coordinates(name, clouds[name], x, vocabulary) for name, x in layouts.items()]
    return {
        "parquet": pd.concat(coordinates, ignore_index=True),
        "quality": pd.DataFrame(quality),
        "one_dimensionality": pd.DataFrame(lines),
    }


def _coordinates(
    name: str, cloud: LearnedCloud, layout: Layout, vocabulary: pd.DataFrame
) -> pd.DataFrame:
    tokens = vocabulary["token"].to_numpy()
    table = pd.DataFrame({"cloud": name, "space": cloud.spaces, "id": cloud.ids})
    is_token = table["space"] == "input"
    table["token"] = np.where(is_token, tokens[np.where(is_token, table["id"], 0)], "")
    for axis, column in zip(AXES, layout.T, strict=False):
        table[axis] = column.astype(np.float32)
    return table


def most_neighbors(n: int, n_neighbors: int) -> int:
    """Return `n_neighbors`, limited to fewer than half of `n` points."""
    return min(n_neighbors, (n - 1) // 2)


def _quality(
    name: str, cloud: LearnedCloud, layout: Layout, graph: NeighborGraph, n_neighbors: int
) -> dict[str, object]:
    k = most_neighbors(len(layout), n_neighbors)
    quality = map_quality(cloud.vectors, layout, n_neighbors=k, graph=graph)
    return {"cloud": name, "n_axes": layout.shape[1], **quality_columns(quality)}


def quality_columns(quality: MapQuality) -> dict[str, float]:
    """Return the columns that describe a map in tables of quality."""
    return {
        "n": quality.n,
        "k": quality.n_neighbors,
        "trustworthiness": quality.trustworthiness,
        "chance_trustworthiness": quality.chance_trustworthiness,
        "continuity": quality.continuity,
        "chance_continuity": quality.chance_continuity,
        "neighbor_recall": quality.neighbor_recall,
        "chance_neighbor_recall": quality.chance_neighbor_recall,
    }
