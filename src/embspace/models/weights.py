"""Loads a model's weights as float32, complete and finite, or says what is wrong with them."""

import re
from collections.abc import Collection, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

from embspace.errors import InputError, RefusedModel, reason_of, within
from embspace.files.json_keys import read_keys
from embspace.models.architecture import (
    as_read,
    auto_class,
    class_of,
    config_of,
    empty_model,
    read_config,
    reading_part,
)
from embspace.models.checks.config_keys import check_config_keys, is_switched_off
from embspace.models.checks.stored_keys import check_prefix, check_stored_keys
from embspace.models.checks.weight_keys import check_weight_keys
from embspace.models.checks.weight_types import check_weight_types
from embspace.models.checks.whole_folder import check_whole_folder
from embspace.models.encoder import RULE
from embspace.models.locate import INDEX, WEIGHTS, locate_files, warn_unpinned, weight_files
from embspace.models.memory import check_memory
from embspace.models.tokens.types import read_types, read_types_of_config
from embspace.settings.model import HubModel, Model, Network, RandomModel, VectorsModel, model_file

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
        return ruled(_random_model(name, model), model).eval()
    folder = locate_files(name, model)
    unpickle = isinstance(model, HubModel) and model.unpickle
    module = _pretrained_model(name, folder, model.allow_unused, unpickle=unpickle)
    warn_unpinned(name, model, folder)
    return ruled(module, model).eval()


def ruled(module: Any, model: Network) -> Any:
    """Record in a module's config how to read windows and types, also for the random twin."""
    if model.batches != "any":
        setattr(module.config, RULE, model.batches)
    return read_types(module, model.token_types)


def with_random_weights(module: Any, seed: int) -> Any:
    """A model of the same config as `module` before any training, in evaluation mode."""
    return read_types_of_config(_from_config(module.config, seed)).eval()


def check_finite(name: str, module: Any) -> None:
    """Stop if a parameter holds NaN or infinity."""
    for parameter, values in module.state_dict().items():
        if values.is_floating_point() and not values.isfinite().all():
            bad = int((~values.isfinite()).sum())
            raise InputError(
                f"{model_file(name)}: the weights of '{parameter}' hold {bad} NaN or infinities"
            )


def _pretrained_model(name: str, folder: Path, allowed: Sequence[str], *, unpickle: bool) -> Any:
    check_whole_folder(folder, allowed, unpickle=unpickle)
    check_config_keys(folder, allowed)
    check_stored_keys(folder, allowed)
    check_weight_types(folder)
    module, loading = _loaded(folder)
    _check_complete(folder, loading)
    _check_layers(folder, module, loading["unexpected_keys"])
    check_weight_keys(folder, module, loading["unexpected_keys"], allowed)
    check_finite(name, module)
    return reading_part(module)


def _loaded(folder: Path) -> tuple[Any, dict[str, Any]]:
    """Return the model of a folder, and what transformers says of the names in its weights."""
    from pickle import UnpicklingError

    import torch
    from safetensors import SafetensorError
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        config = read_config(folder)
        if is_switched_off(getattr(config, "quantization_config", None)):
            del config.quantization_config  # which transformers would not load without a method
        state = _unlisted(folder)
        loads: Any = auto_class(config) if state is None else class_of(config)
        return loads.from_pretrained(
            folder if state is None else None,
            state_dict=state,
            # A pickle only in the absence of others, and where it is allowed.
            use_safetensors=bool(weight_files(folder)),
            local_files_only=True,
            trust_remote_code=False,
            dtype=torch.float32,
            config=as_read(config),
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # told below, with the names
            **_without_pooler(folder),
        )
    except (SafetensorError, UnpicklingError, OSError, ValueError, RuntimeError) as error:
        raise RefusedModel(f"{folder}: cannot be loaded: {reason_of(error)}") from error


def _unlisted(folder: Path) -> dict[str, Any] | None:
    """Return the parameters in shards not found by transformers; None if all are found.

    transformers finds none without an index, or with an index without `metadata`.
    """
    from safetensors.torch import load_file

    files = weight_files(folder)
    if files and not (folder / WEIGHTS).is_file() and not _has_metadata(folder / INDEX):
        shards = [load_file(file) for file in files]
        return {key: tensor for shard in shards for key, tensor in shard.items()}
    return None


def _has_metadata(index: Path) -> bool:
    return index.is_file() and "metadata" in read_keys(index)


def _without_pooler(folder: Path) -> dict[str, bool]:
    """Return a setting that keeps transformers from adding a pooler to weights without one.

    An added pooler has random numbers, different at every loading.
    """
    from safetensors import safe_open

    files, module = weight_files(folder), empty_model(read_config(folder))
    if not files or "add_pooling_layer" not in signature(type(module)).parameters:
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
        check_prefix(folder, missing)
        raise RefusedModel(f"{folder / WEIGHTS}: lacks {len(missing)} parameters: {missing[:5]}")
    if loading["mismatched_keys"]:
        raise RefusedModel(
            f"{folder / WEIGHTS}: shapes differ from config.json: {loading['mismatched_keys']}"
        )


def _check_layers(folder: Path, module: Any, unexpected: Collection[str]) -> None:
    """Stop if the weights have more layers than config.json: the further ones would be left out."""
    from torch.nn import ModuleList

    known = {name: len(part) for name, part in module.named_modules() if type(part) is ModuleList}
    for name, n_layers in known.items():
        form = re.compile(rf"(?:.*\.)?{re.escape(name)}\.(\d+)\.")
        layers = [int(match[1]) + 1 for key in unexpected if (match := form.match(key))]
        if max(layers, default=0) > n_layers:
            raise RefusedModel(
                f"{folder / 'config.json'}: has {n_layers} of '{name}', the weights {max(layers)}; "
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

    from_config: Any = auto_class(config).from_config
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return reading_part(from_config(config, dtype=torch.float32, trust_remote_code=False))
