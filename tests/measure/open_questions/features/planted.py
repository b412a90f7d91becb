"""Token states of planted sparse sources, and of none, that a small model reads."""

from typing import Any

import numpy as np
import pandas as pd

from embspace.clouds.layers import CorpusStates
from tests.geometry.features.planted import gaussian_cloud, sparse_cloud
from tests.measure.attention.reading import cached_reader

N_WINDOWS, LENGTH, DIM, N_SOURCES = 60, 20, 16, 12


def planted(*, is_sparse: bool = True, seed: int = 0) -> dict[str, Any]:
    """Return windows of twenty tokens, of two windows a document, in two layers."""
    n = N_WINDOWS * LENGTH
    x = gaussian_cloud(n, DIM, seed)
    if is_sparse:
        x, _ = sparse_cloud(n, N_SOURCES, DIM, n_active=1, seed=seed)
    window, position = np.divmod(np.arange(n), LENGTH)
    ids = 5 + np.random.default_rng(seed).integers(0, 20, n)
    tokens = pd.DataFrame(
        {
            "window": window,
            "position": position,
            "id": ids,
            "token": [f"t{number}" for number in ids],
            "special": (position == 0) | (position == LENGTH - 1),
            "repeated": False,
            "start": 0,
            "end": 1,
        }
    )
    states = {"token": np.stack([x, x]), "mean": np.zeros((2, N_WINDOWS, DIM))}
    read = CorpusStates(states, np.arange(N_WINDOWS) // 2, tokens)
    return {"corpus": ("tales", read), "module": cached_reader().module, "final_norm": None}
