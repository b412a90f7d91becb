"""Gives a stage its settings: params.yaml in front of conf/, composed by Hydra.

Precedence: conf/ < params.yaml < command line. The keyword-only arguments of a stage's function are
the schema of conf/<verb>/<chapter>/<noun>.yaml, except `seed`, `device` and `roles`, which come
from params.yaml.
"""

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from dataclasses import field as dataclass_field
from pathlib import Path
from typing import Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model

from embspace.errors import InputError, did_you_mean, visible, within
from embspace.settings.find_description import LIST, MODEL, described_in
from embspace.settings.params import (
    CONF,
    PAIR,
    PARAMS,
    CorpusName,
    Name,
    PairName,
    Params,
    read_params,
)
from embspace.settings.schema import validate

# Arguments that every function gets from params.yaml: DVC reads a settings file alone, so that one
# with `${seed}` in it breaks `dvc exp run -S`.
FROM_PARAMS = ("seed", "device", "roles")
PAIR_GROUP = "pair"  # among the groups of a stage that compares two models; no folder of conf/
COMMAND_LINE = "command line"
# What Hydra answers without a model or a corpus.
HYDRA_ALONE = ("--hydra-help", "--version", "--info", "--shell-completion", "-sc")


@dataclass(frozen=True)
class StageConfig:
    """The settings of a stage, with the stage's model, corpus, run or pair, if any.

    `models` and `corpora` are all names in params.yaml, for a stage that takes the results of all
    models or corpora. `pair` joins the names of two models.
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
    pair: str = ""


def run_stage(
    main: Callable[[StageConfig], None],
    function: Callable[..., Any] | Mapping[str, Callable[..., Any]],
    groups: tuple[str, ...] = ("model",),
) -> None:
    """Run `main` as a Hydra program with the settings of `function`.

    `function` is named `<verb>_<noun>`; its settings file becomes `settings`. For several
    functions, by noun, the files become `settings.<noun>`. `groups` are the folders of conf/ from
    which the command line picks a file, or `pair`. A verb that is itself a folder of conf/, as
    `train`, has only the settings of the chosen file.
    """
    functions = {} if _is_described(function, groups) else function
    if {"--help", "-h"} & {*sys.argv}:
        print(_how_to_call(functions, groups))
        return
    try:
        _check_arguments(sys.argv[1:], groups)
        _store_primary_config(_packages(functions), groups)
    except InputError as error:
        sys.exit(visible(f"error: {error}"))
    import hydra

    def program(composed: Any) -> None:
        try:
            main(_stage_config(composed, functions, groups))
        except InputError as error:
            sys.exit(visible(f"error: {error}"))

    # The current folder, not the code's: a queued experiment runs in a copy of the tree.
    hydra.main(config_path=str(CONF.absolute()), config_name="params", version_base="1.3")(
        program
    )()


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
    """Return the keyword-only arguments of `function`, from the settings file's content and params.

    Raises:
        InputError: naming `file` and, for every error, the key and the found and allowed values.
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


def settings_file(function: Callable[..., Any], root: Path = Path()) -> Path:
    """Return the settings file of a function named `<verb>_<noun>`; of `settings_path`."""
    verb, _, noun = function.__name__.partition("_")
    return settings_path(verb, noun, root)


def settings_path(verb: str, noun: str, root: Path = Path()) -> Path:
    """Return conf/<verb>/<chapter>/<noun>.yaml of a tree, or the path without a chapter."""
    folder = root / CONF / verb
    return next(iter(sorted(folder.rglob(f"{noun}.yaml"))), folder / f"{noun}.yaml")


def _is_described(
    function: Callable[..., Any] | Mapping[str, Callable[..., Any]], groups: tuple[str, ...]
) -> bool:
    return not isinstance(function, Mapping) and function.__name__.partition("_")[0] in groups


def _packages(function: Callable[..., Any] | Mapping[str, Callable[..., Any]]) -> dict[str, str]:
    """Return Hydra's defaults: the place of every settings file in the composed config."""
    functions = function if isinstance(function, Mapping) else {"": function}
    packages = {}
    for noun, measure in functions.items():
        file = settings_file(measure)
        target = f"settings.{noun}" if noun else "settings"
        packages[f"{file.parent.relative_to(CONF).as_posix()}@{target}"] = file.stem
    return packages


def _store_primary_config(packages: dict[str, str], groups: tuple[str, ...]) -> None:
    params = read_params()
    from hydra.core.config_store import ConfigStore

    chosen: list[Any] = [{group: "???"} for group in groups if group != PAIR_GROUP]
    settings: list[Any] = [{package: noun} for package, noun in packages.items()]
    defaults = ["config", *chosen, *settings, "_self_"]
    pair = {PAIR_GROUP: "???"} if PAIR_GROUP in groups else {}
    node = {"defaults": defaults, **params.model_dump(), **pair}
    ConfigStore.instance().store(name="params", node=node)


def _stage_config(
    composed: Any,
    function: Callable[..., Any] | Mapping[str, Callable[..., Any]],
    groups: tuple[str, ...],
) -> StageConfig:
    from hydra.core.hydra_config import HydraConfig
    from omegaconf import OmegaConf

    # Nothing in conf/ refers to another value, and a path or a label may hold `${`.
    content: Any = OmegaConf.to_container(composed, resolve=False)
    # params.yaml is checked before; its values on the command line only here.
    params = {key: content[key] for key in Params.model_fields}
    validate(Params, params, f"{PARAMS} with the command line")
    choices = HydraConfig.get().runtime.choices
    # Of a list or null Hydra knows no choice.
    named = {
        group: content[PAIR_GROUP] if group == PAIR_GROUP else choices.get(group)
        for group in groups
    }
    _check_choices(named, content)
    settings = (
        {
            noun: _settings(measure, content["settings"][noun], params)
            for noun, measure in function.items()
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
        pair=content.get(PAIR_GROUP, ""),
    )


class _Choices(BaseModel):
    """The names chosen on the command line from the folders of conf/."""

    model_config = ConfigDict(strict=True)

    model: Name = ""
    corpus: CorpusName = ""
    train: Name = ""
    pair: PairName = ""


def _check_arguments(arguments: Sequence[str], groups: tuple[str, ...]) -> None:
    """Stop at a value that is no name; Hydra itself shows only a traceback for null or 7."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import OverrideParseException

    chosen = [
        argument
        for argument in arguments
        if argument.partition("=")[0] in groups and "=" in argument
    ]
    try:
        overrides = OverridesParser.create().parse_overrides(chosen)
    except OverrideParseException:
        return  # which Hydra explains
    picked = {
        override.key_or_group: override.value()
        for override in overrides
        if not override.is_sweep_override()
    }
    validate(_Choices, picked, COMMAND_LINE)
    for group, name in picked.items():
        if group != PAIR_GROUP:
            with within(f"{COMMAND_LINE}: key '{group}'"):
                described_in(CONF / group, str(name))
    if any(argument.partition("=")[0] in HYDRA_ALONE for argument in arguments):
        return
    for group in groups:
        if group not in {argument.partition("=")[0] for argument in arguments}:
            raise InputError(f"{COMMAND_LINE}: key '{group}' is missing\n{_call(groups)}")


def _call(groups: Sequence[str]) -> str:
    """Return the line that calls the current stage."""
    spec = sys.modules["__main__"].__spec__
    program = f"-m {spec.name.removesuffix('.__main__')}" if spec else Path(sys.argv[0]).name
    example = {PAIR_GROUP: f"<model>{PAIR}<other_model>"}
    chosen = [f"{group}={example.get(group, f'<{group}>')}" for group in groups]
    return " ".join(["call: python", program, *chosen, "[settings.<key>=<value>]"])


def _how_to_call(
    function: Callable[..., Any] | Mapping[str, Callable[..., Any]], groups: tuple[str, ...]
) -> str:
    """Return the text of `--help`: the call, the names to choose from, and the settings files."""
    folders = [group for group in groups if group != PAIR_GROUP]
    names = {
        folder: sorted(path.stem for path in (CONF / folder).glob("*.yaml")) for folder in folders
    }
    listed = {
        folder: ", ".join(names[folder]) if folder != MODEL else f"see `{LIST}`" for folder in names
    }
    lists = [f"<{group}>: {choices}" for group, choices in listed.items()]
    functions = function.values() if isinstance(function, Mapping) else [function]
    files = [f"settings: {settings_file(measure).as_posix()}" for measure in functions]
    last = "`--cfg job` after a call prints all settings; `--hydra-help` tells how Hydra reads them"
    return "\n".join([_call(groups), *lists, *files, last])


def _check_choices(choices: Mapping[str, Any], content: Mapping[str, Any]) -> None:
    """Stop at a name that params.yaml could not hold, and at an unknown key."""
    validate(_Choices, dict(choices), COMMAND_LINE)
    own = [field.name for field in fields(StageConfig) if not field.name.endswith("_name")]
    allowed = [*own, *Params.model_fields]
    for key in content:
        if key not in allowed:
            raise InputError(f"{COMMAND_LINE}: key '{key}' is unknown{did_you_mean(key, allowed)}")


def _settings(
    function: Callable[..., Any], content: Any, params: Mapping[str, Any]
) -> dict[str, Any]:
    return checked_settings(function, content, params, str(settings_file(function)))
