"""Cosines of points to their neighbors, in the format of the page."""

from pathlib import Path

import numpy as np
from jaxtyping import Float, Int, UInt16

from embspace.files.tensors import load_tensors
from embspace.geometry.pairs.directions import unit_rows

CENTERED = "_centered"  # ends the name of a cloud without its mean
COSINE, ABOUT_MEAN = "cosine", "cosine about the mean"


def in_hundredths(
    x: Float[np.ndarray, "n dim"], neighbors: Int[np.ndarray, "n k"]
) -> UInt16[np.ndarray, "n k"]:
    """Return the cosines of rows to their neighbors in hundredths, from 0 for -1 to 200 for 1."""
    units = unit_rows(x)
    columns = [np.einsum("nd,nd->n", units, units[column]) for column in neighbors.T]
    return np.rint(100 * (1 + np.clip(np.stack(columns, axis=1), -1, 1))).astype(np.uint16)


def learned_vectors(folder: Path, model: str, cloud: str) -> Float[np.ndarray, "n dim"] | None:
    """Return the vectors of a cloud, centered if the name says so; None if missing."""
    from embspace.clouds.learned import one_space

    path = folder / f"data/extracted/embeddings/{model}.safetensors"
    if not path.exists():
        return None
    matrices = one_space(load_tensors(str(path)))
    if cloud == "positional":
        return matrices.get(cloud)
    parts = [matrices[space] for space in ("input", "positional") if space in matrices]
    x = np.concatenate(parts)
    return x - x.mean(axis=0, dtype=np.float64) if cloud.endswith(CENTERED) else x
