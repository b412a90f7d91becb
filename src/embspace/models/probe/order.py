"""Checks that hidden states have the expected axes, number, width, and order."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from embspace.errors import RefusedModel
from embspace.models.probe.passes import TokenRow, output_of


def check_states(module: Any, ids: TokenRow) -> None:
    """Stop unless layer k is the output of block k, with axes (text, token, dim).

    Outputs of blocks are recorded by hooks on the list of blocks, if the list has the config's
    length. The last layer may be a norm of the output.

    Raises:
        RefusedModel: saying the deviation.
    """
    name = type(module).__name__
    n_layers, dim = _counted(module, "num_hidden_layers"), _counted(module, "hidden_size")
    blocks = _blocks(module, n_layers)
    with _recorded(blocks) as calls:
        states = output_of(module, [ids]).hidden_states
    if len(states) != n_layers + 1:
        raise RefusedModel(
            f"{name} gives {len(states)} hidden states, expected {n_layers + 1}: the embedding "
            f"output and {n_layers} layers"
        )
    for layer, state in enumerate(states):
        # Behind the last block a linear layer may lead back to the embedding size (OPT-350M).
        width = state.shape[-1] if layer == n_layers else dim
        if tuple(state.shape) != (1, len(ids), width):
            raise RefusedModel(
                f"{name} gives states of the shape {tuple(state.shape)} at layer {layer}, expected "
                f"(text, token, dim) = {(1, len(ids), dim)}; they are no vector a token"
            )
        if not state.isfinite().all():
            raise RefusedModel(
                f"{name} gives states that are not finite at layer {layer}; its weights, or "
                "numbers of its config such as the epsilon of its norms, are no model's"
            )
    if len(calls) == n_layers:
        _check_order(name, calls, states)


def _counted(module: Any, key: str) -> int:
    number = getattr(getattr(module, "config", None), key, None)
    if not isinstance(number, int):
        raise RefusedModel(
            f"{type(module).__name__}: its config has no number '{key}', so that its layers are "
            "not known"
        )
    return number


def _check_order(name: str, calls: list[tuple[Any, Any]], states: Any) -> None:
    for layer in range(1, len(states)):
        given = calls[layer][0] if layer < len(calls) else None
        made = calls[layer - 1][1]
        is_last = layer == len(states) - 1
        if not (is_last or _is(states[layer], made) or _is(states[layer], given)):
            raise RefusedModel(
                f"{name}: hidden state {layer} is neither what block {layer} gives nor what block "
                f"{layer + 1} reads, so that layers cannot be told apart"
            )


def _blocks(module: Any, n_layers: int) -> list[Any]:
    """Return the first list with as many modules as layers."""
    from torch.nn import ModuleList

    lists = [list(part) for part in module.modules() if isinstance(part, ModuleList)]
    return next((blocks for blocks in lists if len(blocks) == n_layers), [])


@contextmanager
def _recorded(modules: list[Any]) -> Iterator[list[tuple[Any, Any]]]:
    """Record inputs and outputs of modules in the order of the calls."""
    calls: list[tuple[Any, Any]] = []

    def record(_: Any, arguments: tuple[Any, ...], named: dict[str, Any], made: Any) -> None:
        given = arguments[0] if arguments else named.get("hidden_states")
        calls.append((given, made[0] if isinstance(made, tuple) else made))

    hooks = [block.register_forward_hook(record, with_kwargs=True) for block in modules]
    try:
        yield calls
    finally:
        for hook in hooks:
            hook.remove()


def _is(state: Any, made: Any) -> bool:
    """Return whether a block's tensor is a state, in any order of axes, or with more padding."""
    import torch

    if not torch.is_tensor(made) or made.ndim < 2 or made.shape[-1] != state.shape[-1]:
        return False
    rows = made.reshape(-1, made.shape[-1])[: state.shape[1]]
    return rows.shape == state[0].shape and bool(torch.equal(rows, state[0]))
