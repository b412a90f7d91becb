"""Checks that transformers' class for a config.json knows all keys of the file.

transformers keeps unknown keys, and computes as if the keys were absent.
"""

import re
import sys
from collections.abc import Sequence
from functools import cache
from inspect import getsource
from pathlib import Path
from typing import Any

from embspace.errors import InputError, RefusedModel, reason_of, shortened
from embspace.files.json_keys import read_keys
from embspace.models.architecture import class_of, read_config
from embspace.models.checks.allowed import listed, not_allowed, way_out
from embspace.models.checks.config_file import CONFIG
from embspace.models.checks.family_keys import is_as_class
from embspace.models.checks.former_keys import todays_keys
from embspace.models.checks.harmless_keys import is_harmless

LOADS = ("load_in_8bit", "load_in_4bit")
UNSETTABLE = "use_return_dict"
# Other libraries, which stand before the name of a class.
LIBRARIES = ("TF", "Flax")
# A key as code takes it.
TAKEN = re.compile(
    r"\bconfig\.(?!\w+\()(\w+)|\bgetattr\(\s*(?:self\.)?config,\s*[\"'](\w+)[\"']"
    r"|\bkwargs\.(?:pop|get|setdefault)\(\s*[\"'](\w+)[\"']|\bkwargs\[[\"'](\w+)[\"']\]"
)
# Keys that repeat what another one says, which the class knows: as ModernBERT's own files do.
REPEATED = {"layer_norm_eps": "norm_eps", "norm_eps": "layer_norm_eps"}
# Keys that every config with rotations takes; the last one not every model.
PARTLY = "partial_rotary_factor"
ROTARY = ("rope_theta", "rope_scaling", "rope_parameters", PARTLY)
# Families that compute the same by several names.
SAME = ({"roberta", "xlm-roberta", "camembert", "data2vec-text"}, {"bert", "bert-generation"})


def check_config_keys(folder: Path, allowed: Sequence[str]) -> None:
    """Stop at a config.json that asks for more than the loaded class does.

    `allowed` are patterns of keys, and of names of `architectures`, to ignore.

    Raises:
        RefusedModel: naming the key, the loss, and the way out.
    """
    file = folder / CONFIG
    if not file.is_file():
        return
    content = todays_keys(read_keys(file))
    _check_code(file, content, allowed)
    _check_quantized(file, content, allowed)
    if UNSETTABLE in content:
        raise RefusedModel(
            f"{file}: key '{UNSETTABLE}': older releases of transformers wrote it, and this one "
            "cannot read a config with it; delete that line"
        )
    config = _config(folder)
    _check_parts(file, content, config)
    model_class = class_of(config)
    if model_class is None:
        raise RefusedModel(
            f"{file}: key 'model_type': found {content.get('model_type')!r}, of which transformers "
            "has no model that reads texts"
        )
    _check_architectures(file, content, {config.model_type, _type_of(model_class)}, allowed)
    _check_unknown(file, content, config, model_class, allowed)


def _check_code(file: Path, content: dict[str, Any], allowed: Sequence[str]) -> None:
    code = content.get("auto_map") or {}
    if not isinstance(code, dict):
        return
    named = [key for key in code if key == "AutoConfig" or key.startswith("AutoModel")]
    if named and not_allowed(["auto_map"], allowed):
        raise RefusedModel(
            f"{file}: key 'auto_map': found {shortened(code[named[-1]])}, code of the repository, "
            "which is not run; without it the model would be another; take one that transformers "
            f"reads by itself, or, {way_out(['auto_map'])}"
        )


def _check_quantized(file: Path, content: dict[str, Any], allowed: Sequence[str]) -> None:
    rounding = content.get("quantization_config")
    if not rounding or is_switched_off(rounding):
        return
    if not not_allowed(["quantization_config"], allowed):
        return
    method = rounding.get("quant_method") if isinstance(rounding, dict) else rounding
    raise RefusedModel(
        f"{file}: key 'quantization_config': found {shortened(method)}, weights that are rounded "
        "and packed, which embspace does not read; take the model from before that, or dequantize "
        "it and call save_pretrained()"
    )


def is_switched_off(quantization: Any) -> bool:
    """Return whether a `quantization_config`, as bitsandbytes writes it, rounds nothing."""
    if not isinstance(quantization, dict):
        return False
    said = {key: value for key, value in quantization.items() if key.lstrip("_") in LOADS}
    others = quantization.get("quant_method") in (None, "bitsandbytes")
    return bool(said) and others and not any(said.values())


def _config(folder: Path) -> Any:
    try:
        return read_config(folder)
    except (OSError, ValueError) as error:
        raise RefusedModel(f"{folder}: cannot be loaded: {CONFIG}: {reason_of(error)}") from error
    except Exception as error:  # what else a config class raises depends on the architecture
        raise RefusedModel(
            f"{folder}: cannot be loaded and read: {type(error).__name__}: {reason_of(error)}"
        ) from error


def _check_parts(file: Path, content: dict[str, Any], config: Any) -> None:
    """Stop at a model of texts and images, whose config holds the config of the text model."""
    inside = [key for key in ("text_config", "thinker_config") if content.get(key)]
    inside += [key for key in getattr(config, "sub_configs", {}) if key == "text_config"]
    known = {*type(config).__dataclass_fields__, *type(config).attribute_map}
    if inside and "hidden_size" not in known:
        raise RefusedModel(
            f"{file}: key '{inside[0]}': the model has parts for more than texts; save the part "
            "that reads texts alone, such as AutoModel.from_pretrained(FOLDER).language_model"
            ".save_pretrained(NEW), with the tokenizer beside it"
        )


def _check_architectures(
    file: Path, content: dict[str, Any], model_types: set[str], allowed: Sequence[str]
) -> None:
    """Stop at a class that transformers lacks, or that belongs to another architecture."""
    import transformers

    named = content.get("architectures") or []
    if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
        raise RefusedModel(
            f"{file}: key 'architectures': found {shortened(named)}, allowed: a list of names"
        )
    for name in not_allowed(named, allowed):
        plain = re.sub(rf"^({'|'.join(LIBRARIES)})(?=[A-Z])", "", name)
        architecture = getattr(transformers, plain, None)
        model_type = _type_of(architecture)
        if architecture is None:
            raise RefusedModel(
                f"{file}: key 'architectures': found '{name}', which transformers does not have; "
                f"read as '{content['model_type']}' it would be another model; {way_out([name])}"
            )
        is_class = isinstance(architecture, type)
        if not (is_class and issubclass(architecture, transformers.PreTrainedModel)):
            raise RefusedModel(
                f"{file}: key 'architectures': found '{name}', which is no model of transformers; "
                f"{way_out([name])}"
            )
        same = model_types.union(*(family for family in SAME if family & model_types))
        if model_type not in {"", *same}:
            raise RefusedModel(
                f"{file}: key 'architectures': found '{name}', a '{model_type}', beside the "
                f"'model_type' '{content['model_type']}'; {way_out([name])}"
            )


def _type_of(model_class: Any) -> str:
    return getattr(getattr(model_class, "config_class", None), "model_type", "")


def _check_unknown(
    file: Path, content: dict[str, Any], config: Any, model_class: type, allowed: Sequence[str]
) -> None:
    unknown = [
        key
        for key, value in content.items()
        if key != "quantization_config"  # has its own check
        and not _says_nothing(key, value, config)
        and not (_is_known(key, config, model_class) and _is_done(key, value, config, model_class))
    ]
    if refused := not_allowed(unknown, allowed):
        values = shortened(content[refused[0]])
        raise RefusedModel(
            f"{file}: key {listed(refused)}: found {values}, but {model_class.__name__} of "
            "transformers does not know it and would compute as if it were not there; "
            f"{way_out(refused)}"
        )


def _says_nothing(key: str, value: Any, config: Any) -> bool:
    """Whether no state depends on a key, or the class behaves as the key says."""
    if key in REPEATED and value == getattr(config, REPEATED[key], None):
        return True
    is_own = key in type(config).__dataclass_fields__
    as_class = None if value is None or is_own else is_as_class(key, value, config)
    return is_harmless(key, value) if as_class is None else as_class


def _is_known(key: str, config: Any, model_class: type) -> bool:
    """Return whether the classes know a key, as a field or by another name, or drop it."""
    config_class = type(config)
    if key in config_class.__dataclass_fields__ or isinstance(
        getattr(config_class, key, None), property
    ):
        return True
    names = config_class.attribute_map
    if key in names or key in names.values():
        return True
    own, others = config_class.__module__, model_class.__module__
    if key == "rotary":
        return "rotary_dim" in config_class.__dataclass_fields__
    if key in ROTARY and "rope_parameters" in config_class.__dataclass_fields__:
        return key != PARTLY or PARTLY in _source(others)
    taken = _taken(own) | _taken(others)
    return key in taken or bool(re.search(rf"\bself\.{re.escape(key)} = ", _source(own)))


def _is_done(key: str, value: Any, config: Any, model_class: type) -> bool:
    """Return whether a class does what the value of a config key says."""
    source = _source(model_class.__module__)
    if key in ROTARY and isinstance(value, dict):  # of each kind of layers, or of all
        parts = [value, *(part for part in value.values() if isinstance(part, dict))]
        shares = [part.get(PARTLY, 1) for part in parts]
        return PARTLY in source or all(share in (None, 1) for share in shares)
    if key == "rotary":  # GPT-J's files have it beside the number of dimensions
        return value is True
    if key == "position_embedding_type" and value == "nope":  # no positions
        return 'position_embedding_type == "rope" else None' in source
    if key == "position_embedding_type" and isinstance(value, str):
        return re.search(rf"[\"']{re.escape(value)}[\"']", source) is not None
    return True


@cache
def _taken(module: str) -> frozenset[str]:
    """Return the keys that a module takes out of a config, or a config class out of a file."""
    return frozenset(key for keys in TAKEN.findall(_source(module)) for key in keys if key)


@cache
def _source(module: str) -> str:
    try:
        return getsource(sys.modules[module])
    except (OSError, TypeError) as error:
        raise InputError(f"{module}: its source cannot be read: {error}") from error
