"""Runs declared analyses in this process, on the learned vectors of a model in memory."""

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any
from weakref import finalize

import numpy as np
import pandas as pd

from embspace.analysis import PIN, SCALARS
from embspace.app.queries.shown import ShownTables
from embspace.errors import InputError, not_among
from embspace.files.rows import save_rows
from embspace.files.scalars import load_scalars
from embspace.files.tables import load_table
from embspace.files.tensors import save_tensors
from embspace.graph import declaration, modules
from embspace.loaded.model import LoadedModel
from embspace.settings.params import read_params
from embspace.settings.schema import read_yaml
from embspace.settings.stage import checked_settings, settings_file

EXTRACTED = "data/extracted/embeddings/{model}"  # the files of what is in memory
IN_MEMORY = "loaded"  # of files, for a model of the user's, whose name may be a path
MADE = ("results", "data/measured", "data/projected")  # folders of what other analyses made


class Measurements:
    """Calls the functions of declared analyses, and keeps what each makes with conf's settings.

    A function takes and makes files below a temporary folder, those that its stage has in a tree:
    numbers so have the digits that the stage's have.
    """

    def __init__(
        self,
        loaded: LoadedModel,
        learned: tuple[dict[str, np.ndarray], pd.DataFrame],
        root: Path,
    ) -> None:
        """Take a model, its learned matrices and vocabulary, and the tree that has conf/."""
        self._loaded, self._root, self._folder = loaded, root, Path(mkdtemp())
        finalize(self, rmtree, self._folder, ignore_errors=True)
        self._made: set[str] = set()
        self._is_in_memory = loaded.source is None
        self._name = IN_MEMORY if self._is_in_memory else loaded.name
        matrices, vocabulary = learned
        extracted = f"{self._folder}/{EXTRACTED.format(model=self._name)}"
        save_tensors(matrices, f"{extracted}.safetensors")
        save_rows(vocabulary, f"{extracted}.parquet")

    def tables(self, noun: str, **settings: Any) -> ShownTables:
        """Return the tables of an analysis, as `Spaces.measure` says."""
        if noun not in modules():
            raise InputError(f"analysis: {not_among(noun, sorted(modules()))}")
        for path in _files_read(noun):
            if path == PIN and self._is_in_memory:
                raise InputError(
                    f"analysis: found '{noun}', which reads the model's files, allowed for a model "
                    "in memory: what reads the learned vectors; save model and tokenizer by "
                    "save_pretrained(folder), and take embspace.spaces(folder)"
                )
            if not path.startswith((f"{EXTRACTED}.", PIN)):
                raise InputError(
                    f"analysis: found '{noun}', which reads {path}; allowed: what reads the "
                    f"learned vectors; s.table('{noun}') has the others"
                )
        if not settings:
            self._make(noun, self._folder)
            return self._read(noun, self._folder)
        with TemporaryDirectory() as folder:
            self._make(noun, Path(folder), **settings)
            return self._read(noun, Path(folder))

    def _make(self, noun: str, folder: Path, **settings: Any) -> None:
        """Have the results of an analysis below a folder, and before them what it reads."""
        if noun in self._made and not settings:
            return
        analysis, function, _ = declaration(noun)
        for path in analysis.deps():
            if other := _maker(path):
                self._make(other, self._folder)
        file = settings_file(function, self._root)
        content = read_yaml(file) | settings
        params = read_params(self._root).model_dump()
        checked = checked_settings(function, content, params, str(file))
        description = self._loaded.description
        with chdir(self._root):  # which the paths of a description are relative to
            arguments = analysis.load(self._name, lambda: description, self._folder)
        analysis.save(function(**arguments, **checked), self._name, folder)
        if not settings:
            self._made.add(noun)

    def _read(self, noun: str, folder: Path) -> ShownTables:
        analysis = declaration(noun).analysis
        paths = {
            name: str(folder / path.format(model=self._name))
            for name, path in analysis.outputs.items()
        }
        tables = {name: load_table(paths[name]) for name in analysis.tables}
        if analysis.scalars:
            tables[SCALARS] = pd.json_normalize(load_scalars(paths[SCALARS]))
        return ShownTables(tables)


def _files_read(noun: str) -> Iterator[str]:
    """Yield the files that an analysis reads, and those of the analyses that it needs before."""
    for path in declaration(noun).analysis.deps():
        other = _maker(path)
        yield from _files_read(other) if other else [path]


def _maker(path: str) -> str:
    """Return the analysis whose results a path is among; "" if none are declared there."""
    home = next((home for home in MADE if path.startswith(f"{home}/")), None)
    noun = Path(path).relative_to(home).parts[0] if home else ""
    return noun if noun in modules() else ""
