"""The values of placeholders: settings from conf/, numbers from results/, and of which model."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from embspace.cite.description import corpus_phrase
from embspace.cite.methods import MODEL, Listing, Methods, Number
from embspace.cite.wording import Absent, filled, listed
from embspace.errors import InputError, not_among
from embspace.settings.corpus import describe_corpus
from embspace.settings.model import Model, describe_model, model_file
from embspace.settings.params import CONF, PARAMS, Params, read_params
from embspace.settings.schema import read_yaml
from embspace.settings.stage import FROM_PARAMS, settings_path
from embspace.verify.contents import Cell, Contents, read_contents

Row = dict[str, Cell]


class Facts:
    """What the sentences of one analysis of one model say, in the tree of the current folder."""

    def __init__(self, methods: Methods, model_name: str) -> None:
        """Read params.yaml and the description of the model.

        Raises:
            InputError: if there is no such model, with those that there are.
        """
        self.methods = methods
        self.model_name = model_name
        # First, for outside of a tree there is no model to describe either.
        self.params: Params = read_params()
        self.model = described(model_name) if methods.of_one_model else None
        self._settings: dict[Path, dict[str, Any]] = {}
        self._contents: dict[Path, Contents] = {}
        self._corpora: dict[str, str] = {}

    def value(self, name: str) -> Any:
        """Of a placeholder of `Methods.sentences`.

        Raises:
            Absent: if the results of this model have no such row, or a setting is null.
            InputError: if a file or a key is not there.
        """
        methods = self.methods
        if name in methods.numbers:
            return self._number(methods.numbers[name])
        if name in methods.lists:
            return self._list(methods.lists[name])
        if name == MODEL and self.model:
            return self.model.label
        group, _, key = name.rpartition(".")
        verb, _, noun = group.partition(".")
        if group == "settings":
            verb, noun = methods.verb, methods.noun
        return self._setting(verb, noun, key)

    def _setting(self, verb: str, noun: str, key: str) -> Any:
        file = settings_path(verb, noun)
        if file not in self._settings:
            self._settings[file] = settings_with_params(file, self.params)
        if key not in self._settings[file]:
            raise InputError(f"{file}: key '{key}' is missing")
        if self._settings[file][key] is None:
            raise Absent(f"{file}: key '{key}' is null")
        return self._settings[file][key]

    def _number(self, number: Number) -> Any:
        column, rows = self._named(number.column), self._rows(number)
        where = f"{self._named(number.file)}, column '{column}'"
        values = [row[column] for row in rows if row.get(column) not in (None, "")]
        if not values:
            raise Absent(f"{where}: no value{_which(number)}")
        if number.take == "largest":
            return max(map(_parsed, values))
        if number.take == "distinct":
            return len(set(values))
        if len(set(values)) > 1:
            raise InputError(f"{where}: {len(set(values))} different values{_which(number)}")
        return _parsed(values[0])

    def _list(self, listing: Listing) -> str:
        rows = [row for row in self._rows(listing) if self._has_listed(row.get(listing.corpus))]
        if not rows:
            raise Absent(f"{self._named(listing.file)}: no row{_which(listing)}")
        phrases = (filled(listing.item, self._value_in(row, listing)) for row in rows)
        return listed(list(dict.fromkeys(phrases)))

    def _has_listed(self, corpus: Cell) -> bool:
        return corpus is None or corpus in self.params.corpora

    def _value_in(self, row: Row, listing: Listing) -> Callable[[str], Any]:
        def value(name: str) -> Any:
            if name in row:
                return _parsed(row[name])
            if name != "texts":
                raise InputError(f"{self._named(listing.file)}: no column '{name}'")
            return self._corpus(str(row[listing.corpus]))

        return value

    def _corpus(self, name: str) -> str:
        if name not in self._corpora:
            description = read_yaml(CONF / "corpus" / f"{name}.yaml")
            self._corpora[name] = corpus_phrase(describe_corpus(name, description))
        return self._corpora[name]

    def _rows(self, wanted: Number | Listing) -> list[Row]:
        path = Path(self._named(wanted.file))
        if self.model and self.model_name not in self.params.models and not path.is_file():
            raise InputError(
                f"{path}: not found; list '{self.model_name}' under `models` in {PARAMS}, "
                "then `dvc repro` makes it"
            )
        if path not in self._contents:
            self._contents[path] = read_contents(path).of_corpora(self.params.corpora)
        return [row for row in self._contents[path].rows if _is_wanted(row, wanted)]

    def _named(self, text: str) -> str:
        return text.replace("{model}", self.model_name)


def described(model_name: str) -> Model:
    """A model of conf/model/."""
    known = sorted(path.stem for path in (CONF / "model").glob("*.yaml"))
    if not known:
        raise InputError(f"{CONF / 'model'}: describes no model; expected files <name>.yaml")
    if model_name not in known:
        raise InputError(f"--model: {not_among(model_name, known)}")
    return describe_model(model_name, read_yaml(Path(model_file(model_name))))


def settings_with_params(file: Path, params: Params) -> dict[str, Any]:
    """The content of a settings file, and what every stage gets from params.yaml."""
    return {**read_yaml(file), **{key: getattr(params, key) for key in FROM_PARAMS}}


def _is_wanted(row: Row, wanted: Number | Listing) -> bool:
    for column, allowed in wanted.where.items():
        values = allowed if isinstance(allowed, list) else [allowed]
        if str(row.get(column)) not in map(str, values):
            return False
    return wanted.having is None or row.get(wanted.having) not in (None, "")


def _which(wanted: Number | Listing) -> str:
    parts = (
        f"{column} is {' or '.join(allowed) if isinstance(allowed, list) else allowed}"
        for column, allowed in wanted.where.items()
    )
    return f" where {' and '.join(parts)}" if wanted.where else ""


def _parsed(cell: Cell) -> Any:
    """A cell of a table as the number that it prints, if it does."""
    if not isinstance(cell, str):
        return cell
    try:
        number = float(cell)
    except ValueError:
        return cell
    return int(number) if number.is_integer() else number
