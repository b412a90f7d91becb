"""Runs declared analyses in this process, on what a model in memory makes of texts."""

import sys
from collections.abc import Iterator
from contextlib import chdir
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

from embspace.analysis import PIN
from embspace.app.queries.measured_inputs import Inputs
from embspace.app.queries.measured_tables import MeasuredTables
from embspace.app.working_tree import OwnTexts
from embspace.errors import InputError, not_among
from embspace.graph import declaration, modules
from embspace.loaded.model import LoadedModel
from embspace.settings.params import TOY

MADE = ("results", "data/measured", "data/projected")  # folders of what other analyses made


class Measurements:
    """Calls the functions of declared analyses, and keeps what each makes with conf's settings.

    Functions take and make files below a temporary folder, those that stages have in a tree:
    numbers so have the digits that the stages' have.
    """

    def __init__(self, loaded: LoadedModel, texts: OwnTexts, root: Path) -> None:
        """Take a model, texts, and the tree that has conf/."""
        self.texts = texts
        self._loaded, self._root = loaded, root

    def tables(self, noun: str, **settings: Any) -> MeasuredTables:
        """Return the tables of an analysis, as `Spaces.measure` says."""
        if noun not in modules():
            raise InputError(f"analysis: {not_among(noun, sorted(modules()))}")
        for path in files_read(noun):
            self._check(noun, path)
        inputs = self.inputs
        if settings:
            declared = declaration(noun)
            inputs.checked(declared.function, settings)  # before anything is computed
            for path in declared.analysis.deps():
                self.make(path)
            inputs = inputs.with_settings(declared.function, settings)
            for path in declared.analysis.outputs.values():
                (inputs.folder / path.format(model=inputs.model)).unlink(missing_ok=True)
        self._make(noun, inputs)
        return MeasuredTables(noun, inputs, self.make)

    def make(self, path: str) -> Path:
        """Make a file or folder that an analysis reads, if it is not there, and return its path.

        `{model}` stands in it for the name of the model.

        Raises:
            InputError: if a text or stimulus cannot be read.
        """
        if noun := _maker(path):
            self._make(noun, self.inputs)
        return self.inputs.make(path)

    @cached_property
    def inputs(self) -> Inputs:
        """The files of conf's settings."""
        folder = Path(mkdtemp())
        finalize(self, rmtree, folder, ignore_errors=True)
        inputs = Inputs(self._loaded, self.texts, self._root, folder / "tree")
        inputs.write_settings()
        return inputs

    def _check(self, noun: str, path: str) -> None:
        if path == PIN and self._loaded.source is None:
            raise InputError(
                f"analysis: found '{noun}', which reads the model's files, allowed for a model in "
                "memory: what reads its vectors or states; save model and tokenizer by "
                "save_pretrained(folder), and take embspace.spaces(folder)"
            )
        if not self.inputs.knows(path):
            raise InputError(
                f"analysis: found '{noun}', which reads {path}; s.table('{noun}') computes it"
            )

    def _make(self, noun: str, inputs: Inputs) -> None:
        """Have the results of an analysis, and before them what it reads."""
        analysis, function, _ = declaration(noun)
        name, folder = inputs.model if analysis.over else TOY, inputs.folder
        if all((folder / path.format(model=name)).is_file() for path in analysis.outputs.values()):
            return
        for path in analysis.deps():
            self.make(path)
        print(f"embspace: {analysis.stage}", file=sys.stderr)
        with chdir(self._root):  # which the paths of a description are relative to
            description = self._loaded.description
            lists = {key: inputs.params[key] for key in analysis.lists}
            arguments = analysis.load(name, lambda: description, folder, lists)
        analysis.save(function(**arguments, **inputs.checked(function)), name, folder)


def files_read(noun: str) -> Iterator[str]:
    """Yield the files that an analysis reads, and those of the analyses that it needs before."""
    for path in declaration(noun).analysis.deps():
        other = _maker(path)
        yield from files_read(other) if other else [path]


def _maker(path: str) -> str:
    """Return the analysis whose results a path is among; "" if none are declared there."""
    home = next((home for home in MADE if path.startswith(f"{home}/")), None)
    noun = Path(path).relative_to(home).parts[0] if home else ""
    return noun if noun in modules() else ""
