"""Numbers rounded to few bits, as quantized weights are."""

import numpy as np
from jaxtyping import Float


def rounded_to_bits(
    x: Float[np.ndarray, "row column"], bits: int, block: int | None = None
) -> Float[np.ndarray, "row column"]:
    """Return a matrix with entries rounded to nearest on an even grid about 0, float64.

    The grid of `bits` bits has 2^bits - 1 values from -s to s, with s the largest absolute entry of
    a row, or of each `block` successive entries of a row; the last block may be shorter. The error
    of an entry is at most s / (2^bits - 2). Round to nearest with a symmetric scale is the usual
    baseline of quantization (Nagel et al. 2021, "A white paper on neural network quantization").

    Raises:
        ValueError: if `bits` is under 2, or `block` under 1.
    """
    if bits < 2:
        raise ValueError(f"bits: expected at least 2, found {bits}")
    if block is not None and block < 1:
        raise ValueError(f"block: expected at least 1, found {block}")
    x = x.astype(np.float64)
    n_rows, n = x.shape
    size = min(block or n, n)
    if not size:
        return x
    filled = np.pad(x, ((0, 0), (0, -n % size))).reshape(n_rows, -1, size)
    n_steps = 2 ** (bits - 1) - 1
    step = np.abs(filled).max(axis=2, keepdims=True) / n_steps
    whole = np.round(np.divide(filled, step, out=np.zeros_like(filled), where=step > 0))
    return np.asarray((whole * step).reshape(n_rows, -1)[:, :n])
