"""A linear layer behind the pooling of a sentence model."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.errors import RefusedModel, reason_of, shortened
from embspace.files.json_keys import read_keys
from embspace.models.sentence.files import CONFIG, WEIGHTS, is_switched

TANH = "torch.nn.modules.activation.Tanh"  # where nothing is said
PLACE = "sentence_embedding"


@dataclass(frozen=True)
class Dense:
    """activation(W x + b), plus a linear map of x if residual."""

    weight: Float[np.ndarray, "out dim"]
    bias: Float[np.ndarray, " out"] | None
    activation: Any  # a module of torch
    residual: Float[np.ndarray, "out dim"] | None  # None: nothing is added

    @property
    def dimension(self) -> int:
        """Return the number of dimensions of the output."""
        return len(self.weight)

    def __call__(self, x: Float[np.ndarray, " dim"]) -> Float[np.ndarray, " out"]:
        """Return the vector behind the layer."""
        import torch

        with np.errstate(over="ignore", invalid="ignore"):  # told of the vector that is made
            made = self.weight @ x if self.bias is None else self.weight @ x + self.bias
        with torch.inference_mode():
            made = self.activation(torch.from_numpy(made)[None])[0].numpy()
        return made if self.residual is None else made + self.residual @ x


def read_dense(folder: Path, dim: int) -> Dense:
    """The layer of a folder with config.json and model.safetensors, for vectors of `dim`.

    Raises:
        RefusedModel: if a file lacks or does not fit, or the activation is none of torch's.
    """
    file, weights = folder / CONFIG, folder / WEIGHTS
    config = read_keys(file)
    if not weights.is_file():
        raise RefusedModel(
            f"{folder}: no {WEIGHTS}; a pickle, which may run code, is not loaded. Save the model "
            "anew with sentence-transformers, whose later releases write safetensors"
        )
    for key in ("module_input_name", "module_output_name"):
        if (config.get(key) or PLACE) != PLACE:
            raise RefusedModel(f"{file}: key '{key}': found {shortened(config[key])}, not {PLACE}")
    n_in, n_out = (_size(file, config, key) for key in ("in_features", "out_features"))
    is_residual = is_switched(file, config, "use_residual", default=False)
    shapes: dict[str, tuple[int, ...]] = {"linear.weight": (n_out, n_in)}
    if is_switched(file, config, "bias", default=True):
        shapes["linear.bias"] = (n_out,)
    if is_residual and n_in != n_out:
        shapes["residual.weight"] = (n_out, n_in)
    tensors = _tensors(weights)
    stored = {name: x.shape for name, x in tensors.items()}
    if stored != shapes or n_in != dim:
        raise RefusedModel(
            f"{weights}: found {stored}, expected {shapes} for vectors of {dim} dimensions"
        )
    residual = tensors.get("residual.weight", np.eye(dim, dtype=np.float32))
    return Dense(
        tensors["linear.weight"],
        tensors.get("linear.bias"),
        _activation(config.get("activation_function", TANH), file, n_out),
        residual if is_residual else None,
    )


def _size(file: Path, config: dict[str, Any], key: str) -> int:
    value = config.get(key)
    if type(value) is not int or value < 1:
        raise RefusedModel(
            f"{file}: key '{key}': found {shortened(value)}, allowed: a whole number from 1"
        )
    return value


def _tensors(file: Path) -> dict[str, Float[np.ndarray, "..."]]:
    """Return the tensors of a file, all finite; read by torch, as numpy has no bfloat16."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        stored = load_file(file)
    except (SafetensorError, OSError, ValueError, RuntimeError) as error:
        raise RefusedModel(f"{file}: cannot be read: {reason_of(error)}") from error
    for name, tensor in stored.items():
        if not tensor.is_floating_point() or tensor.element_size() == 1:
            raise RefusedModel(
                f"{file}: '{name}' holds {tensor.dtype}, allowed: numbers of 16, 32 or 64 bits "
                "with a point"
            )
        if not tensor.isfinite().all():
            bad = int((~tensor.isfinite()).sum())
            raise RefusedModel(f"{file}: the weights of '{name}' hold {bad} NaN or infinities")
    return {name: tensor.float().numpy() for name, tensor in stored.items()}


def _activation(name: Any, file: Path, dim: int) -> Any:
    """Return torch's own module of that name: any other would be code from a folder.

    The module is as after training, has no weights, and makes `dim` numbers of `dim`.
    """
    import torch

    where = f"{file}: key 'activation_function'"
    kind: Any = getattr(torch.nn, str(name).rpartition(".")[2], None)
    is_one = isinstance(kind, type) and kind.__module__ in (
        "torch.nn.modules.activation",
        "torch.nn.modules.linear",
    )
    if not (str(name).startswith("torch.nn.") and is_one):
        raise RefusedModel(
            f"{where}: found {shortened(name)}, allowed: one of torch.nn, such as {TANH}"
        )
    try:
        activation = kind().eval()
        with torch.inference_mode():
            made = activation(torch.zeros(1, dim))
    # As Linear, which is no activation, or Softmax2d, which is one of images.
    except (TypeError, ValueError, RuntimeError, AssertionError) as error:
        raise RefusedModel(f"{where}: {name}: {reason_of(error)}") from error
    if made.shape != (1, dim) or activation.state_dict():
        raise RefusedModel(
            f"{where}: found {name}, allowed: one without weights that leaves the number of "
            f"dimensions, such as {TANH}"
        )
    return activation
