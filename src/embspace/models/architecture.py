"""Reads a model's architecture from the config alone: every shape, no weights."""

import json
from codecs import BOM_UTF8
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from embspace.errors import InputError, RefusedModel, did_you_mean, within
from embspace.files.json_keys import read_keys
from embspace.models.checks.former_keys import note_on_code, todays_keys
from embspace.models.locate import locate_files
from embspace.settings.model import Model, Network, RandomModel, VectorsModel, model_file


def load_config(name: str, model: Model) -> Any:
    """The transformers config of `name`, from config.json or the description.

    None for vectors alone, without an architecture.

    Raises:
        InputError: if the config is missing or cannot be read.
    """
    if isinstance(model, VectorsModel):
        return None
    if isinstance(model, RandomModel):
        with within(model_file(name)):
            return config_of(model.config, "config")
    folder = locate_files(name, model)
    if not (folder / "config.json").is_file():
        raise InputError(f"{folder}: no config.json; a model folder has the hub's layout")
    try:
        return read_config(folder)
    except (OSError, ValueError) as error:
        raise InputError(f"{folder / 'config.json'}: cannot be read: {error}") from error


def read_config(folder: Path) -> Any:
    """The transformers config of a folder's config.json; code of a repository does not run.

    Former names of keys are translated to today's names.

    Raises:
        Exception: as transformers does, for an unreadable config.
    """
    from transformers import AutoConfig

    file = folder / "config.json"
    content = read_keys(file) if file.is_file() else {}
    todays = todays_keys(content)
    if todays == content and not (content and file.read_bytes().startswith(BOM_UTF8)):
        return AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    with TemporaryDirectory() as place:  # transformers reads no file with a byte order mark
        (Path(place) / file.name).write_text(json.dumps(todays), encoding="utf-8")
        config = AutoConfig.from_pretrained(place, local_files_only=True, trust_remote_code=False)
    config.name_or_path = str(folder)
    return config


def code_note(name: str, model: Network) -> str:
    """Return a note for readers on the code that a config.json names; "" without code."""
    if isinstance(model, RandomModel):
        return ""
    file = locate_files(name, model) / "config.json"
    return note_on_code(read_keys(file)) if file.is_file() else ""


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
    """Return the model of `config` on torch's meta device: parameters with shapes, without memory.

    Raises:
        InputError: if the numbers of the config contradict each other.
    """
    from transformers import AutoModel

    return _empty(AutoModel, config)


def empty_reader(config: Any) -> Any:
    """Return the part of a model that reads, as `empty_model`; the model may also write.

    Raises:
        InputError: if the numbers of the config contradict each other.
    """
    return reading_part(_empty(auto_class(config), config))


def _empty(auto: Any, config: Any) -> Any:
    import torch

    try:
        with torch.device("meta"):
            return auto.from_config(config, trust_remote_code=False)
    except Exception as error:  # what a model class raises depends on the architecture
        raise InputError(f"{type(config).__name__}: no model can be made of it: {error}") from error


def auto_class(config: Any) -> Any:
    """Return the class of a config's model: for an encoder-decoder often the encoder.

    T5 and relatives have an encoder class, which reads whole checkpoints and encoder checkpoints.
    """
    from transformers import AutoModel, AutoModelForTextEncoding

    has_own = class_of_encoder(config) not in (None, class_of(config))
    return AutoModelForTextEncoding if has_own else AutoModel


def class_of(config: Any) -> type | None:
    """Return the class of the model that `AutoModel` makes of a config, or None."""
    from transformers import MODEL_MAPPING

    model_class = MODEL_MAPPING.get(type(config), None)
    return model_class[0] if isinstance(model_class, tuple | list) else model_class


def class_of_encoder(config: Any) -> type | None:
    """Return the class that a config has for texts alone, or None."""
    from transformers import MODEL_FOR_TEXT_ENCODING_MAPPING

    encoder_class: Any = MODEL_FOR_TEXT_ENCODING_MAPPING.get(type(config), None)
    return encoder_class


def reading_part(module: Any) -> Any:
    """Return the part of a model that reads texts: of an encoder with a decoder, the encoder.

    Raises:
        RefusedModel: if the encoder is no model by itself.
    """
    if not getattr(module.config, "is_encoder_decoder", False):
        return module
    encoder = module.get_encoder()
    if not hasattr(encoder, "config"):
        raise RefusedModel(f"{type(module).__name__}: its encoder cannot be read without the rest")
    return encoder


def as_read(config: Any) -> Any:
    """Return the config, set to return states by name, and no attention."""
    config.return_dict = True
    config.output_attentions = config.output_hidden_states = False
    return config
