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
    found = _from_files(folder, [*wanted, *optional], unpickle=_unpickles(model))
    for each in wanted:
        if each not in found.tensors:
            hint = did_you_mean(each, found.names)
            raise InputError(f"{model_file(name)}: {folder} has no '{each}'{hint}")
    for each, values in found.tensors.items():
        if not np.isfinite(values).all():
            raise InputError(f"{folder}: '{each}' holds NaN or infinity")
    return found.tensors


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
        shapes = {key: tuple(each.shape) for key, each in _unpickled(folder).items()}
    return shapes


class _Found:
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


def _from_files(folder: Path, names: list[str], *, unpickle: bool) -> _Found:
    found = _Found()
    for file in weight_files(folder):
        with _opened(file) as stored:
            keys = list(stored.keys())
            _take(found, names, keys, stored.get_tensor)
    if not found.names and unpickle:
        stored = _unpickled(folder)
        _take(found, names, list(stored), stored.__getitem__)
    return found


def _opened(file: Path) -> Any:
    from safetensors import safe_open

    return safe_open(file, framework="pt")


def _unpickled(folder: Path) -> Any:
    import torch

    return torch.load(folder / PICKLE, map_location="cpu", weights_only=True)


def _take(found: _Found, names: list[str], keys: list[str], tensor: Any) -> None:
    found.names += keys
    there = set(keys)
    for name in names:
        for spelled in (name, *(_old(name, ending) for ending in OLD)):
            if spelled in there:
                found.tensors[name] = tensor(spelled).float().numpy()
                break


def _old(name: str, ending: str) -> str:
    return f"{name.removesuffix(ending)}{OLD[ending]}" if name.endswith(ending) else name
