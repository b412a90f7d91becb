"""The states of a text's tokens at four points of every block, as a token tracker reads them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from jaxtyping import Float, Int

from embspace.errors import InputError
from embspace.models.final_norm import find_final_norm, layer_states
from embspace.models.stream.adapters import blocks_of, knows
from embspace.models.stream.blocks import Block
from embspace.models.stream.layer_stream import LayerStream
from embspace.models.stream.post_norm import post_norm_stream
from embspace.models.stream.pre_norm import pre_norm_stream
from embspace.models.stream.rebuild import embedding_output

Point = Literal["embedding", "attention_sum", "normed_sum", "output", "as_coded"]
"""Points to read a state. `embedding`: layer 0, the input of block 1. In a block, `attention_sum`:
input plus attention, before any norm; `normed_sum`: the norm of the sum, read by the MLP and, in
a post-norm model, continued as the stream; `output`: the block's output, before any norm after
the last block. `as_coded`: `attention_sum` as computed by Avery's token tracker, with
untransposed matrices of values and output, and without biases.
"""
POINTS: tuple[Point, ...] = get_args(Point)[:4]


@dataclass(frozen=True, eq=False)
class TrackedStates:
    """The states of all tokens of a text at one point of a layer."""

    layer: int
    """0 of the embedding output, else 1..L."""
    point: Point
    x: Float[np.ndarray, "token dim"]


def tracked_states(
    module: Any, ids: Int[np.ndarray, " token"], *, is_causal: bool = True, as_coded: bool = False
) -> Iterator[TrackedStates]:
    """Yield the states at every point of every layer, in the order of computation.

    Of an architecture whose blocks cannot be rebuilt: layer 0 and the output of every layer, the
    last before any final norm.

    `ids` has a single text, special tokens included. Without `is_causal` a decoder sees later
    tokens, too, as in transformers (5.23) with a four-dimensional mask of ones, or of zeros to add,
    instead of the two-dimensional mask; an encoder is unchanged. With `as_coded`, the point
    `as_coded` follows `attention_sum`.

    Raises:
        InputError: for `as_coded` with norms before attention or with matrices that are not square;
            for `as_coded`, or a decoder that sees later tokens, in an unknown architecture, naming
            the architecture.
    """
    import torch

    if not knows(module) and is_causal and not as_coded:
        yield from _layer_outputs(module, ids)
        return
    blocks = [block if is_causal else replace(block, causal=False) for block in blocks_of(module)]
    if as_coded:
        _check_as_coded(module, blocks)
    device = next(module.parameters()).device
    batch = torch.from_numpy(np.array(ids, dtype=np.int64))[None].to(device)
    mask = torch.ones_like(batch)
    states = embedding_output(module, batch, mask)
    yield TrackedStates(0, "embedding", _array(states))
    for block in blocks:
        with torch.no_grad():  # not around the loop, which a generator would leave switched off
            made = pre_norm_stream if block.norm_first else post_norm_stream
            stream = made(block, states, mask)
            points = _points(block, stream, as_coded)
        states = stream.output
        for point, x in points.items():
            yield TrackedStates(block.layer, point, _array(x))


def tracked_points(module: Any) -> tuple[Point, ...]:
    """Return the points at which the states of a model can be read, `embedding` first."""
    return POINTS if knows(module) else ("embedding", "output")


def _layer_outputs(module: Any, ids: Int[np.ndarray, " token"]) -> Iterator[TrackedStates]:
    import torch

    batch = torch.from_numpy(np.array(ids, dtype=np.int64))[None]
    batch = batch.to(next(module.parameters()).device)
    mask = torch.ones_like(batch)
    final_norm = find_final_norm(module, batch, mask)
    for layer, states in enumerate(layer_states(module, batch, mask, final_norm).layers):
        yield TrackedStates(layer, "output" if layer else "embedding", _array(states))


def has_as_coded(module: Any) -> bool:
    """Return whether the computation `as_coded` is defined for a model."""
    return knows(module) and not any(map(_does_not_fit, blocks_of(module)))


def _points(block: Block, stream: LayerStream, as_coded: bool) -> dict[Point, Any]:
    """Return the tensors (1, token, dim) of a block by point."""
    points: dict[Point, Any] = {"attention_sum": stream.input + stream.attention_added}
    if as_coded:
        points["as_coded"] = _as_coded(block, stream)
    points["normed_sum"] = stream.mlp_input
    points["output"] = stream.output
    return points


def _as_coded(block: Block, stream: LayerStream) -> Any:
    """Return the sum after attention by X W in place of X W^T + b, for values and output.

    Avery, attention-encodings, attention_analyzer.py at commit 400b228. torch's Linear holds W as
    (out, in); the product fits because W is square.
    """
    values = stream.attention_input @ block.value.weight
    by_head = values.reshape(*values.shape[:2], block.n_heads, -1).transpose(1, 2)
    together = (stream.attention @ by_head).transpose(1, 2).flatten(start_dim=2)
    return stream.input + together @ block.output.weight


def _check_as_coded(module: Any, blocks: list[Block]) -> None:
    if any(map(_does_not_fit, blocks)):
        raise InputError(
            f"{type(module).__name__}: the computation 'as_coded' is of models that norm after "
            "attention and whose matrices of values and output are square, as of RoBERTa"
        )


def _does_not_fit(block: Block) -> bool:
    matrices = (block.value.weight, block.output.weight)
    return block.norm_first or any(matrix.shape[0] != matrix.shape[1] for matrix in matrices)


def _array(states: Any) -> Float[np.ndarray, "token dim"]:
    array: np.ndarray = states[0].float().cpu().numpy()
    return array
