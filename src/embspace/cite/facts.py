"""The facts for a template: settings of conf/, cells of results/, the model."""

from functools import cached_property
from pathlib import Path
from typing import Any

from jinja2 import StrictUndefined, Undefined

from embspace.cite.description import corpus_phrase
from embspace.cite.methods import Methods
from embspace.cite.wording import pooled_as
from embspace.errors import InputError, not_among
from embspace.published.contents import Cell, Contents, read_contents
from embspace.settings.corpus import describe_corpus
from embspace.settings.find_description import LIST
from embspace.settings.model import Model, VectorsModel, describe_model, model_file
from embspace.settings.params import CONF, PARAMS, Params, read_params
from embspace.settings.schema import read_yaml
from embspace.settings.stage import FROM_PARAMS, settings_path

# The number of a model's positions: the file that has it, and there the key.
POSITIONS = {
    "results/regimes/<model>.json": "n_positions",
    "results/architecture/<model>.json": "<model>.n_positions",
}


# Tables of texts, with the last token if the first one sees no other; see `text_poolings`.
TEXTS = {
    "results/sentence_similarity/<model>.csv": "pooling",
    "results/search/<model>.csv": "embedding",
}


class NoResults(InputError):
    """Missing results of a sentence."""


class NoValue(InputError):
    """A missing value of a sentence."""


class Settings:
    """The keys of a settings file, read at the first access; keys with null are undefined."""

    def __init__(self, file: Path, params: Params) -> None:
        self.file = file
        self.params = params

    @cached_property
    def _content(self) -> dict[str, Any]:
        # Those too that a stage gets from params.yaml.
        return read_yaml(self.file) | {key: getattr(self.params, key) for key in FROM_PARAMS}

    def __getitem__(self, key: str) -> Any:
        if key not in self._content:
            raise InputError(f"{self.file}: key '{key}' is missing")
        if self._content[key] is None:
            return StrictUndefined(f"{self.file}: key '{key}' is null")
        return self._content[key]


class Facts:
    """The facts of an analysis of a model, in the tree of the current folder.

    In the name of a file or a column, <model> stands for the name of the model.
    """

    def __init__(self, methods: Methods, model_name: str) -> None:
        """Read params.yaml and the description of the model.

        Raises:
            InputError: if the model does not exist, with the existing names.
        """
        self.methods = methods
        self.model_name = model_name
        # First, for outside of a tree there is no model to describe either.
        self.params: Params = read_params()
        self.model = described(model_name) if methods.names_model else None

    def variables(self) -> dict[str, Any]:
        """Return the variables of a template; `model` is a label, and toys have none."""
        return {
            "settings": self.conf(self.methods.verb, self.methods.noun),
            "params": self.params,
            "conf": self.conf,
            "value": self.value,
            "values": self.values,
            "rows": self.rows,
            "pooled": self.pooled,
            "window_length": self.window_length,
            "window_overlap": self.window_overlap,
        } | ({"model": self.model.label} if self.model else {})

    def conf(self, verb: str, noun: str) -> Settings:
        """The settings of a stage."""
        return Settings(settings_path(verb, noun), self.params)

    def window_length(self) -> int:
        """Return the number of tokens read at once: the setting's, or fewer.

        The bounds are those of `largest_window`, which needs the model itself.
        """
        bounds = [self.conf("extract", "hidden_states")["window_length"]]
        if self.model is not None and not isinstance(self.model, VectorsModel):
            bounds += [self.model.window, self._n_positions()]
        return min(int(bound) for bound in bounds if bound)

    def window_overlap(self) -> int:
        """Return how many tokens two windows of a text share."""
        setting = self.conf("extract", "hidden_states")
        return int(setting["overlap"]) * self.window_length() // int(setting["window_length"])

    def _n_positions(self) -> int | None:
        """Return the rows of the learned positions, or the number in the config."""
        for file, column in POSITIONS.items():
            path = Path(self._named(file))
            counts = read_contents(path).rows if path.is_file() else ()
            n = next((row.get(self._named(column)) for row in counts), None)
            if n:
                return int(n)
        return None

    def pooled(self, file: str, column: str = "pooling", /) -> str:
        """Return in words by what the texts of a table are represented, in the order of poolings.

        Of a decoder, whose first token is no [CLS] and sees no other, this is said.
        """
        poolings = {*map(str, self.values(file, column))}
        tables = {path: name for path, name in TEXTS.items() if Path(self._named(path)).is_file()}
        tables[file] = column
        known = (self.rows(path, name) for path, name in tables.items())
        is_decoder = any(("last",) in rows for rows in known if not isinstance(rows, Undefined))
        return pooled_as(poolings, is_decoder=is_decoder)

    def value(self, file: str, column: str, /, **where: Any) -> Any:
        """The only value of a column of a table.

        Raises:
            InputError: if the column has several values.
        """
        values = self.values(file, column, **where)
        if isinstance(values, StrictUndefined):
            return values
        if len(values) > 1:
            place = self._place(file, column)
            raise InputError(f"{place}: {len(values)} different values{_which(where)}")
        return values[0]

    def values(self, file: str, column: str, /, **where: Any) -> list[Any] | StrictUndefined:
        """The different values of a column of a table."""
        rows = self.rows(file, column, **where)
        return rows if isinstance(rows, StrictUndefined) else [cell for (cell,) in rows]

    def rows(self, file: str, /, *columns: str, **where: Any) -> list[Any] | StrictUndefined:
        """The distinct rows of some columns, without rows with an empty cell.

        `where` has the allowed value, or list of values, of further columns. Without a matching row
        the result is undefined, and says so where a sentence needs the value.
        """
        rows = self._contents(file, *columns, *where).rows
        names = [self._named(column) for column in columns]
        cells = [[row.get(name) for name in names] for row in rows if _is_wanted(row, where)]
        whole = [tuple(map(_parsed, row)) for row in cells if not {None, ""} & set(row)]
        absent = StrictUndefined(f"{self._place(file, *columns)}: no value{_which(where)}")
        return list(dict.fromkeys(whole)) or absent

    def _contents(self, file: str, *columns: str) -> Contents:
        path = Path(self._named(file))
        if not path.is_file():
            is_listed = self.model is None or self.model_name in self.params.models
            before = (
                "" if is_listed else f"list '{self.model_name}' under `models` in {PARAMS}, then "
            )
            raise NoResults(f"{path}: not found; {before}`dvc repro` makes it")
        contents = read_contents(path)
        # A JSON file has the keys that there are values of.
        if path.suffix == ".csv" and (unknown := set(columns) - set(contents.columns)):
            raise InputError(f"{path}: no column '{min(unknown)}'")
        return contents.about_corpora(self.params.corpora)

    def _place(self, file: str, *columns: str) -> str:
        names = " and ".join(f"'{self._named(column)}'" for column in columns)
        return f"{self._named(file)}, column {names}"

    def _named(self, text: str) -> str:
        return text.replace("<model>", self.model_name)


def described(model_name: str) -> Model:
    """A model of conf/model/."""
    known = sorted(path.stem for path in (CONF / "model").glob("*.yaml"))
    if not known:
        raise InputError(f"{CONF / 'model'}: describes no model; expected files <name>.yaml")
    if model_name not in known:
        raise InputError(f"model: {not_among(model_name, known, LIST)}")
    return describe_model(model_name, read_yaml(Path(model_file(model_name))))


def described_corpus(name: str) -> str:
    """A corpus of conf/corpus/ in words."""
    return corpus_phrase(describe_corpus(name, read_yaml(CONF / "corpus" / f"{name}.yaml")))


def _is_wanted(row: dict[str, Cell], where: dict[str, Any]) -> bool:
    return all(str(row.get(column)) in _allowed(where[column]) for column in where)


def _which(where: dict[str, Any]) -> str:
    parts = (f"{column} is {' or '.join(_allowed(where[column]))}" for column in where)
    return f" where {' and '.join(parts)}" if where else ""


def _allowed(wanted: Any) -> list[str]:
    return [str(cell) for cell in (wanted if isinstance(wanted, list) else [wanted])]


def _parsed(cell: Cell) -> Any:
    """A cell of a table as a number, if printed as a number."""
    if not isinstance(cell, str):
        return cell
    try:
        number = float(cell)
    except ValueError:
        return cell
    return int(number) if number.is_integer() else number
