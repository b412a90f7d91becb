"""Declares an analysis once: inputs, tables and columns.

A declaration stands beside the function of its stage, src/embspace/<verb>/<chapter>/<noun>.py. The
stage takes from it the files to load and save, and empty tables; `python -m embspace.graph` writes
files from it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pandas as pd

from embspace.files.rows import load_rows
from embspace.files.scalars import load_scalars, save_scalars
from embspace.files.tables import Row, load_table, save_table
from embspace.files.tensors import load_tensors
from embspace.settings.model import describe_model
from embspace.settings.params import PAIR, TOY, models_of, read_params
from embspace.settings.run import describe_run
from embspace.settings.stage import StageConfig

Column = str | tuple[str, str]
"""The kind of a column in tolerances.yaml, alone or with the heading for readers."""
Outcome = dict[str, Any]
"""Results by the name of the table; a file without a name stands under the suffix."""
ROW = "row"  # the kind of a column that tells rows apart
SCALARS, TABLE = "json", "csv"  # the names of the scalars, and of a table without a name
PIN = "data/prepared/model/{model}.json"  # changes when a file of the model does
FOLDERS = {"project": "data/projected", "measure": "data/measured"}  # of what is too large for git
LOADERS: Mapping[str, Callable[[str], Any]] = {
    ".csv": load_table,
    ".json": load_scalars,
    ".parquet": load_rows,
    ".safetensors": load_tensors,
}
ITEMS = {"trained": "run", "compared": "pair"}  # of lists in params.yaml; all others have models


def place(path: str, name: str, settings: Mapping[str, Any] | None = None) -> str:
    """Return a declared path with the name of a model, run or pair, and with settings."""
    model, _, other = name.partition(PAIR)
    names = {"model": model, "other_model": other, "run": name, "pair": name}
    return path.format_map({**(settings or {}), **names})


@dataclass(frozen=True)
class Table:
    """The columns of a table, by name or by pattern: `quantile_*` are all quantiles in settings.

    A column without a heading is not shown to readers. A heading may belong to one column of an
    earlier pattern; the column then keeps the pattern's place in the order.
    """

    columns: Mapping[str, Column]
    compared: Sequence[str] = ()
    """The columns for comparing two models."""
    along: str = ""
    """The number that orders compared rows of the same keys, such as a layer."""

    @property
    def kinds(self) -> dict[str, str]:
        """Return the kinds of the columns or patterns."""
        return {
            name: column if isinstance(column, str) else column[0]
            for name, column in self.columns.items()
        }

    @property
    def keys(self) -> list[str]:
        """Return the columns that identify compared rows."""
        return [name for name, kind in self.kinds.items() if kind == ROW and name != self.along]

    @property
    def headings(self) -> dict[str, str]:
        """Return the headings for readers, in the order of columns; a null follows its quantity."""
        headings = {
            name: column[1] for name, column in self.columns.items() if not isinstance(column, str)
        }
        place = {name: number for number, name in enumerate(headings)}
        beside = sorted(place, key=lambda name: place.get(name.removeprefix("null_"), place[name]))
        return {name: headings[name] for name in beside}

    def of(self, rows: Iterable[Row] | pd.DataFrame = ()) -> pd.DataFrame:
        """Return rows as this table: all columns in order, NaN for a missing value.

        Raises:
            ValueError: if a row has a column that is not declared.
        """
        table = pd.DataFrame(rows if isinstance(rows, pd.DataFrame) else list(rows))
        places = {str(name): self._place(str(name)) for name in table}
        if unknown := [name for name, place in places.items() if place is None]:
            raise ValueError(f"columns that are not declared: {', '.join(unknown)}")
        if not len(table):
            return pd.DataFrame(columns=[name for name in self.columns if "*" not in name])
        for number, name in enumerate(self.columns):
            if self._place(name) == number and "*" not in name:
                places.setdefault(name, number)
        return table.reindex(columns=sorted(places, key=lambda name: places[name] or 0))

    def _place(self, name: str) -> int | None:
        """Return the number of a column's first name or pattern."""
        numbered = enumerate(self.columns)
        return next((number for number, column in numbered if fnmatchcase(name, column)), None)


@dataclass(frozen=True)
class Source:
    """The source of an argument, if the suffix of a path does not say how to load it."""

    load: Callable[..., Any]
    """Takes the paths, then name and description, then the lists, if given."""
    path: str | Sequence[str] = ()
    """A path, or several; folders are allowed."""
    lists: Sequence[str] = ()
    """The lists in params.yaml, or settings, for the loader."""
    described: bool = False
    """Whether name and description of the model or run, or both names of a pair, go with paths."""
    named: Sequence[str] = ()
    """Further files that the loader reads because files of `path` name them."""

    @property
    def paths(self) -> list[str]:
        """All paths."""
        return [self.path] if isinstance(self.path, str) else [*self.path]

    @property
    def is_described(self) -> bool:
        """Whether the loader takes name and description; without a path, always."""
        return self.described or not self.path


def _description(config: StageConfig) -> Any:
    if config.pair:
        return models_of(config.pair)
    run, model = (config.train_name, config.train), (config.model_name, config.model)
    return describe_run(*run) if config.train else describe_model(*model)


def _as_source(source: str | Source) -> Source:
    return source if isinstance(source, Source) else Source(LOADERS[Path(source).suffix], source)


@dataclass(frozen=True)
class Analysis:
    """An analysis.

    In paths, {model} stands for the name of a model, or for `toy`; {run} for that of a run; {pair}
    for that of two models, {model} and {other_model}; {<key>} for the value of a setting.
    """

    noun: str
    question: str
    """The question in the row of docs/analyses.md; empty for an analysis without a row."""
    reads: Mapping[str, str | Source]
    """Argument of the function -> the file to load, or a `Source`."""
    tables: Mapping[str, Table] = field(default_factory=dict)
    scalars: Mapping[str, str] = field(default_factory=dict)
    """Key of the JSON file, or pattern of keys -> kind."""
    data: Mapping[str, Callable[[Any, str], None]] = field(default_factory=dict)
    """Suffix of a file too large for git -> the function for saving the file."""
    verb: str = "measure"
    over: str = "models"
    """The list in params.yaml with the models, runs or pairs of the stage; empty without any."""
    undrawn: Sequence[str] = ()
    """Results not in the figure; all of an analysis without a figure."""
    further_figures: Mapping[str, str] = field(default_factory=dict)
    """Noun of a further figure of these results -> name of the figure in docs/analyses.md."""

    @property
    def stage(self) -> str:
        """The name of the stage."""
        return f"{self.verb}_{self.noun}"

    @property
    def is_drawn(self) -> bool:
        """Whether the results have a figure."""
        return not self.outputs.keys() <= {*self.undrawn}

    @property
    def outputs(self) -> dict[str, str]:
        """The paths of the results by name."""
        folder, item = f"results/{self.noun}", f"{{{self.item}}}"
        inner = {name: "" if name == TABLE else f"{name}/" for name in self.tables}
        paths = {name: f"{folder}/{inner[name]}{item}.csv" for name in self.tables}
        large = f"{FOLDERS.get(self.verb)}/{self.noun}/{item}"
        scalars = {SCALARS: f"{folder}/{item}.json"} if self.scalars else {}
        return paths | scalars | {suffix: f"{large}.{suffix}" for suffix in self.data}

    @property
    def item(self) -> str:
        """The kind of the items of `over`: model, run or pair."""
        return ITEMS.get(self.over, "model")

    def deps(self) -> Iterator[str]:
        """Yield the files to read."""
        pin = [PIN] if self.item == "model" else []
        for source in self.sources.values():
            yield from [*source.paths, *source.named] or pin

    @property
    def sources(self) -> dict[str, Source]:
        """Return the sources of the arguments."""
        return {argument: _as_source(source) for argument, source in self.reads.items()}

    @property
    def lists(self) -> list[str]:
        """Return the lists of params.yaml that the analysis takes."""
        return sorted({name for source in self.sources.values() for name in source.lists})

    @property
    def is_described(self) -> bool:
        """Return whether the stage reads the description or the files of its model or run."""
        described = any(source.is_described for source in self.sources.values())
        return self.item != "pair" and (described or PIN in self.deps())

    def main(self, function: Callable[..., Outcome]) -> Callable[[StageConfig], None]:
        """Return the stage's `main`: load the inputs, call the function, save the results."""

        def main(config: StageConfig) -> None:
            name = config.model_name or config.train_name or config.pair
            # A stage's config has models and corpora alone, as the command line has them.
            lists = {*self.lists} - {*config.settings}
            params = vars(config) if lists <= vars(config).keys() else vars(read_params())
            given = {**params, **config.settings}
            arguments = self.load(name, lambda: _description(config), given=given)
            self.save(function(**arguments, **config.settings), name or TOY)

        return main

    def load(
        self,
        name: str,
        describe: Callable[[], Any],
        folder: Path = Path(),
        given: Mapping[str, Any] | None = None,
    ) -> Outcome:
        """Return the arguments of the function, from below a folder.

        `name` and `describe` are of a model, run or pair; `given` has lists and settings.
        """
        arguments = {}
        for argument, source in self.sources.items():
            paths = [str(folder / place(path, name, given)) for path in source.paths]
            description = [name, describe()] if source.is_described else []
            lists = [(given or {})[key] for key in source.lists]
            arguments[argument] = source.load(*paths, *description, *lists)
        return arguments

    def save(self, outcome: Outcome, name: str, folder: Path = Path()) -> None:
        """Save the results of the function under the name of a model, below a folder.

        Raises:
            ValueError: if a result is not declared, or a declared result is missing.
        """
        if wrong := outcome.keys() ^ self.outputs.keys():
            raise ValueError(f"{self.stage}: results unlike the declared ones: {sorted(wrong)}")
        for result, path in self.outputs.items():
            target = str(folder / place(path, name))
            if result in self.tables:
                save_table(self.tables[result].of(outcome[result]), target)
            elif result == SCALARS:
                save_scalars(outcome[SCALARS], target)
            else:
                self.data[result](outcome[result], target)

    def empty(self, **scalars: Any) -> Outcome:
        """Return results without rows, for a model that lacks the vectors."""
        tables = {name: table.of() for name, table in self.tables.items()}
        nothing = {"parquet": pd.DataFrame(), "safetensors": {}}
        large = {suffix: nothing[suffix] for suffix in self.data}
        return {**tables, **({SCALARS: scalars} if self.scalars else {}), **large}

    @property
    def headings(self) -> dict[str, dict[str, str]]:
        """The headings for readers by table."""
        return {name: table.headings for name, table in self.tables.items() if table.headings}
