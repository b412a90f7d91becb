"""Finds what the mirror looks at: stages, functions, modules and files of a project."""

import ast
import os
from dataclasses import dataclass
from functools import cache, cached_property
from glob import glob
from pathlib import Path
from typing import Any

from tests.mirror.source import dotted, function_named, imports_of, keywords_of, load, parse

VERBS = ("prepare", "train", "extract", "measure", "project", "compare", "draw")
ROOTED = ("prepare", "train", "extract")  # their stages stand in the root's dvc.yaml
MAKERS = ("measure", "project", "compare")  # make what is drawn
FOLDED = ("measure", "draw")  # have a folder a chapter
# Folders of conf/ whose files describe something: the key of params.yaml that names them. The verb
# `train` has no other settings.
DESCRIPTIONS = {"model": "models", "corpus": "corpora", "train": "trained"}
TOY = "toy"  # has the place of a model's name, where none is looked at
EVERYTHING = "everything"  # the stage that others lead to; it runs no module
ALL_RUNS = "all_runs"  # has the place of a run's name, where all are looked at
# Arguments that no settings file has: a stage gets them from params.yaml.
FROM_PARAMS = {"seed", "device", "roles"}
GRAPH = "src/embspace/graph/__main__.py"  # writes the stages of declared analyses
CODE = "data/prepared/code"  # what `prepare_code` writes


@dataclass(frozen=True)
class Stage:
    """What a dvc.yaml says of a stage."""

    name: str
    graph: str
    entry: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.graph}, stage {self.name}"

    @property
    def verb(self) -> str:
        return self.name.partition("_")[0]

    @property
    def noun(self) -> str:
        return self.name.partition("_")[2]

    @property
    def function(self) -> str:
        return f"{self.verb}_{self.noun}"

    @cached_property
    def chapter(self) -> str:
        """The folder of its graph; empty for the root's."""
        return Path(self.graph).parent.name

    @property
    def draws_chapter(self) -> bool:
        return self.verb == "draw" and self.noun == self.chapter

    @cached_property
    def module(self) -> str:
        folder = f"{self.verb}/{self.chapter}" if self.verb in FOLDED else self.verb
        return f"src/embspace/{folder}/{'__main__' if self.draws_chapter else self.noun}.py"

    def _list(self, key: str) -> list[Any]:
        return list(self.entry.get(key) or [])

    @cached_property
    def matrix(self) -> dict[str, Any]:
        """What it has an item for each of, but pages; DVC takes pairs by `foreach`."""
        matrix = dict(self.entry.get("matrix") or {})
        if "foreach" in self.entry:
            return {"pair": self.entry["foreach"]}
        return {key: values for key, values in matrix.items() if key != "pages"}

    @property
    def item(self) -> str:
        """What has the place of `<model>` in its paths."""
        if not self.matrix:
            return ALL_RUNS if any(f"/{ALL_RUNS}." in out for out in self.outs) else TOY
        return self.place_of(next(iter(self.matrix)))

    @staticmethod
    def place_of(key: str) -> str:
        """Return what has the place of an item of the matrix in commands and paths."""
        return "${key}" if key == "pair" else f"${{item.{key}}}"

    @cached_property
    def deps(self) -> list[str]:
        return self._list("deps")

    @property
    def code_deps(self) -> set[str]:
        return {dep for dep in self.deps if dep.startswith(("src", CODE, "requirements"))}

    @cached_property
    def outs(self) -> dict[str, bool]:
        """Each output, and whether DVC caches it instead of leaving it to git."""
        listed = [out for kind in ("outs", "metrics", "plots") for out in self._list(kind)]
        options: dict[str, Any] = {}
        for out in listed:
            options |= out if isinstance(out, dict) else {out: {}}
        return {path: (option or {}).get("cache", True) for path, option in options.items()}

    @property
    def param_keys(self) -> set[str]:
        """Keys of params.yaml that the stage lists."""
        return {item for item in self._list("params") if isinstance(item, str)}

    @property
    def param_files(self) -> dict[str, Any]:
        """Settings files that the stage lists; None for a whole file, else some of its keys."""
        listed = [item for item in self._list("params") if isinstance(item, dict)]
        return {file: keys for item in listed for file, keys in item.items()}


@dataclass(frozen=True)
class Function:
    """A function `<verb>_<noun>` in a module of this name, and what lies where for it."""

    module: str
    node: ast.FunctionDef

    @property
    def name(self) -> str:
        return self.node.name

    @cached_property
    def verb(self) -> str:
        return Path(self.module).parts[2]

    @cached_property
    def noun(self) -> str:
        return Path(self.module).stem

    @cached_property
    def chapter(self) -> str:
        """The folder in that of the verb, if any."""
        return "/".join(Path(self.module).parts[3:-1])

    @property
    def conf(self) -> str:
        return f"{self.module.replace('src/embspace', 'conf').removesuffix('.py')}.yaml"

    @property
    def keywords(self) -> set[str]:
        return keywords_of(self.node)


@dataclass(frozen=True)
class Tree:
    """The files of a project. All paths are strings, relative to the root."""

    root: Path

    def has(self, path: str) -> bool:
        return os.path.exists(f"{self.root}/{path}")  # noqa: PTH110, asked 2,500 times

    def text(self, path: str) -> str:
        if path not in self._texts:
            self._texts[path] = (self.root / path).read_text(encoding="utf-8")
        return self._texts[path]

    @cached_property
    def _texts(self) -> dict[str, str]:
        """What was read already; files do not change while they are looked at."""
        return {}

    def yaml(self, path: str) -> Any:
        return load(self.text(path)) or {}

    def module(self, path: str) -> ast.Module:
        return parse(self.text(path))

    def glob(self, pattern: str) -> list[str]:
        # Not Path.glob, which takes three times as long to give paths that become strings here.
        paths = glob(pattern, root_dir=self.root, recursive=True, include_hidden=True)  # noqa: PTH207
        return sorted(path for path in paths if "__pycache__" not in path)

    @cached_property
    def graphs(self) -> list[str]:
        return ["dvc.yaml", *self.glob("pipeline/*/dvc.yaml")]

    @cached_property
    def stages(self) -> list[Stage]:
        return [
            Stage(name, graph, {**entry, **entry.get("do", {})})
            for graph in self.graphs
            for name, entry in self.yaml(graph).get("stages", {}).items()
            if name != EVERYTHING
        ]

    @cached_property
    def runnable(self) -> list[Stage]:
        """Stages with a module where it should be; of the others rule 1 tells."""
        return [stage for stage in self.stages if self.has(stage.module)]

    @cached_property
    def called(self) -> set[str]:
        """The names of the functions that stages call."""
        return {stage.function for stage in self.stages}

    @cached_property
    def functions(self) -> dict[str, Function]:
        """The functions `<verb>_<noun>` by their module."""
        functions = {}
        for path in (path for verb in VERBS for path in self.glob(f"src/embspace/{verb}/**/*.py")):
            verb, noun = Path(path).parts[2], Path(path).stem
            if node := function_named(self.module(path), f"{verb}_{noun}"):
                functions[path] = Function(path, node)
        return functions

    def functions_of(self, stage: Stage) -> list[Function]:
        """Return the functions that a stage calls: its own, or all drawings without a stage."""
        if not stage.draws_chapter:
            return [self.functions[stage.module]] if stage.module in self.functions else []
        return [
            function
            for function in self.functions.values()
            if (function.verb, function.chapter) == ("draw", stage.chapter)
            and function.name not in self.called
        ]

    def is_declared(self, path: str) -> bool:
        """Return whether a module declares an analysis: `python -m embspace.graph` writes it."""
        return any(
            isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("Analysis(")
            for node in self.module(path).body
        )

    @cached_property
    def modules(self) -> dict[str, str]:
        """The path of each module by its dotted name."""
        return {dotted(path): path for path in self.glob("src/embspace/**/*.py")}

    def imported(self, path: str) -> set[str]:
        """Return the dotted names of our modules that a module, or the stub of one, imports."""
        package = ".".join(Path(path).parent.parts[1:])
        return imports_of(self.module(path), package) & self.modules.keys()

    def closure(self, *starts: str) -> set[str]:
        """Return the paths of all modules that are loaded with those at some paths, these too."""
        queue = list(starts)
        reached = set(queue)
        for path in queue:
            queue += self._loaded(path) - reached
            reached |= self._loaded(path)
        return reached

    def _loaded(self, path: str) -> set[str]:
        """Return the paths of what a module imports, and of the packages around all of these."""
        if path not in self._known:
            names = map(_with_packages, (dotted(path), *self.imported(path)))
            self._known[path] = {
                self.modules.get(name, path) for packages in names for name in packages
            }
        return self._known[path]

    @cached_property
    def _known(self) -> dict[str, set[str]]:
        """What `_loaded` has found already."""
        return {}


@cache
def _with_packages(name: str) -> tuple[str, ...]:
    """Return `a`, `a.b` and `a.b.c` of `a.b.c`: the `__init__.py` of packages run first."""
    parts = name.split(".")
    return tuple(".".join(parts[: end + 1]) for end in range(len(parts)))
