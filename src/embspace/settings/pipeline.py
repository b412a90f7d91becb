"""Finds stages: the graph is one dvc.yaml a chapter, and the root's."""

from pathlib import Path
from typing import Any, NamedTuple

import yaml

from embspace.errors import InputError, not_among
from embspace.settings.schema import read_yaml

GRAPH = "dvc.yaml"
LOCK = "dvc.lock"


class Stage(NamedTuple):
    """A stage of the graph."""

    name: str
    graph: Path
    """The dvc.yaml that has it, relative to the root of the tree."""
    entry: dict[str, Any]

    @property
    def chapter(self) -> str:
        """The folder of its graph; empty for the root's."""
        return self.graph.parent.name

    def address(self, item: str = "") -> str:
        """Return what `dvc repro` takes at the root, for one item of its matrix or for all."""
        prefix = f"{self.graph}:" if self.chapter else ""
        return f"{prefix}{self.name}{f'@{item}' if item else ''}"


def graph_files(root: Path, name: str = GRAPH) -> list[Path]:
    """Return the dvc.yaml files, or dvc.lock files, of a tree, relative to its root."""
    files = [root / name, *sorted(root.glob(f"pipeline/*/{name}"))]
    return [file.relative_to(root) for file in files if file.is_file()]


def read_stages(root: Path) -> dict[str, Stage]:
    """Return all stages of a tree by name.

    Raises:
        InputError: if a graph cannot be read.
    """
    return {
        name: Stage(name, graph, entry)
        for graph in graph_files(root)
        for name, entry in read_yaml(root / graph).get("stages", {}).items()
    }


def find_stages(root: Path, asked: str) -> list[Stage]:
    """Return the stages of a name: one stage, those of a noun, or those of a chapter.

    Raises:
        InputError: if there are none, with what is allowed.
    """
    stages = read_stages(root).values()
    found = [
        stage
        for stage in stages
        if asked in (stage.name, stage.name.partition("_")[2], stage.chapter)
    ]
    if not found:
        names = {stage.name.partition("_")[2] for stage in stages}
        raise InputError(not_among(asked, sorted(names | {each.chapter for each in stages} - {""})))
    return found


def read_locked(file: Path) -> dict[str, Any]:
    """Return the stages of one dvc.lock, by name and item; none if the file is not there."""
    if not file.is_file():
        return {}
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the file is long
    content: Any = yaml.load(file.read_text(encoding="utf-8"), Loader=loader)
    return dict((content or {}).get("stages", {}))
