"""Frozen protocols: everything under the results of a study, by name, in one file.

A protocol has corpora, seed, settings, texts, models, code and packages. Results of two studies
under one protocol are comparable, also of models outside of the protocol.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from embspace.errors import InputError, not_among
from embspace.files.atomic import writing
from embspace.models.lock import read_lock
from embspace.prepare.code import prepare_code, source_of
from embspace.prepare.model import prepare_model
from embspace.settings.corpus import corpus_file
from embspace.settings.model import describe_model, model_file
from embspace.settings.params import CONF, PARAMS, Params, read_params
from embspace.settings.pipeline import Stage, read_stages
from embspace.settings.schema import read_yaml
from embspace.settings.study import LOCKED

PROTOCOLS = Path("data/published/protocols")
RESULTS = Path("results")
RECORD = "protocol.yaml"  # beside the results that were computed under a protocol
KINDS = ("params", "settings", "texts", "models", "code", "packages")
WRITTEN_BY_PEOPLE = ("data/texts", "data/stimuli", "data/published")
DRAWN = ("draw", "report")  # verbs whose code and settings change no number
OF_ONE = ("model", "corpus", "train")  # folders of conf/ with a file a model, corpus or run
ABSENT = "not there"
State = dict[str, dict[str, Any]]
"""By kind, values or hashes by name."""


class Difference(NamedTuple):
    """A setting, text, model, module or package unlike the protocol's."""

    kind: str
    name: str
    found: str
    frozen: str

    def __str__(self) -> str:
        """Return the line of a message."""
        return f"{self.name}: found {self.found}, frozen: {self.frozen}"


def state_of(params: Params) -> State:
    """Return the state of the tree in the current folder.

    Raises:
        InputError: if a model of params.yaml is not at hand, or a file cannot be read.
    """
    stages = {
        name: stage
        for name, stage in read_stages(Path()).items()
        if name.partition("_")[0] not in DRAWN
    }
    lock = read_lock()
    code = prepare_code(source_of(), LOCKED.read_text(encoding="utf-8"))
    lines = {line for stage in stages for line in code.get(stage, "").splitlines()}
    return {
        "params": {
            str(PARAMS): {key: getattr(params, key) for key in ("corpora", "roles", "seed")}
        },
        "settings": _settings(params),
        "texts": {str(path): _hash(path.read_bytes()) for path in _texts(stages)},
        "models": {name: _model(name, lock) for name in params.models},
        "code": {stage: _hash(_modules(code[stage]).encode()) for stage in stages if stage in code},
        "packages": dict(line.split("==") for line in sorted(lines) if "==" in line),
    }


def _settings(params: Params) -> dict[str, Any]:
    """Return the settings behind numbers, without drawings, by file and key."""
    verbs = {file.name for file in CONF.iterdir() if file.is_dir()} - {*DRAWN, *OF_ONE}
    files = [file for verb in sorted(verbs) for file in sorted((CONF / verb).rglob("*.yaml"))]
    corpora = [Path(corpus_file(name)) for name in params.corpora]
    return {str(file): read_yaml(file) or {} for file in [*corpora, *files]}


def _texts(stages: Mapping[str, Stage]) -> list[Path]:
    """Return the files by people among the dependencies of stages."""
    places = {Path(dep) for stage in stages.values() for dep in stage.entry.get("deps", ())}
    inside = [place for place in places if str(place).startswith(WRITTEN_BY_PEOPLE)]
    files = {
        file for place in inside for file in ([place] if place.is_file() else place.rglob("*"))
    }
    return sorted(file for file in files if file.is_file())


def _model(name: str, lock: Any) -> str:
    """Return the hash of a model's pin."""
    pin = prepare_model(name, describe_model(name, read_yaml(Path(model_file(name)))), lock)
    return _hash(json.dumps(pin, sort_keys=True).encode())


def _modules(description: str) -> str:
    return "\n".join(line for line in description.splitlines() if "==" not in line)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def freeze(name: str) -> Path:
    """Write the present state of the tree as the protocol `name`."""
    file = PROTOCOLS / f"{name}.yaml"
    save_state(name, state_of(read_params()), file)
    return file


def record(name: str, state: State) -> None:
    """Write the name of the protocol and the state of the tree beside its results."""
    save_state(name, state, RESULTS / RECORD)


def save_state(name: str, state: State, file: Path) -> None:
    """Write a state under the name of its protocol."""
    with writing(file) as partial:
        text = yaml.safe_dump({"protocol": name, **state}, sort_keys=False, width=100)
        partial.write_text(text, encoding="utf-8")


def read_protocol(name: str) -> State:
    """Return the protocol of a name.

    Raises:
        InputError: if there is none, or the file is none.
    """
    names = sorted(file.stem for file in PROTOCOLS.glob("*.yaml"))
    if name not in names:
        raise InputError(
            f"--protocol: {not_among(name, names)}; `embspace verify --protocol {name} --update` "
            "freezes this tree under the name"
        )
    return read_state(PROTOCOLS / f"{name}.yaml", name)


def read_state(file: Path, name: str) -> State:
    """Return the state in a file about the protocol `name`.

    Raises:
        InputError: if the file lacks a part, or is about another protocol.
    """
    content = read_yaml(file)
    if lacking := [key for key in ("protocol", *KINDS) if key not in content]:
        raise InputError(f"{file}: key '{lacking[0]}' is missing")
    if content["protocol"] != name:
        found = content["protocol"]
        raise InputError(f"{file}: key 'protocol': found {found!r}, allowed: {name!r}")
    return {kind: content[kind] for kind in KINDS}


def differences(state: State, frozen: State) -> list[Difference]:
    """Return the entries of a protocol with another value in a state.

    Further entries of the state are no difference, nor are models without results in the study.
    """
    found = {kind: _flat(state[kind]) for kind in KINDS}
    return [
        Difference(kind, name, str(found[kind].get(name, ABSENT)), str(value))
        for kind in KINDS
        for name, value in _flat(frozen[kind]).items()
        if found[kind].get(name, ABSENT) != value and (kind != "models" or name in found[kind])
    ]


def _flat(entries: Mapping[str, Any]) -> dict[str, Any]:
    """Return a key of a file as an entry of its own."""
    flat: dict[str, Any] = {}
    for name, value in entries.items():
        if isinstance(value, dict):
            flat |= {f"{name}: key '{key}'": inner for key, inner in value.items()}
        else:
            flat[name] = value
    return flat


def check_protocol(name: str) -> State:
    """Return the state of the tree, and stop unless it fulfills a protocol.

    Raises:
        InputError: naming all differences.
    """
    frozen, state = read_protocol(name), state_of(read_params())
    if wrong := differences(state, frozen):
        raise InputError(
            "\n".join([f"protocol {name}: this tree differs", *(f"  {line}" for line in wrong)])
        )
    return state
