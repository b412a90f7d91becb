"""Hidden states of all layers, with the last before any norm after the last block.

transformers replaces the last block's output by the norm's: layers 0..L-1 are then a stream of
added blocks, and layer L differs. Here layer L is the stream.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from embspace.errors import InputError


@dataclass(frozen=True)
class LayerStates:
    """The output of a model for a batch, as tensors."""

    layers: Any
    """(layer, row, token, dim), layers 0..L: the embedding output and the blocks' outputs."""
    final_norm: Any | None
    """(row, token, dim), the output of the module after the last block, or None."""


def layer_states(
    module: Any, input_ids: Any, attention_mask: Any, final_norm: str | None
) -> LayerStates:
    """The hidden states of a batch (row, token); `final_norm` is the module after the last block.

    The norm's output may have a different `dim`, as with a linear layer back to the embedding size.

    Raises:
        InputError: if the model has no such module, the module does not follow the last block, or
            an unnamed module does.
    """
    import torch

    with torch.inference_mode(), recorded(outer_modules(module)) as passed:
        output = module(
            input_ids=input_ids, attention_mask=attention_mask, output_hidden_states=True
        )
    states = list(output.hidden_states)
    made_by = [path for path, (_, made) in passed.items() if _same(made, states[-1])]
    if final_norm is None:
        if made_by:
            raise InputError(
                f"the last hidden state comes from '{made_by[-1]}', after the last block; say so "
                f"in the model's file:\n  final_norm: {made_by[-1]}"
            )
        return LayerStates(torch.stack(states), None)
    before, after = _states_at_norm(final_norm, passed)
    if final_norm in made_by:
        states[-1] = before
    elif not _same(before, states[-1]):
        raise InputError(
            f"key 'final_norm': '{final_norm}' does not follow the last block; "
            f"the last hidden state comes from {', '.join(made_by) or 'that block'}"
        )
    return LayerStates(torch.stack(states), after.reshape(*before.shape[:-1], -1))


def find_final_norm(module: Any, input_ids: Any, attention_mask: Any) -> str | None:
    """Return the module after the last block, where the stream of the blocks ends.

    The module makes the last hidden state, or reads the state and makes the output of the model.
    None if missing.
    """
    import torch

    with torch.inference_mode(), recorded(outer_modules(module)) as passed:
        output = module(
            input_ids=input_ids, attention_mask=attention_mask, output_hidden_states=True
        )
    last = output.hidden_states[-1]
    for path, (given, made) in reversed(passed.items()):
        if _same(made, last) or (_same(given, last) and _same(made, output.last_hidden_state)):
            return path
    return None


def final_norm_dim(module: Any, final_norm: str) -> int:
    """Return the number of dimensions of the output of the module after the last block.

    Raises:
        InputError: if the model has no such module.
    """
    if final_norm not in (outer := outer_modules(module)):
        raise InputError(_unknown(final_norm, list(outer)))
    weight = getattr(outer[final_norm], "weight", None)
    if weight is None:
        return int(module.config.hidden_size)
    return int(weight.shape[0])  # of a norm (dim,), of a linear layer (dim, _)


def outer_modules(module: Any) -> dict[str, Any]:
    """Modules with parameters and without parts that are in no list of blocks, by path.

    A norm may have no parameters, as OLMo's.
    """
    outer, seen, waiting = dict[str, Any](), set[Any](), [("", module)]
    while waiting:
        path, part = waiting.pop()
        if part in seen:
            continue
        seen.add(part)
        inside = list(part.named_children())
        if not inside and (list(part.parameters()) or "norm" in type(part).__name__.lower()):
            outer[path] = part
        prefix = f"{path}." if path else ""
        waiting += [
            (prefix + name, child) for name, child in reversed(inside) if not _is_block(name)
        ]
    return outer


def _is_block(name: str) -> bool:
    """Return whether a part stands in a list of modules, as the blocks of a transformer do."""
    return name.isdigit()


@contextmanager
def recorded(modules: dict[str, Any]) -> Iterator[dict[str, tuple[Any, Any]]]:
    """Input and output of the modules in the last run."""
    passed: dict[str, tuple[Any, Any]] = {}

    def record(path: str) -> Any:
        def hook(_: Any, arguments: tuple[Any, ...], output: Any) -> None:
            passed[path] = (arguments[0] if arguments else None, output)

        return hook

    hooks = [part.register_forward_hook(record(path)) for path, part in modules.items()]
    try:
        yield passed
    finally:
        for hook in hooks:
            hook.remove()


def _states_at_norm(final_norm: str, passed: dict[str, tuple[Any, Any]]) -> tuple[Any, Any]:
    if final_norm not in passed:
        raise InputError(_unknown(final_norm, list(passed)))
    return passed[final_norm]


def _unknown(final_norm: str, outer: list[str]) -> str:
    return (
        f"key 'final_norm': the model has no '{final_norm}' outside its blocks; "
        f"there is {', '.join(outer)}"
    )


def _same(first: Any, second: Any) -> bool:
    """Whether two tensors hold the same numbers, NaN in the same places."""
    import torch

    if not torch.is_tensor(first) or first.shape != second.shape:
        return False
    if first is second:
        return True
    # Tensors that differ do so in the first row as a rule, and batches are large.
    return all(
        torch.allclose(*pair, rtol=0, atol=0, equal_nan=True)
        for pair in ((first[:1, :1], second[:1, :1]), (first, second))
    )
