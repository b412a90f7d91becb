"""Frozen protocols: everything under the results of a study, by name, in a file.

A protocol has corpora, seed, settings, texts, models, code and packages. Results of two studies
under the same protocol are comparable, even of models that the protocol does not name.
"""

import hashlib
import json
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
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
NAME = re.compile(r"\w[\w.-]*")
PINS = Path("data/prepared/model")
KINDS = ("params", "settings", "texts", "models", "code", "packages")
WRITTEN_BY_PEOPLE = ("data/texts", "data/stimuli", "data/published")
DRAWN = ("draw", "report")  # verbs whose code and settings change no number
OF_ONE = ("model", "corpus")  # folders of conf/ with a file a model or corpus
READ_BY_NAME = ("data/texts/", "data/published/verdicts/")  # a further file there changes nothing
SAID = ("label", "license", "note")  # keys of a model's description that change no number
ABSENT = "not there"
State = dict[str, dict[str, Any]]
"""By kind, values or hashes by name."""


class Difference(NamedTuple):
    """A setting, text, model, module or package unlike the protocol's."""

    kind: str
    name: str
    current: str
    frozen: str

    def __str__(self) -> str:
        """Return the line of a message."""
        return f"{self.name}: found {self.current}, frozen: {self.frozen}"


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
    settings = _settings(params)
    judges = [name for name in judges_in(settings) if (PINS / f"{name}.json").is_file()]
    lines = {line for stage in stages for line in code.get(stage, "").splitlines()}
    return {
        "params": {
            str(PARAMS): {key: getattr(params, key) for key in ("corpora", "roles", "seed")}
        },
        "settings": settings,
        "texts": {str(path): hash_of(path.read_bytes()) for path in _texts(stages.values())},
        "models": {name: _model(name, lock) for name in dict.fromkeys([*params.models, *judges])},
        "code": {
            stage: hash_of(_modules(code[stage]).encode()) for stage in stages if stage in code
        },
        "packages": dict(line.split("==") for line in sorted(lines) if "==" in line),
    }


def _settings(params: Params) -> dict[str, Any]:
    """Return the settings behind numbers, without drawings, by file and key."""
    verbs = {file.name for file in CONF.iterdir() if file.is_dir()} - {*DRAWN, *OF_ONE}
    files = [file for verb in sorted(verbs) for file in sorted((CONF / verb).rglob("*.yaml"))]
    corpora = [Path(corpus_file(name)) for name in params.corpora]
    return {str(file): read_yaml(file) or {} for file in [*corpora, *files]}


def judges_in(settings: Mapping[str, Any], files: tuple[str, ...] = ("",)) -> list[str]:
    """Return the models that settings name as judges of texts, in files with these beginnings."""
    chosen = [keys for file, keys in settings.items() if file.startswith(files)]
    return [str(keys["judge"]) for keys in chosen if "judge" in keys]


def _texts(stages: Iterable[Stage]) -> list[Path]:
    """Return the files by people among the dependencies of stages."""
    places = {Path(dep) for stage in stages for dep in stage.deps()}
    inside = [place for place in places if str(place).startswith(WRITTEN_BY_PEOPLE)]
    files = {
        file for place in inside for file in ([place] if place.is_file() else place.rglob("*"))
    }
    return sorted(file for file in files if file.is_file())


def _model(name: str, lock: Any) -> str:
    """Return the hash of a model's pin and of the parts of its description that change numbers."""
    model = describe_model(name, read_yaml(Path(model_file(name))))
    known = [prepare_model(name, model, lock), model.model_dump(mode="json")]
    return hash_of(json.dumps([_anywhere(part) for part in known], sort_keys=True).encode())


def _anywhere(part: dict[str, Any]) -> dict[str, Any]:
    """Return a description without labels, and without the places of files with known hashes."""
    left_out = {*SAID, "path"} if part.get("sha256") else {*SAID}
    return {
        key: _anywhere(value) if isinstance(value, dict) else value
        for key, value in part.items()
        if key not in left_out
    }


def _modules(description: str) -> str:
    """Return the hashes and paths of modules, whatever folder the package lies in."""
    lines = (line.split("  ", 1) for line in description.splitlines() if "==" not in line)
    return "\n".join(f"{digest}  {path.partition('/')[2]}" for digest, path in lines)


def hash_of(content: bytes) -> str:
    """Return the start of the sha256 of a file, as protocols and records store it."""
    return hashlib.sha256(content).hexdigest()[:16]


def freeze(name: str) -> Path:
    """Write the present state of the tree as the protocol `name`.

    Raises:
        InputError: if the name is no file name, or already stands for another state.
    """
    if not NAME.fullmatch(name):
        raise InputError(
            f"--protocol: found {name!r}, allowed: letters, digits, '_', '-' and '.', no '.' first"
        )
    file, state = PROTOCOLS / f"{name}.yaml", state_of(read_params())
    if not file.is_file():
        save(file, {"protocol": name, **_commit(), **state})
    elif (frozen := read_state(file, name)) != state:
        wrong = [*differences(state, frozen), "this tree has other entries or models"][0]
        raise InputError(f"{file}: frozen before; {wrong}; remove the file to freeze it anew")
    return file


def _commit() -> dict[str, str]:
    """Return the commit of the tree, and whether files differ from it; empty without git."""
    changed = ["git", "status", "--porcelain", "-uno", "--", ".", f":!{PROTOCOLS}"]
    answers = [
        subprocess.run(command, capture_output=True, text=True, check=False)
        for command in (["git", "rev-parse", "HEAD"], changed)
    ]
    if any(answer.returncode for answer in answers):
        return {}
    commit, files = (answer.stdout.strip() for answer in answers)
    return {"commit": f"{commit}, with changes" if files else commit}


def save(file: Path, content: Mapping[str, Any]) -> None:
    """Write a protocol, or the record of a run under a protocol."""
    with writing(file) as partial:
        text = yaml.safe_dump(dict(content), sort_keys=False, width=100)
        partial.write_text(text, encoding="utf-8")


def read_protocol(name: str) -> State:
    """Return the protocol of a name.

    Raises:
        InputError: if the file is missing, or is no protocol.
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
        InputError: if the file lacks a part, or is about a different protocol.
    """
    content = read_parts(file, name, KINDS)
    return {kind: content[kind] for kind in KINDS}


def read_parts(file: Path, name: str, parts: tuple[str, ...]) -> dict[str, Any]:
    """Return the content of a file about the protocol `name`, which must have all `parts`.

    Raises:
        InputError: if the file lacks a part, or is about a different protocol.
    """
    content: dict[str, Any] = read_yaml(file)
    if lacking := [key for key in ("protocol", *parts) if key not in content]:
        raise InputError(f"{file}: key '{lacking[0]}' is missing")
    if content["protocol"] != name:
        other = content["protocol"]
        raise InputError(f"{file}: key 'protocol': found {other!r}, allowed: {name!r}")
    return content


def differences(state: State, frozen: State) -> list[Difference]:
    """Return the entries of a protocol whose value differs in a state, and what the state adds.

    A further text counts as a difference, as stages read whole folders, and so does a further key
    of settings. Further models, stages with their settings, and texts that are read by name do not
    count, nor do models without results in the study.
    """
    current = {kind: _flat(state[kind]) for kind in KINDS}
    changed = [
        Difference(kind, name, str(current[kind].get(name, ABSENT)), str(value))
        for kind in KINDS
        for name, value in _flat(frozen[kind]).items()
        if current[kind].get(name, ABSENT) != value and (kind != "models" or name in current[kind])
    ]
    return [*changed, *_added(state, frozen)]


def _added(state: State, frozen: State) -> Iterator[Difference]:
    """Yield the texts, and the keys of frozen settings, that a state has beyond a protocol."""
    shared = {file: keys for file, keys in state["settings"].items() if file in frozen["settings"]}
    texts = {file: digest for file, digest in state["texts"].items() if not _is_read_by_name(file)}
    for kind, entries in {"settings": shared, "texts": texts}.items():
        known = _flat(frozen[kind])
        for name, value in _flat(entries).items():
            if name not in known:
                yield Difference(kind, name, str(value), ABSENT)


def _is_read_by_name(file: str) -> bool:
    return file.startswith(READ_BY_NAME)


def _flat(entries: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping with an entry for every key of a file."""
    flat = dict[str, Any]()
    for name, value in entries.items():
        if isinstance(value, dict):
            flat |= {f"{name}: key '{key}'": inner for key, inner in value.items()}
        else:
            flat[name] = value
    return flat


def check_protocol(name: str) -> State:
    """Stop unless the tree fulfills a protocol; return the state of the tree.

    Raises:
        InputError: naming all differences.
    """
    frozen, state = read_protocol(name), state_of(read_params())
    if wrong := differences(state, frozen):
        raise InputError(
            "\n".join([f"protocol {name}: this tree differs", *(f"  {line}" for line in wrong)])
        )
    return state
