"""A table of positions as `measure_regimes` writes it."""

from collections.abc import Collection

import numpy as np
import pandas as pd


def regimes_of(
    n: int, *, outlying: Collection[int] = (), unstructured: Collection[int] = ()
) -> pd.DataFrame:
    positions = np.arange(n)
    return pd.DataFrame(
        {
            "position": positions,
            "norm": 1.0,
            "neighbor_cosine": 0.8,
            "score": 0.0,
            "outlying": np.isin(positions, list(outlying)),
            "regime": np.where(np.isin(positions, list(unstructured)), 2, 1),
            "unstructured": np.isin(positions, list(unstructured)),
        }
    )
