"""A trained model of which only the distribution of each matrix is left."""

from copy import deepcopy
from typing import Any


def with_shuffled_entries(module: Any, seed: int) -> Any:
    """A copy of `module` with the entries of each of its matrices in random order.

    Each matrix keeps its mean, its variance and its outliers, and loses all structure. Vectors,
    biases and the gains of norms, stay as they are, as they have a place for each dimension.
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
