"""Tensors of a checkpoint ignored by transformers' `AutoModel`: the tensors of heads."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from embspace.errors import InputError, did_you_mean
from embspace.models.locate import locate_files, weight_files
from embspace.settings.model import HubModel, Network, RandomModel, model_file

PICKLE = "pytorch_model.bin"
# The names that norms had in checkpoints made of TensorFlow's.
OLD = {".weight": ".gamma", ".bias": ".beta"}


def checkpoint_tensors(
    name: str, model: Network, wanted: Sequence[str], optional: Sequence[str] = ()
) -> dict[str, np.ndarray]:
    """The named tensors of the checkpoint, float32; `optional` tensors if present.

    A norm's `weight` and `bias` are also found under `gamma` and `beta`.

    Raises:
        InputError: for random weights without a checkpoint, or if a tensor of `wanted` is missing,
            no number, NaN or infinite.
    """
    folder = _folder(name, model)
    taken = _from_files(folder, [*wanted, *optional], unpickle=_unpickles(model))
    for key in wanted:
        if key not in taken.tensors:
            hint = did_you_mean(key, taken.names)
            raise InputError(f"{model_file(name)}: {folder} has no '{key}'{hint}")
    for key, values in taken.tensors.items():
        if not np.isfinite(values).all():
            raise InputError(f"{folder}: '{key}' holds NaN or infinity")
    return taken.tensors


def checkpoint_shapes(name: str, model: Network) -> dict[str, tuple[int, ...]]:
    """Return the shape of each tensor of a checkpoint, by name.

    Raises:
        InputError: if random weights are asked for a checkpoint.
    """
    folder = _folder(name, model)
    shapes: dict[str, tuple[int, ...]] = {}
    for file in weight_files(folder):
        with _opened(file) as stored:
            keys = list(stored.keys())
            shapes |= {key: tuple(stored.get_slice(key).get_shape()) for key in keys}
    if not shapes and _unpickles(model):
        shapes = {key: tuple(tensor.shape) for key, tensor in _unpickled(folder).items()}
    return shapes


class _Taken:
    def __init__(self) -> None:
        self.names: list[str] = []
        self.tensors: dict[str, np.ndarray] = {}


def _folder(name: str, model: Network) -> Path:
    if isinstance(model, RandomModel):
        raise InputError(
            f"{model_file(name)}: keys 'masked_head' and 'matrices.output' are for checkpoints; "
            "random weights have none"
        )
    return locate_files(name, model)


def _unpickles(model: Network) -> bool:
    return isinstance(model, HubModel) and model.unpickle


def _from_files(folder: Path, names: list[str], *, unpickle: bool) -> _Taken:
    taken = _Taken()
    for file in weight_files(folder):
        with _opened(file) as stored:
            keys = list(stored.keys())
            _take(taken, names, keys, stored.get_tensor)
    if not taken.names and unpickle:
        stored = _unpickled(folder)
        _take(taken, names, list(stored), stored.__getitem__)
    return taken


def _opened(file: Path) -> Any:
    from safetensors import safe_open

    return safe_open(file, framework="pt")


def _unpickled(folder: Path) -> Any:
    import torch

    return torch.load(folder / PICKLE, map_location="cpu", weights_only=True)


def _take(taken: _Taken, names: list[str], keys: list[str], tensor: Any) -> None:
    taken.names += keys
    there = set(keys)
    for name in names:
        for spelled in (name, *(_old(name, ending) for ending in OLD)):
            if spelled in there:
                taken.tensors[name] = tensor(spelled).float().numpy()
                break


def _old(name: str, ending: str) -> str:
    return f"{name.removesuffix(ending)}{OLD[ending]}" if name.endswith(ending) else name
