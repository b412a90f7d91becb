"""The raw learned matrices of a model, as its checkpoint holds them: before any LayerNorm."""

from typing import Any

import numpy as np

from embspace.errors import InputError
from embspace.models.description import Model, model_file


def learned_matrices(name: str, model: Model, module: Any) -> dict[str, np.ndarray]:
    """Float32 by space: input (token, dim), positional (position, dim), segment (segment, dim).

    A space that the model does not have is left out; row 0 of `positional` is position 0.

    Raises:
        InputError: if the model's file names a parameter that the model does not have.
    """
    parameters = module.state_dict()
    matrices = {}
    for space, parameter in model.matrices.model_dump().items():
        if parameter is None:
            continue
        if parameter not in parameters:
            similar = [key for key in parameters if "embed" in key and key.endswith("weight")]
            raise InputError(
                f"{model_file(name)}: key 'matrices.{space}': the model has no '{parameter}'; "
                f"it has {', '.join(similar)}"
            )
        matrices[space] = parameters[parameter].float().numpy()
    if "positional" in matrices:
        matrices["positional"] = matrices["positional"][model.position_offset :]
    return matrices
