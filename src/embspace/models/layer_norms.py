"""Finds the LayerNorm that makes each hidden state, by the modules' outputs, not by names."""

from typing import Any

import numpy as np
from jaxtyping import Float, Int

from embspace.models.final_norm import layer_states


def layer_norm_scales(
    module: Any, ids: Int[np.ndarray, " token"], final_norm: str | None
) -> Float[np.ndarray, " layer"]:
    """The length set by the LayerNorm of the hidden states 0..L: sqrt(|gain|^2 + |bias|^2).

    A LayerNorm puts out gain * z + bias with mean(z) = 0 and mean(z^2) = 1 over the dimensions of a
    token: the expected squared norm is |gain|^2 + |bias|^2 for exchangeable components of z,
    whatever the input. NaN where the hidden state is no LayerNorm's output, as in blocks that
    normalize input, not output. The model reads the text `ids`; `final_norm` is the module after
    the last block, whose output is no hidden state.
    """
    import torch

    outputs: list[tuple[Any, Any]] = []
    hooks = [
        part.register_forward_hook(lambda norm, _, output: outputs.append((norm, output)))
        for part in module.modules()
        if isinstance(part, torch.nn.LayerNorm)
    ]
    try:
        batch = torch.tensor([ids.tolist()], device=next(module.parameters()).device)
        states = layer_states(module, batch, torch.ones_like(batch), final_norm).layers
    finally:
        for hook in hooks:
            hook.remove()
    scales = []
    for state in states:
        made_by = [norm for norm, output in outputs if torch.equal(output, state)]
        scales.append(_scale(made_by[-1]) if made_by else np.nan)
    return np.array(scales)


def _scale(norm: Any) -> float:
    """A LayerNorm without learned gain has the gain 1."""
    gain = np.ones(norm.normalized_shape) if norm.weight is None else _values(norm.weight)
    bias = np.zeros(1) if norm.bias is None else _values(norm.bias)
    return float(np.sqrt(np.square(gain).sum() + np.square(bias).sum()))


def _values(parameter: Any) -> np.ndarray:
    values: np.ndarray = parameter.detach().cpu().numpy().astype(np.float64)
    return values
