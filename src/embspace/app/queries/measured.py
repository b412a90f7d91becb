"""Runs declared analyses in this process, on the states of texts by a model in memory."""

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
from embspace.app.queries.measured_inputs import Held, Inputs, maker_of
from embspace.app.queries.measured_tables import MeasuredTables
from embspace.app.working_tree import OwnTexts
from embspace.errors import InputError, not_among
from embspace.graph.declarations import PAGED, declaration, modules
from embspace.loaded.model import LoadedModel
from embspace.settings.params import PARAMS, TOY

FROM_FOLDER = (
    "save model and tokenizer by save_pretrained(folder), and take embspace.spaces(folder)"
)


class Measurements:
    """Calls the functions of declared analyses, and keeps the results made with conf's settings.

    Functions read and write files below a temporary folder, as stages in a tree: numbers therefore
    have the digits of the stages' numbers.
    """

    def __init__(self, loaded: LoadedModel, texts: OwnTexts, root: Path, held: Held) -> None:
        """Take a model, texts, the tree with conf/, and the states of both."""
        self.texts, self._held = texts, held
        self._loaded, self._root = loaded, root

    def tables(self, noun: str, **settings: Any) -> MeasuredTables:
        """Return the tables of an analysis, as `Spaces.measure` says."""
        if noun not in modules():
            raise InputError(f"analysis: {not_among(noun, sorted(modules()))}")
        self.check(noun)
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
        """Make a missing input file or folder of an analysis, and return the path.

        `{model}` in the path stands for the name of the model.

        Raises:
            InputError: if a text or stimulus cannot be read, or the analysis that makes the file
                reads a file not made here.
        """
        if noun := maker_of(path):
            self.check(noun)
            self._make(noun, self.inputs)
        return self.inputs.make(path)

    @cached_property
    def inputs(self) -> Inputs:
        """The files of conf's settings."""
        folder = Path(mkdtemp())
        finalize(self, rmtree, folder, ignore_errors=True)
        inputs = Inputs(self._loaded, self.texts, self._root, folder / "tree", self._held)
        inputs.write_settings()
        return inputs

    def check(self, noun: str) -> None:
        """Stop at an analysis with inputs not made here; nothing is computed.

        Raises:
            InputError: naming the first input not made here, or, for an analysis that is not of a
                single model, its list in params.yaml.
        """
        in_memory = self._loaded.source is None
        over = declaration(noun).analysis.over
        if over not in ("", *PAGED):
            raise InputError(
                f"analysis: found '{noun}', over `{over}` of {PARAMS}, allowed: analyses of a "
                f"model; `embspace run {noun}` computes it"
            )
        for path in files_read(noun):
            if path == PIN and in_memory:
                raise InputError(
                    f"analysis: found '{noun}', which reads the model's files, allowed for a model "
                    f"in memory: what reads its vectors or states; {FROM_FOLDER}"
                )
            if not self.inputs.knows(path):
                computes = f"s.table('{noun}') computes it"
                raise InputError(
                    f"analysis: found '{noun}', which reads {path}, allowed: what reads vectors, "
                    f"states and analyses of this process; "
                    f"{f'{FROM_FOLDER}, of which {computes}' if in_memory else computes}"
                )

    def _make(self, noun: str, inputs: Inputs) -> None:
        """Make the inputs and then the results of an analysis."""
        analysis, function, _ = declaration(noun)
        name, folder = inputs.model if analysis.over else TOY, inputs.folder
        if all((folder / path.format(model=name)).is_file() for path in analysis.outputs.values()):
            return
        for path in analysis.deps():
            self.make(path)
        print(f"embspace: {analysis.stage}", file=sys.stderr)
        with chdir(self._root):  # which the paths of a description are relative to
            description = self._loaded.description
            given = {key: inputs.params[key] for key in analysis.lists}
            arguments = analysis.load(name, lambda: description, folder, given)
        analysis.save(function(**arguments, **inputs.checked(function)), name, folder)


def files_read(noun: str) -> Iterator[str]:
    """Yield the input files of an analysis, and of all analyses needed before."""
    for path in declaration(noun).analysis.deps():
        other = maker_of(path)
        yield from files_read(other) if other else [path]
