"""A model's architecture from its config alone: every shape, no weights."""

from collections.abc import Mapping
from typing import Any

from embspace.errors import InputError, did_you_mean, within
from embspace.models.locate import locate_files
from embspace.settings.model import Model, RandomModel, VectorsModel, model_file


def load_config(name: str, model: Model) -> Any:
    """The transformers config of `name`: from its config.json, or from its description.

    None for vectors alone, which have no architecture.

    Raises:
        InputError: if there is none, or it cannot be read.
    """
    if isinstance(model, VectorsModel):
        return None
    if isinstance(model, RandomModel):
        with within(model_file(name)):
            return config_of(model.config, "config")
    from transformers import AutoConfig

    folder = locate_files(name, model)
    if not (folder / "config.json").is_file():
        raise InputError(f"{folder}: no config.json; a model folder has the hub's layout")
    try:
        return AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise InputError(f"{folder / 'config.json'}: cannot be read: {error}") from error


def config_of(options: Mapping[str, Any], key: str) -> Any:
    """The config that `options`, under `key` in a settings file, spell out; the rest is default.

    Raises:
        InputError: if the architecture or a key is unknown.
    """
    from transformers import AutoConfig

    try:
        known = AutoConfig.for_model(options.get("model_type", ""))
        for option in options:
            # transformers keeps keys that it does not know, and takes its default for those meant.
            if not hasattr(known, option):
                hint = did_you_mean(option, dir(known))
                raise InputError(f"key '{key}.{option}' is unknown to {type(known).__name__}{hint}")
        return AutoConfig.for_model(**options)
    except InputError:
        raise
    except Exception as error:  # what a config class raises depends on the architecture
        raise InputError(f"key '{key}': {error}") from error


def empty_model(config: Any) -> Any:
    """The model of `config` on torch's meta device: parameters have shapes and take no memory.

    Raises:
        InputError: if its numbers do not fit each other.
    """
    import torch
    from transformers import AutoModel

    from_config: Any = AutoModel.from_config
    try:
        with torch.device("meta"):
            return from_config(config, trust_remote_code=False)
    except Exception as error:  # what a model class raises depends on the architecture
        raise InputError(f"{type(config).__name__}: no model can be made of it: {error}") from error
