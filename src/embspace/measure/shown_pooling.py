"""Which pooling is shown: of a model that reads from left to right, not its first token."""

from collections.abc import Mapping
from typing import Literal

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.geometry.directions import norms

Pooling = Literal["cls", "mean", "max"]
ROUNDING = 1e-5  # of a vector's length: sentences in other batches round in another way


def shown_pooling_of(
    asked: Pooling, tokens: pd.DataFrame, states: Mapping[str, Float[np.ndarray, "layer text dim"]]
) -> Pooling:
    """What is asked for, or `mean` where that is `cls` and the first token has seen no other.

    `tokens` has ids, and the row of each text as `window`.
    """
    if asked != "cls" or not states["cls"].shape[1]:
        return asked
    first = tokens.groupby("window")["id"].first().to_numpy(np.int64)
    return "mean" if _saw_no_other(states["cls"][-1], first) else asked


def _saw_no_other(states: Float[np.ndarray, "text dim"], first: np.ndarray) -> bool:
    """Whether texts that begin with the same token all have the same state of it."""
    _, rows, same = np.unique(first, return_index=True, return_inverse=True)
    vectors = states.astype(np.float64)
    apart = norms(vectors - vectors[rows][same])
    return len(rows) < len(first) and bool((apart <= ROUNDING * norms(vectors)).all())
