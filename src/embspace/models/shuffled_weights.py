"""A trained model of which only the distribution of each matrix is left."""

from copy import deepcopy
from typing import Any


def with_shuffled_entries(module: Any, seed: int) -> Any:
    """A copy of `module` with the entries of every matrix in random order.

    A matrix keeps mean, variance and outliers, and loses all structure. Vectors (biases and the
    gains of norms) stay: their entries belong to dimensions.
    """
    import torch

    shuffled = deepcopy(module).eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for values in shuffled.parameters():
            if values.ndim > 1:
                order = torch.randperm(values.numel(), generator=generator)
                values.copy_(values.flatten()[order].reshape(values.shape))
    return shuffled
