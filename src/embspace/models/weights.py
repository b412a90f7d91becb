"""Loads a model's weights as float32, complete and finite, or says what is wrong with them."""

import re
from collections.abc import Collection
from inspect import signature
from pathlib import Path
from typing import Any

from embspace.errors import InputError, within
from embspace.models.architecture import config_of, empty_model
from embspace.models.locate import WEIGHTS, locate_files, warn_unpinned, weight_files
from embspace.models.memory import check_memory
from embspace.settings.model import HubModel, Model, RandomModel, VectorsModel, model_file

POOLER = "pooler."  # is no embedding space, and many checkpoints leave it out


def load_model(name: str, model: Model) -> Any:
    """The transformers model of `name` in float32, in evaluation mode, on the CPU.

    None for vectors alone, which are no module's.

    Raises:
        InputError: if it is larger than the free memory, or if files are missing, differ from
            their pins, are no safetensors, leave a parameter of the architecture unset, or hold
            NaN or infinity.
    """
    if isinstance(model, VectorsModel):
        return None
    check_memory(name, model)
    if isinstance(model, RandomModel):
        return _random_model(name, model).eval()
    folder = locate_files(name, model)
    unpickle = isinstance(model, HubModel) and model.unpickle
    module = _pretrained_model(name, folder, unpickle=unpickle)
    warn_unpinned(name, model, folder)
    return module.eval()


def with_random_weights(module: Any, seed: int) -> Any:
    """A model of the same config as `module` before any training, in evaluation mode."""
    return _from_config(module.config, seed).eval()


def check_finite(name: str, module: Any) -> None:
    """Stop if a parameter holds NaN or infinity."""
    for parameter, values in module.state_dict().items():
        if values.is_floating_point() and not values.isfinite().all():
            bad = int((~values.isfinite()).sum())
            raise InputError(
                f"{model_file(name)}: the weights of '{parameter}' hold {bad} NaN or infinities"
            )


def _pretrained_model(name: str, folder: Path, *, unpickle: bool) -> Any:
    from pickle import UnpicklingError

    import torch
    from safetensors import SafetensorError
    from transformers import AutoModel
    from transformers.utils import logging

    safe = bool(weight_files(folder))
    is_there = {"config.json": (folder / "config.json").is_file(), WEIGHTS: safe or unpickle}
    if missing := [file for file in is_there if not is_there[file]]:
        pickled = missing[0] == WEIGHTS and any(folder.glob("*.bin"))
        advice = (
            "its weights are a pickle, which may run code; for a model of the hub "
            f"`unpickle: true` in {model_file(name)} allows it"
            if pickled
            else "a model folder has the hub's layout"
        )
        raise InputError(f"{folder}: no {missing[0]}; {advice}")
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        module, loading = AutoModel.from_pretrained(
            folder,
            local_files_only=True,
            use_safetensors=safe,  # a pickle only in their absence, and where it is allowed
            trust_remote_code=False,
            dtype=torch.float32,
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # told below, with the names
            **_without_pooler(folder),
        )
    except (SafetensorError, UnpicklingError, OSError, ValueError, RuntimeError) as error:
        raise InputError(f"{folder}: cannot be loaded: {error}") from error
    _check_complete(folder, loading)
    _check_layers(folder, module, loading["unexpected_keys"])
    check_finite(name, module)
    return module


def _without_pooler(folder: Path) -> dict[str, bool]:
    """Return what keeps transformers from adding a pooler where the weights have none.

    One that is added has random numbers, others at each loading.
    """
    from safetensors import safe_open
    from transformers import AutoConfig

    files = weight_files(folder)
    config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    if not files or "add_pooling_layer" not in signature(type(empty_model(config))).parameters:
        return {}
    for file in files:
        with safe_open(file, framework="pt") as stored:
            if any(POOLER in name for name in stored.keys()):  # noqa: SIM118, it is no mapping
                return {}
    return {"add_pooling_layer": False}


def _check_complete(folder: Path, loading: dict[str, Any]) -> None:
    # transformers fills what is missing with random numbers and only logs it.
    missing = sorted(key for key in loading["missing_keys"] if not key.startswith(POOLER))
    if missing:
        raise InputError(f"{folder / WEIGHTS}: lacks {len(missing)} parameters: {missing[:5]}")
    if loading["mismatched_keys"]:
        raise InputError(
            f"{folder / WEIGHTS}: shapes differ from config.json: {loading['mismatched_keys']}"
        )


def _check_layers(folder: Path, module: Any, unexpected: Collection[str]) -> None:
    """Stop if the weights have more layers than config.json, which would leave them out."""
    from torch.nn import ModuleList

    known = {name: len(each) for name, each in module.named_modules() if type(each) is ModuleList}
    for name, n_layers in known.items():
        form = re.compile(rf"(?:.*\.)?{re.escape(name)}\.(\d+)\.")
        found = [int(match[1]) + 1 for key in unexpected if (match := form.match(key))]
        if max(found, default=0) > n_layers:
            raise InputError(
                f"{folder / 'config.json'}: has {n_layers} of '{name}', the weights {max(found)}; "
                "one of the two is another model's"
            )


def _random_model(name: str, model: RandomModel) -> Any:
    with within(model_file(name)):
        config = config_of(model.config, "config")
        try:
            return _from_config(config, model.seed)
        except Exception as error:  # what a model raises depends on the architecture
            raise InputError(f"key 'config': {error}") from error


def _from_config(config: Any, seed: int) -> Any:
    import torch
    from transformers import AutoModel

    from_config: Any = AutoModel.from_config
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return from_config(config, dtype=torch.float32, trust_remote_code=False)
