"""Rebuilds the stream through every block of a model from the weights, layer by layer."""

from collections.abc import Iterator
from typing import Any

from embspace.errors import InputError
from embspace.models.stream.adapters import blocks_of, first_block
from embspace.models.stream.blocks import Block
from embspace.models.stream.layer_stream import LayerStream
from embspace.models.stream.post_norm import post_norm_stream
from embspace.models.stream.pre_norm import pre_norm_stream


def rebuild_stream(module: Any, ids: Any, mask: Any) -> Iterator[LayerStream]:
    """The stream through the blocks 1..L, for a padded batch.

    `ids` and `mask` are (batch, token) tensors or arrays; `mask` is 1 for tokens, 0 for padding.
    The output of a block is transformers' hidden state for these tokens, to rounding; for the last
    block, before any norm after the block. One layer is in memory at a time, and no gradient is
    kept.

    Raises:
        InputError: for an unknown architecture, naming the architecture; for a model in training
            mode, with random dropout; and for `ids` and `mask` of different shapes.
    """
    import torch

    blocks = blocks_of(module)
    if module.training:
        raise InputError(
            f"{type(module).__name__}: is in training mode, in which dropout changes every state; "
            "call `.eval()` first"
        )
    device = next(module.parameters()).device
    ids, mask = (torch.as_tensor(array).to(device) for array in (ids, mask))
    if ids.ndim != 2 or ids.shape != mask.shape or not ids.numel():
        raise InputError(
            f"a batch: found ids of {tuple(ids.shape)} and a mask of {tuple(mask.shape)}, "
            "allowed: (batch, token) for both, with a token"
        )
    return _layers(blocks, embedding_output(module, ids, mask), mask)


def embedding_output(module: Any, ids: Any, mask: Any) -> Any:
    """Return layer 0 (batch, token, dim): the input of the first block.

    Raises:
        InputError: if the model does not reach the first block.
    """
    import torch

    reached: list[Any] = []

    def stop(_: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        reached.append(arguments[0] if arguments else named["hidden_states"])
        raise _ReachedError

    hook = first_block(module).register_forward_pre_hook(stop, with_kwargs=True)
    try:
        with torch.no_grad():
            module(input_ids=ids, attention_mask=mask)
    except _ReachedError:
        return reached[0]
    finally:
        hook.remove()
    raise InputError(f"{type(module).__name__}: does not run its first block")


class _ReachedError(Exception):
    """Ends a run of the model where its first block begins."""


def _layers(blocks: list[Block], states: Any, mask: Any) -> Iterator[LayerStream]:
    for block in blocks:
        stream = _stream_of(block, states, mask)
        states = stream.output
        yield stream


def _stream_of(block: Block, states: Any, mask: Any) -> LayerStream:
    import torch

    # Not around the loop: a generator would leave it switched off between its layers.
    with torch.no_grad():
        made = pre_norm_stream if block.norm_first else post_norm_stream
        return made(block, states, mask)
