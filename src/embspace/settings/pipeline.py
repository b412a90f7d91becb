"""Finds stages: the graph has one dvc.yaml per chapter, and one at the root."""

import hashlib
import re
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from embspace.errors import InputError, not_among
from embspace.settings.schema import read_yaml

GRAPH = "dvc.yaml"
LOCK = "dvc.lock"
ITEM = re.compile(r"\$\{item\.(\w+)\}")
LIST = re.compile(r"\$\{(\w+)\}")
# Graphs and their locks are long.
_FAST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Stage(NamedTuple):
    """A stage of the graph."""

    name: str
    graph: Path
    """The dvc.yaml with the stage, relative to the root of the tree."""
    entry: dict[str, Any]

    @property
    def chapter(self) -> str:
        """Return the folder of the stage's graph; empty for the graph at the root."""
        return self.graph.parent.name

    def address(self, item: str = "") -> str:
        """Return what `dvc repro` takes at the root, for an item of the matrix or for all."""
        prefix = f"{self.graph}:" if self.chapter else ""
        return f"{prefix}{self.item(item) if item else self.name}"

    def item(self, item: str) -> str:
        """Return the name of an item of the stage's matrix, as in dvc.lock."""
        return f"{self.name}@{item}"

    def outputs(self) -> list[str]:
        """Return the output paths, with ${item.<key>} in place of the name of a model or a pair."""
        listed = [
            entry for kind in ("outs", "metrics", "plots") for entry in self.entry.get(kind, ())
        ]
        paths = [entry if isinstance(entry, str) else next(iter(entry)) for entry in listed]
        return [path.replace("${key}", "${item.pair}") for path in paths]

    def deps(self) -> list[str]:
        """Return the stage's dependencies, after filling in the settings named in the graph."""
        values = dict[str, Any]()
        for given in self.entry.get("vars", ()):
            file, _, keys = str(given).partition(":")
            values |= {key: read_yaml(Path(file)).get(key) for key in keys.split(",")}
        return [
            LIST.sub(lambda key: str(values.get(key[1], key[0])), dep)
            for dep in self.entry.get("deps", ())
        ]

    def nouns(self) -> set[str]:
        """Return the analyses whose results the stage makes, or else the noun in its name."""
        analyses = {path.split("/")[1] for path in self.outputs() if path.startswith("results/")}
        return analyses or {self.name.partition("_")[2]}


def graph_files(root: Path, name: str = GRAPH) -> list[Path]:
    """Return the dvc.yaml files, or dvc.lock files, of a tree, relative to the tree's root."""
    files = [root / name, *sorted(root.glob(f"pipeline/*/{name}"))]
    return [file.relative_to(root) for file in files if file.is_file()]


def fill_item(path: str, names: Mapping[str, str]) -> str:
    """Return a path of the graph with the names of keys in the place of ${item.<key>}."""
    return ITEM.sub(lambda key: names.get(key[1], key[0]), path)


def read_stages(root: Path) -> dict[str, Stage]:
    """Return all stages of a tree by name.

    Raises:
        InputError: if a graph cannot be read.
    """
    return {
        name: Stage(name, graph, _as_matrix(entry))
        for graph in graph_files(root)
        for name, entry in _read_graph(root / graph).get("stages", {}).items()
    }


def stage_names(root: Path, params: Mapping[str, Any]) -> set[str]:
    """Return the names of all stages of a tree, with the items from `params`.

    DVC derives the same names from params.yaml, but needs seconds.
    """
    names = set[str]()
    for name, stage in read_stages(root).items():
        lists = [_items(values, params) for values in stage.entry.get("matrix", {}).values()]
        items = ["-".join(combination) for combination in product(*lists)]
        names |= {f"{name}@{item}" for item in items} if lists else {name}
    return names


def _items(listed: str | list[str], params: Mapping[str, Any]) -> list[str]:
    """Return the items of a key of a matrix: a list, or the list that `params` has by that name."""
    if isinstance(listed, list):
        return listed
    named = LIST.fullmatch(listed)
    return [*params[named[1]]] if named else [listed]


def _read_graph(file: Path) -> dict[str, Any]:
    """Return the content of a dvc.yaml; what the fast reader cannot read, the slow one explains."""
    try:
        content = yaml.load(file.read_text(encoding="utf-8"), Loader=_FAST)
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        content = None
    return content if isinstance(content, dict) else read_yaml(file)


def _as_matrix(entry: dict[str, Any]) -> dict[str, Any]:
    """Return a stage of pairs with a matrix of the pairs' names; DVC has matrices only of lists."""
    if "foreach" not in entry:
        return entry
    return {**entry["do"], "matrix": {"pair": entry["foreach"]}}


def find_stages(root: Path, name: str) -> list[Stage]:
    """Return the stages of a name: a single stage, or all of a noun or a chapter.

    Raises:
        InputError: if there are none, with the allowed names.
    """
    stages = read_stages(root).values()
    matches = [
        stage
        for stage in stages
        if name in (stage.name, stage.name.partition("_")[2], stage.chapter)
    ]
    matches = matches or [stage for stage in stages if name in stage.nouns()]
    if not matches:
        names = {stage.name.partition("_")[2] for stage in stages}
        names |= {noun for stage in stages for noun in stage.nouns()}
        names |= {stage.chapter for stage in stages}
        raise InputError(not_among(name, sorted(names - {""})))
    return matches


def read_locked(file: Path) -> dict[str, Any]:
    """Return the stages of a dvc.lock, by name and item; empty if the file is missing."""
    if not file.is_file():
        return {}
    content: Any = yaml.load(file.read_text(encoding="utf-8"), Loader=_FAST)
    return dict((content or {}).get("stages", {}))


def hash_of_locks(root: Path) -> str:
    """Return the hash of all dvc.lock files of a tree."""
    contents = b"".join((root / lock).read_bytes() for lock in graph_files(root, LOCK))
    return hashlib.sha256(contents).hexdigest()
