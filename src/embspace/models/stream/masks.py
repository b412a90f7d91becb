"""Which tokens a token may attend to."""

from typing import Any


def attended(mask: Any, *, causal: bool, window: int | None) -> Any:
    """Return (batch, 1, token, token), true where the row's token may attend to the column's.

    `mask` (batch, token) is 1 for tokens and 0 for padding, which no token attends to; `causal`
    excludes later tokens, `window` those that are farther away.
    """
    import torch

    n_tokens = mask.shape[1]
    positions = torch.arange(n_tokens, device=mask.device)
    ahead = positions[None, :] - positions[:, None]
    allowed = torch.ones_like(ahead, dtype=torch.bool)
    if causal:
        allowed &= ahead <= 0
    if window is not None:
        allowed &= ahead.abs() <= window
    return allowed[None, None] & mask.bool()[:, None, None, :]
