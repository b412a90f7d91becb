"""How a stage gets its settings: params.yaml in front of conf/, composed by Hydra.

Precedence: conf/ < params.yaml < command line. The keyword-only arguments of a stage's
function are the schema of conf/<verb>/<noun>.yaml, but for `seed` and `device`: a function that
takes them is given those of params.yaml.
"""

import inspect
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_type_hints

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    create_model,
)

from embspace.errors import InputError, did_you_mean

PARAMS = Path("params.yaml")
CONF = Path("conf")
# Arguments that every function gets from params.yaml: DVC reads a settings file alone, so that one
# with `${seed}` in it breaks `dvc exp run -S`.
FROM_PARAMS = ("seed", "device")
Schema = TypeVar("Schema", bound=BaseModel)


def _corpus_name(name: str) -> str:
    # No dots: files that are derived from a corpus are named `<corpus>.halves` and the like.
    if not re.fullmatch(r"[A-Za-z0-9_]+(-[A-Za-z0-9_]+)*", name):
        raise ValueError("A name is of letters, digits, _ and single dashes inside")
    return name


# A name is a part of paths and commands. Two dashes join the names of a pair of models.
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.]+(-[A-Za-z0-9_.]+)*$")]
CorpusName = Annotated[str, AfterValidator(_corpus_name)]
LARGEST_SEED = 2**32 - 1  # that scikit-learn and openTSNE take


class Params(BaseModel):
    """Schema of params.yaml: what a user swaps."""

    model_config = ConfigDict(extra="forbid", strict=True)

    models: list[Name] = Field(min_length=1, examples=["minilm"])
    corpora: list[CorpusName] = Field(min_length=1, examples=["articles"])
    profiled: list[Name] = Field(examples=["minilm"])
    checkpointed: list[Name] = Field([], examples=["pythia_70m"])
    trained: list[Name] = Field(examples=["rna_encoder"])
    seed: int = Field(ge=0, le=LARGEST_SEED)
    device: Literal["auto", "cpu", "cuda", "mps"]


@dataclass(frozen=True)
class StageConfig:
    """What one stage was told: its model, corpus or run where it has one, its own settings.

    `models` and `corpora` are all that params.yaml names, for a stage that takes the results of
    each.
    """

    model_name: str
    model: dict[str, Any]
    corpus_name: str
    corpus: dict[str, Any]
    models: list[str]
    corpora: list[str]
    settings: dict[str, Any]
    train_name: str = ""
    train: dict[str, Any] = dataclass_field(default_factory=dict)
    device: Literal["auto", "cpu", "cuda", "mps"] = "cpu"


def run_stage(
    main: Callable[[StageConfig], None],
    function: Callable[..., Any] | Mapping[str, Callable[..., Any]],
    groups: tuple[str, ...] = ("model",),
) -> None:
    """Run `main` as a Hydra program with the settings of `function`.

    `function` is named `<verb>_<noun>` and takes conf/<verb>/<noun>.yaml as `settings`.
    Several functions, by noun, take theirs as `settings.<noun>`. `groups` are the folders of
    conf/ of which the command line picks a file. A verb that is itself such a folder, as `train`,
    has no other settings than that file.
    """
    functions = {} if _is_described(function, groups) else function
    try:
        _store_primary_config(_packages(functions), groups)
    except InputError as error:
        sys.exit(f"error: {error}")
    import hydra

    def program(composed: Any) -> None:
        try:
            main(_stage_config(composed, functions))
        except InputError as error:
            sys.exit(f"error: {error}")

    # The current folder, not the code's: a queued experiment runs in a copy of the tree.
    hydra.main(config_path=str(CONF.absolute()), config_name="params", version_base="1.3")(
        program
    )()


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping in a YAML file.

    Raises:
        InputError: if the file cannot be read, is no YAML or holds something else than a mapping.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"{path}: not found in {Path.cwd()}; run from the root of an embspace tree"
        ) from None
    except OSError as error:  # a folder, a file that may not be read
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is not YAML: {error}") from None
    if not isinstance(content, dict):
        raise InputError(f"{path}: expected keys and values, found {content!r}")
    return content


def read_params() -> Params:
    """params.yaml, checked."""
    return validate(Params, read_yaml(PARAMS), str(PARAMS))


def validate(schema: type[Schema], content: Any, file: str) -> Schema:
    """`content` as `schema`.

    Raises:
        InputError: naming `file`, each key, what was found and what is allowed.
    """
    try:
        return schema.model_validate(content)
    except ValidationError as error:
        lines = [_explain(item, schema) for item in error.errors()]
        raise InputError("\n".join(f"{file}: {line}" for line in lines)) from None


def settings_schema(function: Callable[..., Any]) -> type[BaseModel]:
    """The keyword-only arguments of `function`, less `FROM_PARAMS`, without defaults."""
    hints = get_type_hints(function, include_extras=True)
    names = (name for name in _keywords(function) if name not in FROM_PARAMS)
    fields: dict[str, Any] = {name: (hints[name], ...) for name in names}
    return create_model(
        function.__name__, __config__=ConfigDict(extra="forbid", strict=True), **fields
    )


def checked_settings(
    function: Callable[..., Any], content: Any, params: Mapping[str, Any], file: str
) -> dict[str, Any]:
    """The keyword-only arguments of `function`, from the content of its settings file and params.

    Raises:
        InputError: naming `file`, each key, what was found and what is allowed.
    """
    checked = validate(settings_schema(function), content, file)
    settings = {name: getattr(checked, name) for name in type(checked).model_fields}
    return settings | {key: params[key] for key in FROM_PARAMS if key in _keywords(function)}


def _keywords(function: Callable[..., Any]) -> list[str]:
    return [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    ]


def settings_file(function: Callable[..., Any]) -> Path:
    """conf/<verb>/<noun>.yaml of a function named `<verb>_<noun>`."""
    verb, _, noun = function.__name__.partition("_")
    return CONF / verb / f"{noun}.yaml"


def _is_described(
    function: Callable[..., Any] | Mapping[str, Callable[..., Any]], groups: tuple[str, ...]
) -> bool:
    return not isinstance(function, Mapping) and settings_file(function).parent.name in groups


def _packages(function: Callable[..., Any] | Mapping[str, Callable[..., Any]]) -> dict[str, str]:
    """Hydra's defaults: which settings file goes where in the composed config."""
    functions = function if isinstance(function, Mapping) else {"": function}
    packages = {}
    for noun, each in functions.items():
        file = settings_file(each)
        target = f"settings.{noun}" if noun else "settings"
        packages[f"{file.parent.name}@{target}"] = file.stem
    return packages


def _store_primary_config(packages: dict[str, str], groups: tuple[str, ...]) -> None:
    params = read_params()
    from hydra.core.config_store import ConfigStore

    chosen: list[Any] = [{group: "???"} for group in groups]
    settings: list[Any] = [{package: noun} for package, noun in packages.items()]
    defaults = ["config", *chosen, *settings, "_self_"]
    ConfigStore.instance().store(name="params", node={"defaults": defaults, **params.model_dump()})


def _stage_config(
    composed: Any, function: Callable[..., Any] | Mapping[str, Callable[..., Any]]
) -> StageConfig:
    from hydra.core.hydra_config import HydraConfig
    from omegaconf import OmegaConf

    content: Any = OmegaConf.to_container(composed, resolve=True)
    # params.yaml is checked before; its values on the command line only here.
    params = {key: content[key] for key in Params.model_fields}
    validate(Params, params, f"{PARAMS} with the command line")
    choices = HydraConfig.get().runtime.choices
    settings = (
        {
            noun: _settings(each, content["settings"][noun], params)
            for noun, each in function.items()
        }
        if isinstance(function, Mapping)
        else _settings(function, content["settings"], params)
    )
    return StageConfig(
        model_name=choices.get("model", ""),
        model=content.get("model", {}),
        corpus_name=choices.get("corpus", ""),
        corpus=content.get("corpus", {}),
        models=content["models"],
        corpora=content["corpora"],
        settings=settings,
        train_name=choices.get("train", ""),
        train=content.get("train", {}),
        device=content["device"],
    )


def _settings(
    function: Callable[..., Any], content: Any, params: Mapping[str, Any]
) -> dict[str, Any]:
    return checked_settings(function, content, params, str(settings_file(function)))


def _explain(item: Any, schema: type[BaseModel]) -> str:
    """One pydantic complaint as `key: what is allowed, what was found`."""
    path, fields = _walk(item["loc"], schema)
    key = ".".join(path)
    if item["type"] == "extra_forbidden":
        allowed_keys = sorted(fields)
        hint = did_you_mean(path[-1], allowed_keys)
        return f"key '{key}' is unknown; allowed here: {', '.join(allowed_keys)}{hint}"
    if item["type"] == "missing":
        return f"key '{key}' is missing"
    found, allowed = item["input"], item["msg"].removeprefix("Value error, ")
    hint = _as_list(key, found, schema) if item["type"] in ("list_type", "too_short") else ""
    return f"key '{key}': {allowed}, found {found!r} ({type(found).__name__}){hint}"


def _as_list(key: str, found: Any, schema: type[BaseModel]) -> str:
    """How the list is written, with what was found in it, or else an example."""
    field = schema.model_fields.get(key)
    example = (field.examples if field else None) or ["..."]
    entry = found if isinstance(found, str | int | float) else example[0]
    return f"; write it as a list:\n  {key}:\n    - {entry}"


def _walk(loc: tuple[int | str, ...], schema: type[BaseModel]) -> tuple[list[str], set[str]]:
    """The keys on the way to `loc`, and, where the last is unknown, those allowed in its place."""
    path: list[str] = []
    candidates = [schema]
    for part in loc:
        fields = {name: field for each in candidates for name, field in each.model_fields.items()}
        tagged = [each for each in candidates if _tag(each) == part]
        if len(candidates) > 1 and tagged:
            candidates = tagged  # pydantic's name for the alternative that it chose, no key
            continue
        path.append(str(part))
        if part in fields:
            candidates = _schemas_in(fields[str(part)].annotation) or candidates
    return path, {name for each in candidates for name in each.model_fields}


def _schemas_in(annotation: Any) -> list[type[BaseModel]]:
    """The schemas that a field may hold."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [schema for part in get_args(annotation) for schema in _schemas_in(part)]


def _tag(schema: type[BaseModel]) -> str | None:
    source = schema.model_fields.get("source")
    literals = get_args(source.annotation) if source else ()
    return str(literals[0]) if literals else None
