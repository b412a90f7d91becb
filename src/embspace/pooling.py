"""One vector for many tokens."""

import numpy as np
from jaxtyping import Bool, Float

POOLINGS = ("cls", "mean", "max")


def pool(
    tokens: Float[np.ndarray, "layer token dim"], kept: Bool[np.ndarray, " token"] | None
) -> dict[str, Float[np.ndarray, "layer dim"]]:
    """One vector a layer: `cls` (the first token), `mean` and `max` over the kept tokens.

    `kept` None keeps all. Where nothing is kept, mean and max are those of all tokens.
    """
    chosen = tokens if kept is None or not kept.any() else tokens[:, kept]
    mean = chosen.mean(axis=1, dtype=np.float64).astype(np.float32)
    return {"cls": tokens[:, 0], "mean": mean, "max": chosen.max(axis=1)}
