"""One vector for many tokens."""

from typing import Literal, get_args

import numpy as np
from jaxtyping import Float

Pooling = Literal["cls", "mean", "max"]
POOLINGS: tuple[Pooling, ...] = get_args(Pooling)


def pool(tokens: Float[np.ndarray, "layer token dim"]) -> dict[str, Float[np.ndarray, "layer dim"]]:
    """One vector a layer: `cls`, the first token; `mean` and `max` over all tokens.

    Special tokens count, as in sentence-transformers; padding is not among `tokens`.
    """
    mean = tokens.mean(axis=1, dtype=np.float64).astype(np.float32)
    return {"cls": tokens[:, 0], "mean": mean, "max": tokens.max(axis=1)}
