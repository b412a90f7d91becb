"""The raw learned matrices of a model, as in the checkpoint: before any LayerNorm."""

from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.errors import InputError
from embspace.settings.model import Network, model_file

WITH_NEIGHBORS = 3  # tokens that a mapping reads at once, the one that it maps in the middle
SPACES = ("input", "positional", "segment")


def learned_matrices(name: str, model: Network, module: Any) -> dict[str, np.ndarray]:
    """Float32 by space: input (token, dim), positional (position, dim), segment (segment, dim).

    A missing space is left out; row 0 of `positional` is position 0. Where a linear layer leads
    from the embedding size to the hidden size, `input` is the layer's input and `input_mapped`
    (token, hidden_dim) the output.

    Raises:
        InputError: if the model's file names a missing parameter or module, a mapping that does not
            fit the input matrix, or an offset without a remaining position.
    """
    parameters = module.state_dict()
    matrices = {}
    for space in SPACES:
        parameter = getattr(model.matrices, space)
        if parameter is None:
            continue
        if parameter not in parameters:
            similar = [key for key in parameters if _is_table(key, parameters[key])]
            raise InputError(
                f"{model_file(name)}: key 'matrices.{space}': the model has no '{parameter}'; "
                f"it has {', '.join(similar)}"
            )
        matrices[space] = parameters[parameter].float().cpu().numpy()
    if "positional" in matrices:
        rows = matrices["positional"]
        check_offset(name, model, len(rows))
        matrices["positional"] = rows[model.position_offset :]
    if model.matrices.mapping is not None:
        matrices["input_mapped"] = _mapped(name, model.matrices.mapping, module, matrices["input"])
    return matrices


def check_offset(name: str, model: Network, n_rows: int) -> None:
    """Stop unless `position_offset` leaves a position in a positional matrix of `n_rows` rows.

    Raises:
        InputError: naming the key and the allowed offsets.
    """
    if model.position_offset >= n_rows:
        raise InputError(
            f"{model_file(name)}: key 'position_offset': found {model.position_offset}, "
            f"allowed: under the {n_rows} rows of '{model.matrices.positional}'"
        )


def _is_table(key: str, parameter: Any) -> bool:
    """Return whether a parameter looks like an embedding, whatever the architecture calls it."""
    numbered = any(part.isdigit() for part in key.split("."))
    return parameter.ndim == 2 and key.endswith("weight") and not numbered


def _mapped(
    name: str, mapping: str, module: Any, x: Float[np.ndarray, "token dim"]
) -> Float[np.ndarray, "token hidden_dim"]:
    import torch

    place = f"{model_file(name)}: key 'matrices.mapping': "
    layer = dict(module.named_modules()).get(mapping)
    if not isinstance(layer, torch.nn.Linear):
        linear = [key for key, part in module.named_modules() if isinstance(part, torch.nn.Linear)]
        outer = [key for key in linear if not any(part.isdigit() for part in key.split("."))]
        raise InputError(
            f"{place}no linear layer '{mapping}'; there is {', '.join(outer) or 'none'}"
        )
    dim = x.shape[1]
    if layer.in_features not in (dim, WITH_NEIGHBORS * dim):
        raise InputError(
            f"{place}'{mapping}' takes {layer.in_features} dimensions, 'input' has {dim}"
        )
    if layer.in_features != dim:  # as of a text of one token, which has no neighbors
        x = np.pad(x, ((0, 0), (dim, dim)))
    with torch.inference_mode():
        mapped: np.ndarray = layer(torch.from_numpy(x).to(layer.weight.device)).cpu().numpy()
    return mapped
