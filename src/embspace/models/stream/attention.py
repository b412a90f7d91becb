"""The attention of a block, head by head, rebuilt from the weights."""

from dataclasses import dataclass
from typing import Any

from embspace.models.stream.blocks import Affine, Block
from embspace.models.stream.masks import attended
from embspace.models.stream.rotary import rotated


@dataclass(frozen=True, eq=False)
class Attention:
    """The outputs of the heads of a block, and their sum."""

    query: Any
    """(batch, head, token, head_dim), as `key`, `value` and `head_output`."""
    key: Any
    value: Any
    scores: Any
    """(batch, head, token, token), as `attention`."""
    attention: Any
    head_output: Any
    concatenation: Any
    """(batch, token, head * head_dim)."""
    added: Any
    """(batch, token, dim)."""


def attention_of(block: Block, x: Any, mask: Any) -> Attention:
    """The attention of a block on input `x` (batch, token, dim), after the norm if present.

    Scores are scaled; scores forbidden by mask, order or window are the most negative number of
    float32: a row with nothing to attend to, as for padding, has no NaN.
    """
    import torch

    shared = block.n_heads // block.n_key_heads
    query = _by_head(block.query, x, block.n_heads)
    key = _by_head(block.key, x, block.n_key_heads).repeat_interleave(shared, dim=1)
    value = _by_head(block.value, x, block.n_key_heads).repeat_interleave(shared, dim=1)
    if block.rotary is not None:
        cosines, sines = block.rotary(x)
        query, key = rotated(query, cosines, sines), rotated(key, cosines, sines)
    allowed = attended(mask, causal=block.causal, window=block.window)
    scores = (query @ key.transpose(2, 3)) * block.scaling
    scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
    attention = scores.softmax(dim=-1)
    head_output = attention @ value
    concatenation = head_output.transpose(1, 2).flatten(start_dim=2)
    return Attention(
        query,
        key,
        value,
        scores,
        attention,
        head_output,
        concatenation,
        block.output(concatenation),
    )


def _by_head(matrix: Affine, x: Any, n_heads: int) -> Any:
    made = matrix(x)
    return made.reshape(*made.shape[:2], n_heads, -1).transpose(1, 2)
