"""Holds the content of a figure's panel: two axes of the map of a cloud."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from embspace.draw.page.canvas import counted
from embspace.draw.page.token_kinds import token_kinds

EXTRACTED = "data/extracted/embeddings.parquet"


@dataclass(frozen=True)
class Panel:
    """Holds two axes of the map of a cloud, and the quality of the map."""

    cloud: str
    """Names the cloud, by a key of `looks.CLOUDS`."""
    rows: pd.DataFrame
    """Holds a row per vector: coordinates x and y, space, id, token and kind."""
    quality: pd.Series
    """Holds the map's row of the table of quality."""

    @property
    def is_positional(self) -> bool:
        """Return True if all rows are positions."""
        return set(self.rows["space"]) == {"positional"}


def panels_of_maps(results: Mapping[str, Any]) -> list[Panel]:
    """Return a panel per cloud, with the first two axes of the map."""
    quality = results["quality"]
    planes = quality[quality["n_axes"] == 2].set_index("cloud")
    return [
        Panel(str(name), rows, planes.loc[str(name)])
        for name, rows in _with_kinds(results).groupby("cloud", sort=False)
    ]


def _with_kinds(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the coordinates with the kind of each token; a position has none."""
    coordinates = results["parquet"]
    kinds = coordinates["id"].map(token_kinds(results[EXTRACTED])).fillna("other")
    return coordinates.assign(kind=kinds.where(coordinates["space"] == "input", ""))


def unstructured_positions(coordinates: pd.DataFrame) -> set[int]:
    """Return the positions that the cloud of the structured positions leaves out."""
    ids = coordinates.groupby("cloud")["id"].agg(set)
    return ids.get("positional", set()) - ids.get("structured", set())


def population(coordinates: pd.DataFrame) -> str:
    """Return in words how many tokens and positions the first cloud has."""
    first = coordinates[coordinates["cloud"] == coordinates["cloud"].iloc[0]]
    n = first["space"].value_counts()
    words = {"input": "token", "positional": "position"}
    return ", ".join(counted(n[space], noun) for space, noun in words.items() if space in n)
