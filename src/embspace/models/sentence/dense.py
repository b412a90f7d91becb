"""A linear layer behind the pooling of a sentence model."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.errors import InputError
from embspace.models.sentence.files import CONFIG, WEIGHTS, read_json

TANH = "torch.nn.modules.activation.Tanh"  # where nothing is said
PLACE = "sentence_embedding"


@dataclass(frozen=True)
class Dense:
    """activation(W x + b), and what it adds of x where it is residual."""

    weight: Float[np.ndarray, "out dim"]
    bias: Float[np.ndarray, " out"] | None
    activation: Any  # a module of torch
    residual: Float[np.ndarray, "out dim"] | None  # None: nothing is added

    @property
    def dimension(self) -> int:
        """Return the number of dimensions that come out."""
        return len(self.weight)

    def __call__(self, x: Float[np.ndarray, " dim"]) -> Float[np.ndarray, " out"]:
        """Return the vector behind the layer."""
        import torch

        made = self.weight @ x if self.bias is None else self.weight @ x + self.bias
        with torch.inference_mode():
            made = self.activation(torch.from_numpy(made)).numpy()
        return made if self.residual is None else made + self.residual @ x


def read_dense(folder: Path, dim: int) -> Dense:
    """The layer of a folder with config.json and model.safetensors, for vectors of `dim`.

    Raises:
        InputError: if a file lacks or does not fit, or the activation is none of torch's.
    """
    from safetensors.numpy import load_file

    config, file = read_json(folder / CONFIG), folder / WEIGHTS
    if not file.is_file():
        raise InputError(
            f"{folder}: no {WEIGHTS}; a pickle, which may run code, is not loaded. Save the model "
            "anew with sentence-transformers, whose later releases write safetensors"
        )
    for key in ("module_input_name", "module_output_name"):
        if (config.get(key) or PLACE) != PLACE:
            raise InputError(f"{folder / CONFIG}: key '{key}': found {config[key]!r}, not {PLACE}")
    tensors = {name: np.asarray(x, np.float32) for name, x in load_file(file).items()}
    names = ["linear.weight", *(["linear.bias"] if config.get("bias", True) else [])]
    is_residual = bool(config.get("use_residual"))
    if is_residual and config["in_features"] != config["out_features"]:
        names.append("residual.weight")
    if {*names} != {*tensors} or tensors[names[0]].shape[1] != dim:
        found = {name: x.shape for name, x in tensors.items()}
        raise InputError(f"{file}: found {found}, expected {names} for vectors of {dim} dimensions")
    weight = tensors["linear.weight"]
    residual = tensors.get("residual.weight", np.eye(dim, dtype=np.float32))
    return Dense(
        weight,
        tensors.get("linear.bias"),
        _activation(str(config.get("activation_function", TANH)), folder / CONFIG),
        residual if is_residual else None,
    )


def _activation(name: str, file: Path) -> Any:
    """Return torch's own module of that name: others would be code of a folder."""
    import torch

    kind: Any = getattr(torch.nn, name.rpartition(".")[2], None)
    is_one = isinstance(kind, type) and kind.__module__ in (
        "torch.nn.modules.activation",
        "torch.nn.modules.linear",
    )
    if not (name.startswith("torch.nn.") and is_one):
        raise InputError(
            f"{file}: key 'activation_function': found {name!r}, allowed: one of torch.nn, such as "
            f"{TANH}"
        )
    try:
        return kind()
    except TypeError as error:  # as Linear, which is no activation
        raise InputError(f"{file}: key 'activation_function': {name}: {error}") from error
