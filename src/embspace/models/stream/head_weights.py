"""The weights of each head, cut from a model's matrices by rows, as the heads are."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from embspace.models.stream.adapters import blocks_of
from embspace.models.stream.blocks import Affine, Block


@dataclass(frozen=True, eq=False)
class HeadWeights:
    """The weights of a layer's heads, torch float32; heads first.

    Head h makes queries query[h] @ x + query_bias[h] of the input x, keys and values likewise, and
    adds output[h] @ z_h to the stream, with z_h the mean of the values by attention. The sum over
    heads, plus `output_bias`, is added to the stream.
    """

    layer: int
    """1..L."""
    query: Any
    """(head, head_dim, dim), as `key` and `value`."""
    key: Any
    """Keys and values that several heads share are repeated for every head."""
    value: Any
    output: Any
    """(head, dim, head_dim)."""
    query_bias: Any | None
    """(head, head_dim), as `key_bias` and `value_bias`; None in a model without."""
    key_bias: Any | None
    value_bias: Any | None
    output_bias: Any | None
    """(dim,), added once and not by a head."""
    n_key_heads: int
    """How many keys are distinct."""


def head_weights(module: Any) -> list[HeadWeights]:
    """The weights of the heads of the layers 1..L.

    Views of the model's parameters, without gradient, except for shared keys and values. Rotary
    positions come after these weights, the norm of a pre-norm model before.

    Raises:
        InputError: for an unknown architecture, naming the architecture, and for heads that do not
            divide the width.
    """
    return [_head_weights(block) for block in blocks_of(module)]


def distinct_weights(layers: Iterable[HeadWeights]) -> list[HeadWeights]:
    """Return the layers without repetitions of a block; in ALBERT, all layers share a block."""
    first = {layer.query.data_ptr(): layer for layer in reversed([*layers])}
    return sorted(first.values(), key=lambda layer: layer.layer)


def _head_weights(block: Block) -> HeadWeights:
    query, query_bias = _by_head(block.query, block.n_heads, 1)
    shared = block.n_heads // block.n_key_heads
    key, key_bias = _by_head(block.key, block.n_key_heads, shared)
    value, value_bias = _by_head(block.value, block.n_key_heads, shared)
    output = block.output.weight.detach()
    bias = block.output.bias
    return HeadWeights(
        layer=block.layer,
        query=query,
        key=key,
        value=value,
        output=output.reshape(len(output), block.n_heads, -1).permute(1, 0, 2),
        query_bias=query_bias,
        key_bias=key_bias,
        value_bias=value_bias,
        output_bias=None if bias is None else bias.detach(),
        n_key_heads=block.n_key_heads,
    )


def _by_head(matrix: Affine, n_heads: int, n_repeats: int) -> tuple[Any, Any | None]:
    """Return matrix (head, head_dim, dim), bias (head, head_dim), each head `n_repeats` times."""
    dim = matrix.weight.shape[1]
    weight = matrix.weight.detach().reshape(n_heads, -1, dim)
    bias = None if matrix.bias is None else matrix.bias.detach().reshape(n_heads, -1)
    if n_repeats == 1:
        return weight, bias
    repeated = None if bias is None else bias.repeat_interleave(n_repeats, dim=0)
    return weight.repeat_interleave(n_repeats, dim=0), repeated
