"""The maps of three layers in small, as the stage writes them: planted places and shares."""

from pathlib import Path

import numpy as np
import pandas as pd

from embspace.files.rows import save_rows
from embspace.files.tables import save_table
from tests.app.explorer.trees import HOSTILE

N, K = 60, 15


def places() -> np.ndarray:
    """Return where each token is, of shape (layer, token, 2)."""
    return np.random.default_rng(3).normal(size=(3, N, 2)).astype(np.float32)


def write_layer_maps(folder: Path, model: str = "tiny") -> Path:
    """Write maps on which all neighbors are new at layer 1, and none at layer 2."""
    contexts = [*HOSTILE, *(f"a [word{number}] b" for number in range(N - len(HOSTILE)))]
    shares = (np.nan, 1.0, 0.0)
    parts, rows = [], []
    for layer, (xy, share) in enumerate(zip(places(), shares, strict=True)):
        changed = {"changed_in_space": share, "changed_in_map": share}
        seed = {"changed_between_seeds": 0.4}
        columns = {"context": contexts, "layer": layer, "x": xy[:, 0], "y": xy[:, 1]}
        parts.append(pd.DataFrame(columns | changed | seed))
        about = {"layer": layer, "k": K, "neighbor_recall": 0.5, "chance_changed": 0.75}
        rows.append(about | changed | seed | {"random_weights_changed": share / 4})
    (folder / "data/projected/layer_maps").mkdir(parents=True, exist_ok=True)
    save_rows(pd.concat(parts), str(folder / f"data/projected/layer_maps/{model}.parquet"))
    (folder / "results/layer_maps").mkdir(parents=True, exist_ok=True)
    save_table(pd.DataFrame(rows), str(folder / f"results/layer_maps/{model}.csv"))
    return folder
