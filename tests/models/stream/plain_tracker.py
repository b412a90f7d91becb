"""The token tracker as a plain loop: what transformers' own modules read and make, by hooks."""

from typing import Any

import numpy as np

from tests.lazy import torch

IDS = np.array([2, 17, 33, 8, 33, 59, 3])
# The module of each block that reads the sum after attention, by `config.model_type`.
NORMS = {
    "bert": lambda layer: layer.attention.output.LayerNorm,
    "roberta": lambda layer: layer.attention.output.LayerNorm,
    "modernbert": lambda layer: layer.mlp_norm,
    "gpt2": lambda layer: layer.ln_2,
}
TRACKED = list(NORMS)


def layers_of(module: Any) -> Any:
    base = module.base_model
    for holder in ("encoder", "transformer"):
        base = getattr(base, holder, base)
    return next(getattr(base, name) for name in ("layer", "layers", "h") if hasattr(base, name))


def plain_states(module: Any, mask: Any = None) -> dict[tuple[int, str], np.ndarray]:
    """The states by layer and point, of one run of the model."""
    states: dict[tuple[int, str], Any] = {}
    hooks = []
    for number, layer in enumerate(layers_of(module), start=1):

        def keep_norm(_: Any, given: Any, made: Any, number: int = number) -> None:
            states[number, "attention_sum"], states[number, "normed_sum"] = given[0], made

        def keep_layer(_: Any, given: Any, made: Any, number: int = number) -> None:
            if number == 1:
                states[0, "embedding"] = given[0]
            states[number, "output"] = made[0] if isinstance(made, tuple) else made

        norm = NORMS[module.config.model_type](layer)
        hooks += [norm.register_forward_hook(keep_norm), layer.register_forward_hook(keep_layer)]
    ids = torch.from_numpy(IDS)[None]
    with torch.no_grad():
        module(input_ids=ids, attention_mask=torch.ones_like(ids) if mask is None else mask)
    for hook in hooks:
        hook.remove()
    return {place: state.reshape(len(IDS), -1).numpy() for place, state in states.items()}


def as_coded(module: Any) -> dict[int, np.ndarray]:
    """Avery's computation, as his code has it: attention times X W, by heads, times W, plus X."""
    module.set_attn_implementation("eager")
    with torch.no_grad():
        output = module(
            torch.from_numpy(IDS)[None], output_attentions=True, output_hidden_states=True
        )
        sums = {}
        for number, layer in enumerate(layers_of(module), start=1):
            x = output.hidden_states[number - 1][0]
            v = x @ layer.attention.self.value.weight
            heads = [
                attention @ part
                for attention, part in zip(
                    output.attentions[number - 1][0], v.chunk(4, dim=1), strict=True
                )
            ]
            z = torch.cat(heads, dim=1)
            sums[number] = (z @ layer.attention.output.dense.weight + x).numpy()
    return sums


def plain_rank(x: np.ndarray, rows: np.ndarray, own: int) -> tuple[float, float]:
    """The cosine with the own row, and how many rows have a larger one."""
    x, rows = x.astype(np.float64), rows.astype(np.float64)
    cosines = [row @ x / np.linalg.norm(x) / np.linalg.norm(row) for row in rows]
    return cosines[own], sum(cosine > cosines[own] for cosine in cosines)
