"""Attention from transformers itself, for any architecture with attention."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from embspace.errors import InputError

EAGER = "eager"  # the one implementation that gives its weights out


def attention_maps(module: Any, ids: Any, mask: Any) -> list[Any]:
    """The attention (batch, head, token, token) of the layers 1..L, by transformers itself.

    `ids` and `mask` are (batch, token) tensors or arrays. Rows of tokens sum to 1, rows of padding
    mean nothing. The model computes attention as `eager` for this call. All layers are in memory at
    once: 12 layers of 12 heads take 150 MB for a text of 512 tokens.

    Raises:
        InputError: without attention, as for an implementation that returns none, or if the number
            of heads does not divide the width.
    """
    import torch

    check_head_count(module)
    device = next(module.parameters()).device
    ids, mask = (torch.as_tensor(array).to(device) for array in (ids, mask))
    with _eager(module):
        return given_attention(module, ids, mask)


def gives_attention(module: Any) -> bool:
    """Whether a model gives out the attention of every layer.

    FNet has none, and models with blocks of another kind have it in some layers alone.

    Raises:
        InputError: if the number of heads does not divide the width.
    """
    check_head_count(module)
    try:
        attention_maps(module, [[0, 0]], [[1, 1]])
    except InputError:
        return False
    return True


def given_attention(module: Any, ids: Any, mask: Any) -> list[Any]:
    """The attention returned by the model as set now, by layer.

    Raises:
        InputError: if attention is missing for a layer.
    """
    import torch

    with torch.no_grad():
        output = module(input_ids=ids, attention_mask=mask, output_attentions=True)
    maps = getattr(output, "attentions", None)
    n_layers = module.config.num_hidden_layers
    if not maps or any(layer_map is None for layer_map in maps) or len(maps) != n_layers:
        implementation = getattr(module.config, "_attn_implementation", None)
        n_found = len([layer_map for layer_map in maps or () if layer_map is not None])
        raise InputError(
            f"{type(module).__name__}: gives the attention of {n_found} of {n_layers} layers, with "
            f"attn_implementation {implementation!r}; only 'eager' gives attention out, and only "
            "models that have attention"
        )
    return list(maps)


def check_head_count(module: Any) -> None:
    """Stop unless the heads divide the width, or have a separate width.

    Raises:
        InputError: naming the number of heads and the width; also for None, which is no model.
    """
    config = getattr(module, "config", None)
    if config is None:
        raise InputError("vectors without a model have no attention")
    n_heads = getattr(config, "num_attention_heads", None)
    width = getattr(config, "hidden_size", None)
    if not n_heads or not width or getattr(config, "head_dim", None):
        return
    if width % n_heads:
        raise InputError(
            f"{type(module).__name__}: config.json: key 'num_attention_heads': found {n_heads}, "
            f"allowed: a number that divides the width {width}"
        )


@contextmanager
def _eager(module: Any) -> Iterator[None]:
    """Make a model return attention, and restore the model afterwards."""
    before = getattr(module.config, "_attn_implementation", None)
    if before == EAGER or not hasattr(module, "set_attn_implementation"):
        yield
        return
    module.set_attn_implementation(EAGER)
    try:
        yield
    finally:
        module.set_attn_implementation(before)
