"""Reads YAML and checks it against a schema; an error names file, key, found and allowed values."""

from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from embspace.errors import InputError, did_you_mean, shortened

try:  # by libyaml, ten times as fast
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # PyYAML was built without it
    from yaml import SafeLoader  # type: ignore[assignment]

Schema = TypeVar("Schema", bound=BaseModel)


class Strict(BaseModel):
    """A schema that takes only the named keys and types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping in a YAML file.

    Raises:
        InputError: if the file cannot be read, is no YAML or holds something else than a mapping.
    """
    if path.is_fifo() or path.is_char_device():  # which may never end
        raise InputError(f"{path}: cannot be read: found a pipe or a device, allowed: a file")
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=_OneKeyOnce)
    except FileNotFoundError:
        raise InputError(
            f"{path}: not found in {Path.cwd()}; run in a study, which `embspace init` makes"
        ) from None
    except OSError as error:  # a folder, a file that may not be read
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is not YAML: {error}") from None
    if content is None and is_empty(path):
        raise InputError(f"{path}: is empty; fill it, or remove it")
    if not isinstance(content, dict):
        raise InputError(f"{path}: expected keys and values, found {shortened(content)}")
    return content


def is_empty(path: Path) -> bool:
    """Return whether a file is empty, such as a file created by a shell but not yet filled."""
    return path.is_file() and not path.stat().st_size


class _OneKeyOnce(SafeLoader):
    """The safe loader of YAML, but with errors for repeated keys, as in DVC and Hydra."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping of a node.

        Raises:
            yaml.YAMLError: if a key is repeated, which PyYAML itself allows.
        """
        keys = [(key.tag, key.value) for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        for number, key in enumerate(keys):
            if key in keys[:number]:
                line = node.start_mark.line + 1
                raise yaml.YAMLError(f"key '{key[1]}' stands there twice, below line {line}")
        return super().construct_mapping(node, deep)


def validate(schema: type[Schema], content: Any, file: str) -> Schema:
    """Return `content` as `schema`.

    Raises:
        InputError: naming `file` and, for every error, the key and the found and allowed values.
    """
    try:
        return schema.model_validate(content)
    except ValidationError as error:
        lines = [_explain(item, schema) for item in error.errors()]
        raise InputError("\n".join(f"{file}: {line}" for line in lines)) from None


def _explain(item: Any, schema: type[BaseModel]) -> str:
    """Return an error of pydantic as `key: allowed, found`."""
    path, fields = _walk(item["loc"], schema)
    key = ".".join(path)
    if item["type"] == "extra_forbidden":
        allowed_keys = sorted(fields)
        hint = did_you_mean(path[-1], allowed_keys)
        return f"key '{key}' is unknown; allowed: {', '.join(allowed_keys)}{hint}"
    if item["type"] == "missing":
        return f"key '{key}' is missing"
    given, allowed = item["input"], item["msg"].removeprefix("Value error, ")
    allowed = allowed.partition(" after validation")[0]
    hint = _written(item["type"], path[-1], given, schema.model_fields.get(key)) if path else ""
    return f"key '{key}': {allowed}, found {shortened(given)} ({type(given).__name__}){hint}"


def _written(kind: str, key: str, given: Any, field: FieldInfo | None) -> str:
    """Return the lines to type, with the given value or else an example; "" if unknown."""
    example = next(iter((field and field.examples) or []), None)
    needed = field is None or any(
        getattr(constraint, "min_length", 0) for constraint in field.metadata
    )
    none = "" if needed else f"\n  or for none, `{key}: {{}}`"
    if kind in ("list_type", "too_short"):
        named = isinstance(given, str | int | float) and not isinstance(given, bool)
        entry, none = given if named else example or "...", none.replace("{}", "[]")
        return f"; write it as a list:\n  {key}:\n    - {entry}{'' if named else none}"
    if kind == "dict_type" and example:
        return f"; write it as keys and values:\n  {key}:\n    {example}{none}"
    if kind == "string_type" and isinstance(given, bool):
        return "; YAML reads yes, no, on and off as true or false: put a name in quotes"
    if kind == "string_type" and isinstance(given, int | float):
        return f"; as text it is written '{given}', in quotes"
    if kind in ("int_type", "float_type"):
        number = _number_in(given, whole=kind == "int_type") or example
        return "" if number is None else f"; write it as a number:\n  {key}: {number}"
    return ""


def _number_in(given: Any, *, whole: bool) -> str | None:
    """Return the number in a text in YAML's form: 1e-5 with a point, 1.0e-05."""
    try:
        number = str(int(given)) if whole else repr(float(given))
    except (TypeError, ValueError):
        return None
    if not isinstance(given, str) or number in ("nan", "inf", "-inf"):
        return None
    return number if "." in number else number.replace("e", ".0e")


def _walk(loc: tuple[int | str, ...], schema: type[BaseModel]) -> tuple[list[str], set[str]]:
    """Return the keys on the way to `loc` and, for an unknown last key, the allowed keys."""
    path: list[str] = []
    candidates = [schema]
    for part in loc:
        fields = {
            name: field
            for candidate in candidates
            for name, field in candidate.model_fields.items()
        }
        tagged = [candidate for candidate in candidates if _tag(candidate) == part]
        if len(candidates) > 1 and tagged:
            candidates = tagged  # pydantic's name for the alternative that it chose, no key
            continue
        path.append(str(part))
        if part in fields:
            candidates = _schemas_in(fields[str(part)].annotation) or candidates
    return path, {name for candidate in candidates for name in candidate.model_fields}


def _schemas_in(annotation: Any) -> list[type[BaseModel]]:
    """Return the schemas allowed in a field."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [schema for part in get_args(annotation) for schema in _schemas_in(part)]


def _tag(schema: type[BaseModel]) -> str | None:
    source = schema.model_fields.get("source")
    literals = get_args(source.annotation) if source else ()
    return str(literals[0]) if literals else None
