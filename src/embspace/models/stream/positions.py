"""A model without positions, to find remaining sources of order."""

from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any, Literal

from embspace.settings.model import Network

Removed = Literal["table", "rotation", "nothing"]
ROTARY = ("rope_", "rotary")  # how keys of a config begin that turn queries and keys
INSIDE = ("relative", "rel_embeddings")  # in names of parameters of positions inside attention


def removable_positions(module: Any, model: Network) -> Removed:
    """Return what makes the positions of a model: a learned table, or a rotation by the position.

    `nothing` can be taken away where attention itself falls off with the distance, by learned or
    fixed amounts, or where nothing is known of the positions.
    """
    config = module.config.to_dict()
    names = [name for name, _ in module.named_parameters()]
    if config.get("alibi") or any(part in name for name in names for part in INSIDE):
        return "nothing"
    if model.matrices.positional is not None:
        return "table"
    turns = any(key.startswith(ROTARY) and value for key, value in config.items())
    return (
        "rotation"
        if turns and "position_ids" in signature(module.forward).parameters
        else ("nothing")
    )


@contextmanager
def without_positions(module: Any, model: Network) -> Iterator[None]:
    """Make a model read without positions: a zero table, or equal position ids.

    Both are restored afterwards. A mask that hides later tokens stays, and so does a window of
    local attention.
    """
    import torch

    removed = removable_positions(module, model)
    if removed == "rotation":
        hook = module.register_forward_pre_hook(_with_equal_positions, with_kwargs=True)
        try:
            yield
        finally:
            hook.remove()
    elif removed == "table":
        assert model.matrices.positional is not None
        table = module.get_parameter(model.matrices.positional)
        kept = table.detach().clone()
        with torch.no_grad():
            table.zero_()
        try:
            yield
        finally:
            with torch.no_grad():
                table.copy_(kept)
    else:
        yield


def _with_equal_positions(
    _: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    import torch

    return arguments, keywords | {"position_ids": torch.zeros_like(keywords["input_ids"])}
