"""Rotary positions: queries and keys are turned by angles that grow with the position."""

from typing import Any


def rotated(x: Any, cosines: Any, sines: Any) -> Any:
    """Return vectors (batch, head, token, head_dim), turned by their position's angles.

    Su et al. 2021, RoFormer (arXiv 2104.09864), equation 34; coordinate i is turned with
    i + head_dim / 2, as in the models of transformers, where the paper takes neighbors.
    `cosines` and `sines` are (1, token, head_dim). Lengths stay, so does the product of two vectors
    that are moved by as many positions.
    """
    import torch

    first, second = x.chunk(2, dim=-1)
    turned = torch.cat((-second, first), dim=-1)
    return x * cosines[:, None] + turned * sines[:, None]
