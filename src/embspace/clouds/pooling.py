"""One vector for many tokens."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float

Pooling = Literal["cls", "mean", "max"]
POOLINGS: tuple[Pooling, ...] = get_args(Pooling)
"""The poolings that stages measure."""
MorePooling = Literal["last", "weightedmean"]
EXTRACTED: tuple[Pooling | MorePooling, ...] = (*POOLINGS, *get_args(MorePooling))
"""The poolings of a text's hidden states that extraction writes."""
SQRT = "mean_sqrt_len_tokens"
FIRST_LAST = "first_last"
"""The mean of layer 1 and the last layer, by mean pooling (Su et al. 2021, arXiv:2103.15316)."""
SENTENCE = "sentence"
"""The vector that the makers of a sentence model take of a text: a space and a tensor."""
TOKEN_POOLINGS: tuple[str, ...] = (*EXTRACTED, SQRT)
"""All poolings of a layer's tokens; names as in sentence-transformers."""


def pool(
    tokens: Float[np.ndarray, "layer token dim"], poolings: Sequence[str] = POOLINGS
) -> dict[str, Float[np.ndarray, "layer dim"]]:
    """Return a vector per layer and pooling.

    Special tokens count, as in sentence-transformers; padding is not among `tokens`.
    """
    return {pooling: pooled(tokens, pooling) for pooling in poolings}


def pooled(
    tokens: Float[np.ndarray, "layer token dim"], pooling: str, n_before: int = 0
) -> Float[np.ndarray, "layer dim"]:
    """Return a vector per layer, by a pooling of `TOKEN_POOLINGS`.

    `cls` is the first token, `last` the last; `mean` and `max` are over all tokens. `weightedmean`
    gives the n-th token, from 1 on, the weight n, as Muennighoff (2022), arXiv:2202.08904, does of
    decoders; the `n_before` tokens that were left out before them count, too.
    `mean_sqrt_len_tokens` is the sum over the square root of the number of tokens.
    """
    if pooling == "cls":
        return tokens[:, 0]
    if pooling == "last":
        return tokens[:, -1]
    if pooling == "max":
        return tokens.max(axis=1)
    if pooling == "weightedmean":
        weights = np.arange(n_before + 1, n_before + tokens.shape[1] + 1, dtype=np.float64)
        return np.einsum("ltd,t->ld", tokens, weights / weights.sum()).astype(np.float32)
    mean = tokens.mean(axis=1, dtype=np.float64)
    return (mean * np.sqrt(tokens.shape[1]) if pooling == SQRT else mean).astype(np.float32)
