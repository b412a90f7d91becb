"""Derives the keys of conf/model/<name>.yaml on the language-model head from a checkpoint.

As in `embspace.models.describe`, module names are not used: the shape of a tensor outside of the
base model shows the use.
"""

from typing import Any

import numpy as np

from embspace.models.parameters.checkpoint import OLD, checkpoint_shapes, checkpoint_tensors
from embspace.models.parameters.masked_head import activation_of
from embspace.settings.model import MaskedHead, Network

Shapes = dict[str, tuple[int, ...]]
"""The shapes of the tensors, by their names in the checkpoint."""
GAINS = (".weight", OLD[".weight"])


def describe_head(name: str, model: Network, module: Any) -> dict[str, Any]:
    """Return the existing keys among `output` of the matrices and `masked_head`.

    `output` is a matrix with a row per row of the input matrix, but different numbers. A masked
    head is a norm of the embedding size, a linear map from the model's width to the embedding size,
    and a matrix or a number per token. Ambiguous tensors are left out: the model is then read
    without a head.

    Args:
        name: The model's name.
        model: The known part of the description, from files.
        module: The same model without the head.
    """
    weight = module.get_input_embeddings().weight
    shapes = _outer(checkpoint_shapes(name, model), module, weight)
    n_rows, dim = weight.shape
    hidden = module.config.hidden_size
    matrices = [key for key, shape in shapes.items() if shape in {(n_rows, dim), (n_rows, hidden)}]
    keys: dict[str, Any] = {}
    if own := _untied(name, model, matrices, weight):
        keys["output"] = own
    biases = sorted((key for key, shape in shapes.items() if shape == (n_rows,)), key=len)
    norms = [key for key, shape in shapes.items() if shape == (dim,) and key.endswith(GAINS)]
    maps = [
        key
        for key, shape in shapes.items()
        if shape == (dim, hidden) and key not in matrices and key.endswith(".weight")
    ]
    if len(norms) == len(maps) == 1 and (biases or matrices):
        head = MaskedHead(
            dense=_path(maps[0]),
            norm=_path(norms[0]),
            bias=biases[0] if biases else None,
            activation=activation_of(module.config),
        )
        keys["masked_head"] = head.model_dump(exclude_defaults=True)
    return keys


def _outer(shapes: Shapes, module: Any, weight: Any) -> Shapes:
    """Return the tensors of a checkpoint outside of the base model.

    Tensors of the base model have the model's names, behind a prefix unique to the base model.
    """
    inner = {*module.state_dict()}
    input_name = next(key for key, parameter in module.named_parameters() if parameter is weight)
    prefixes = [key.removesuffix(input_name) for key in shapes if key.endswith(input_name)]
    prefix = min(prefixes, key=len, default="")
    return {
        key: shape
        for key, shape in shapes.items()
        if not (prefix and key.startswith(prefix)) and _modern(key) not in inner
    }


def _modern(key: str) -> str:
    """Return the name of a norm's tensor in today's transformers."""
    for new, old in OLD.items():
        if key.endswith(old):
            return f"{key.removesuffix(old)}{new}"
    return key


def _untied(name: str, model: Network, matrices: list[str], weight: Any) -> str | None:
    """Return the matrix with numbers different from the input matrix, if any."""
    tensors = checkpoint_tensors(name, model, matrices) if matrices else {}
    table = weight.detach().cpu().float().numpy()
    own = [key for key, values in tensors.items() if not np.array_equal(values, table)]
    return own[0] if len(own) == 1 else None


def _path(key: str) -> str:
    return key.rpartition(".")[0]
