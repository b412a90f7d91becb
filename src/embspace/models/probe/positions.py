"""Finds whether a model adds positions to its input."""

from typing import Any

import numpy as np

from embspace.models.probe.passes import states_of

N_TOKENS = 6  # of one id; those at the ends have other neighbors


def adds_positions(module: Any, token: int) -> bool:
    """Whether the vector of a token in the embedding output depends on the position."""
    (states,) = states_of(module, [np.full(N_TOKENS, token, dtype=np.int64)])
    inner = states[0][1:-1]
    return bool((inner - inner[:1]).abs().max() > 1e-6 * inner.abs().max())
