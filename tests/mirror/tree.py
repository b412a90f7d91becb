"""What the mirror sees of a project: names, stages, files."""

import ast
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.mirror.source import function_named, load, parse

VERBS = ("prepare", "train", "extract", "measure", "project", "compare", "draw", "report")
# Folders of conf/ whose files describe something: the key of params.yaml that names them. The verb
# `train` has no other settings.
DESCRIPTIONS = {"model": "models", "corpus": "corpora", "train": "trained"}
DRAW = "src/embspace/draw"
DRAWS = f"{DRAW}/results.py"  # what both drawing stages call
# Measures and maps that look at no model have `toy` in the place of <model>, and a stage of their
# own that draws them.
TOY = "toy"
TOYS = "toys"
# What compares models lies in one table a noun for all models, drawn by a stage of its own.
COMPARE = "compare"
# What is measured of the models of a run of conf/train/, too.
TRAINED = "trained"
# What is measured of the layers of those models that are profiled.
PROFILED = "profiled"
# What is measured over the training of those models whose published checkpoints are read.
CHECKPOINTED = "checkpointed"
DRAWN_APART = (
    "",
    TOYS,
    PROFILED,
    CHECKPOINTED,
    TRAINED,
    COMPARE,
)  # nouns of the stages that draw: of a model, the others
# Where a stage may write. [optional], {one,of,these}; <model>, <corpus>, <run> come from matrix.
PLACES = {
    "prepare": ("data/prepared/<noun>/{<corpus>,<file>}.<suffix>",),
    "train": ("data/trained/<run>",),
    "extract": ("data/extracted/<noun>/<model>[/{<corpus>,<file>}].<suffix>",),
    # What is too large for git, or what later stages need whole, goes under data/.
    "measure": (
        "results/<noun>/[<table>/]<model>.{csv,json}",
        "data/measured/<noun>/[<table>/]<model>.{parquet,safetensors}",
    ),
    "project": ("data/projected/<noun>/<model>.parquet", "results/<noun>/[<table>/]<model>.csv"),
    "compare": ("results/compare/<noun>.csv",),
    "draw": ("figures/<noun>/<model>[.png]",),
    "report": ("results/report/<model>",),
}
DRAWN = (".png", "")  # the picture, and the folder of the rest
DRAWN_APIECE = ("md", "pdf", "svg", "tex")  # in the folder, each named after the noun
IN_GIT = ("results/", "figures/")
# Arguments that no settings file has: a stage gets them from params.yaml.
FROM_PARAMS = {"seed", "device"}
# An edit of it re-runs nothing, for it may change no number beyond tolerance.
UNTRACKED = {"device"}


@dataclass(frozen=True)
class Name:
    """A verb and a noun, and what lies where under this name."""

    verb: str
    noun: str

    def __str__(self) -> str:
        return f"{self.verb}_{self.noun}" if self.noun else self.verb

    @property
    def draws_all(self) -> bool:
        """Whether it is `draw`, all of a model, or draws all toys, runs or comparisons."""
        return self.verb == "draw" and self.noun in DRAWN_APART

    @property
    def is_stage(self) -> bool:
        """Whether a stage may be called so: <verb>_<noun>, or one of those that draw all."""
        return self.draws_all or (self.verb in VERBS and self.verb != "draw" and bool(self.noun))

    @property
    def command(self) -> str:
        """What `python -m` runs."""
        return f"embspace.{self.verb}.{self.noun}" if self.noun else f"embspace.{self.verb}"

    @property
    def module(self) -> str:
        return f"src/embspace/{self.verb}/{self.noun or '__main__'}.py"

    @property
    def conf(self) -> str:
        return f"conf/{self.verb}/{self.noun}.yaml"


@dataclass(frozen=True)
class Stage:
    """What dvc.yaml says of a stage."""

    name: Name
    entry: dict[str, Any]

    def __str__(self) -> str:
        return f"dvc.yaml, stage {self.name}"

    def _list(self, key: str) -> list[Any]:
        return list(self.entry.get(key) or [])

    @property
    def matrix(self) -> list[str]:
        return self._list("matrix")

    @property
    def is_toy(self) -> bool:
        """Whether it measures or maps something without a model."""
        return self.name.verb in ("measure", "project") and not self.matrix

    @property
    def places(self) -> list[str]:
        """Where it may write, the noun filled in."""
        places = (place.replace("<noun>", self.name.noun) for place in PLACES[self.name.verb])
        return [place.replace("<model>", TOY) if self.is_toy else place for place in places]

    @property
    def deps(self) -> list[str]:
        return self._list("deps")

    @property
    def source_deps(self) -> list[str]:
        return [dep for dep in self.deps if dep.startswith("src/")]

    @property
    def data_deps(self) -> list[str]:
        return [dep for dep in self.deps if not dep.startswith("src/")]

    @property
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
class Tree:
    """The files of a project. All paths are strings, relative to the root."""

    root: Path

    def has(self, path: str) -> bool:
        return (self.root / path).exists()

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
        found = (path.relative_to(self.root).as_posix() for path in self.root.glob(pattern))
        return sorted(path for path in found if "__pycache__" not in path)

    @cached_property
    def stages(self) -> list[Stage]:
        entries = self.yaml("dvc.yaml").get("stages", {})
        parts = [(name.partition("_"), entry) for name, entry in entries.items()]
        return [Stage(Name(verb, noun), entry) for (verb, _, noun), entry in parts]

    @cached_property
    def runnable(self) -> list[Stage]:
        """Stages with a name and a module as they should be; of the others rule 1 tells."""
        named = (stage for stage in self.stages if stage.name.is_stage)
        return [stage for stage in named if self.has(stage.name.module)]

    @cached_property
    def functions(self) -> dict[Name, ast.FunctionDef]:
        """The functions `<verb>_<noun>` in the modules of this name."""
        found = {}
        for verb in VERBS:
            for path in self.glob(f"src/embspace/{verb}/*.py"):
                name = Name(verb, Path(path).stem)
                if function := function_named(self.module(path), str(name)):
                    found[name] = function
        return found

    @cached_property
    def names(self) -> set[Name]:
        """All that is a stage in dvc.yaml or a function in a module."""
        return {stage.name for stage in self.stages} | set(self.functions)

    @cached_property
    def drawings(self) -> list[Name]:
        return [name for name in self.functions if name.verb == "draw"]

    @cached_property
    def toys(self) -> set[str]:
        """The nouns that are measured or mapped without a model."""
        return {stage.name.noun for stage in self.stages if stage.is_toy}

    @cached_property
    def compared(self) -> set[str]:
        """The nouns that compare models."""
        return {stage.name.noun for stage in self.stages if stage.name.verb == COMPARE}

    @cached_property
    def trained(self) -> set[str]:
        """The nouns that are measured of the models of a run."""
        measured = (stage for stage in self.stages if stage.name.verb == "measure")
        return {stage.name.noun for stage in measured if stage.matrix and "train" in stage.matrix}

    @cached_property
    def profiled(self) -> set[str]:
        """The nouns that are measured of profiled models."""
        return self._measured_of(PROFILED)

    @cached_property
    def checkpointed(self) -> set[str]:
        """The nouns that are measured over the published training of models."""
        return self._measured_of(CHECKPOINTED)

    def _measured_of(self, key: str) -> set[str]:
        """The nouns that are measured of the models under a key of params.yaml."""
        measured = (stage for stage in self.stages if stage.name.verb == "measure")
        matrix = {"model": f"${{{key}}}"}
        return {stage.name.noun for stage in measured if stage.entry.get("matrix") == matrix}

    def drawings_of(self, name: Name) -> list[Name]:
        """The drawings of a stage that draws all: of a model, or of one of `DRAWN_APART`."""
        return [drawing for drawing in self.drawings if self._drawn_by(drawing) == name.noun]

    def _drawn_by(self, drawing: Name) -> str:
        if drawing.noun in self.toys:
            return TOYS
        if drawing.noun in self.trained:
            return TRAINED
        if drawing.noun in self.profiled:
            return PROFILED
        if drawing.noun in self.checkpointed:
            return CHECKPOINTED
        return COMPARE if drawing.noun in self.compared else ""

    @cached_property
    def modules(self) -> dict[str, str]:
        """The path of each module by its dotted name."""
        found = {}
        for path in self.glob("src/embspace/**/*.py"):
            parts = Path(path).with_suffix("").parts[1:]
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        return found

    @cached_property
    def homes(self) -> dict[str, str]:
        """The module that defines each name of a package that loads its names on demand."""
        found = {}
        for path in self.glob("src/embspace/**/__init__.pyi"):
            package = ".".join(Path(path).parts[1:-1])
            for node in self.module(path).body:
                if isinstance(node, ast.ImportFrom):
                    module = f"{package}.{node.module}"
                    found |= {f"{package}.{alias.name}": module for alias in node.names}
        return found

    def settings_of(self, stage: Stage) -> list[Name]:
        """The functions whose settings a stage takes: its own, or those of its drawings."""
        if stage.name.verb in DESCRIPTIONS:
            return []
        return self.drawings_of(stage.name) if stage.name.draws_all else [stage.name]
