"""Attention through all layers at once."""

import numpy as np
from jaxtyping import Float


def attention_rollout(
    attention: Float[np.ndarray, "layer *batch token token"],
) -> Float[np.ndarray, "*batch token token"]:
    """Return how much of each token's input reaches each token after the last layer, in [0, 1].

    Abnar and Zuidema (2020), arXiv 2005.00928, equation 1: the product of (A + I) / 2 over the
    layers, A being the mean attention of the heads; the identity stands for the residual stream.
    Rows sum to 1. Values and the MLP are ignored.

    Examples:
        >>> attention_rollout(np.array([[[0.0, 1.0], [0.0, 1.0]]])).tolist()
        [[0.5, 0.5], [0.0, 1.0]]

    Raises:
        ValueError: without a layer.
    """
    if not len(attention):
        raise ValueError(f"attention: expected layers of maps, found {attention.shape}")
    identity = np.eye(attention.shape[-1])
    product = np.broadcast_to(identity, attention.shape[1:])
    for layer in attention.astype(np.float64):
        product = (layer + identity) / 2 @ product
    return np.asarray(product)
