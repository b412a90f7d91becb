"""A model whose matrices have few bits per number."""

from copy import deepcopy
from typing import Any

import numpy as np

from embspace.geometry.parameters.few_bits import rounded_to_bits


def with_rounded_weights(module: Any, bits: int, block: int | None = None) -> tuple[Any, float]:
    """Return a copy of `module` with every matrix rounded, and the relative error of all matrices.

    Matrices, tables of embeddings among them, are rounded by `rounded_to_bits`; biases and the
    gains of norms stay. The error is the Frobenius norm of the change over that of the matrices.
    """
    import torch

    rounded = deepcopy(module).eval()
    change = length = 0.0
    with torch.no_grad():
        for values in rounded.parameters():
            if values.ndim < 2:
                continue
            before = values.detach().float().cpu().numpy().reshape(len(values), -1)
            after = rounded_to_bits(before, bits, block)
            change += float(np.square(after - before).sum())
            length += float(np.square(before, dtype=np.float64).sum())
            values.copy_(torch.from_numpy(after).reshape(values.shape))
    return rounded, float(np.sqrt(change / length)) if length else 0.0
