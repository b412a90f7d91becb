"""Gathers the maps of all layers of a model, for the explorer's slider over layers."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from embspace.app.explorer.packing import Pack
from embspace.files.rows import load_rows
from embspace.files.tables import load_table

CHANGED = {
    "changed_in_space": "neighbors new in the full space",
    "changed_in_map": "neighbors new on the map",
    "changed_between_seeds": "neighbors that another seed of the map changes",
}
UNKNOWN = 255  # of neighbors that a layer without one before it does not have


def layers_of(folder: Path, model: str, pack: Pack) -> dict[str, Any] | None:
    """Return the maps of `project_layer_maps`, whose numbers go into `pack`; None without any."""
    path = folder / f"data/projected/layer_maps/{model}.parquet"
    if not path.exists():
        return None
    places = load_rows(str(path))
    table = load_table(str(folder / f"results/layer_maps/{model}.csv"))
    if table.empty:
        return None
    first = places[places["layer"] == table["layer"].iloc[0]]
    return {
        "names": [str(context) for context in first["context"]],
        "k": int(table["k"].iloc[0]),
        "chance": float(table["chance_changed"].iloc[0]),
        "colors": list(CHANGED.values()),
        "layers": [
            _layer(places[places["layer"] == row["layer"]], row, pack)
            for row in table.to_dict("records")
        ],
    }


def _layer(points: pd.DataFrame, row: dict[Any, Any], pack: Pack) -> dict[str, Any]:
    """Return a map: places, and by kind how many of its k neighbors a token has changed."""
    shares = [points[name].to_numpy(dtype=float) for name in CHANGED]
    counts = [np.rint(share * row["k"]) for share in shares]
    whole = [np.where(np.isfinite(count), count, UNKNOWN).astype(np.int64) for count in counts]
    means = [float(row[name]) for name in CHANGED]
    untrained = float(row.get("random_weights_changed", np.nan))  # older tables have none
    return {
        "layer": int(row["layer"]),
        "recall": float(row["neighbor_recall"]),
        "means": [None if np.isnan(mean) else mean for mean in means],
        "untrained": None if np.isnan(untrained) else untrained,
        "x": pack.add_scaled(points["x"].to_numpy(dtype=float)),
        "y": pack.add_scaled(points["y"].to_numpy(dtype=float)),
        "changed": [pack.add(count, n_bytes=1) for count in whole],
    }
