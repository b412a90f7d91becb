"""Finds what a page can be about besides a model: the runs, pairs and corpora of a tree."""

import re
from pathlib import Path
from typing import NamedTuple

from embspace.errors import did_you_mean
from embspace.settings.own import called
from embspace.settings.params import CONF, NAME, PAIR, PARAMS, models_of
from embspace.settings.schema import read_yaml

FOLDERS = {"model": "model", "run": "train", "corpus": "corpus"}  # of conf/, by kind
PLURALS = {"model": "models", "run": "runs", "pair": "pairs", "corpus": "corpora"}


class Named(NamedTuple):
    """A model, a run, a pair or a corpus, with the label in figures."""

    kind: str
    name: str
    label: str

    @property
    def command(self) -> str:
        """Return the command for computing the results."""
        if self.kind == "model":
            return f"embspace report {self.name}"
        if self.kind == "pair":
            model, other = models_of(self.name)
            entry, key = f"{self.name}: {{model: {model}, other_model: {other}}}", "compared"
        else:
            entry, key = self.name, {"run": "trained", "corpus": "corpora"}[self.kind]
        return f"embspace run  # with `{entry}` under `{key}` in {PARAMS}"


def names_of(root: Path) -> dict[str, Named]:
    """Return all subjects of a page, by name; for a name with two subjects, the model, or the run.

    Pairs are the pairs of params.yaml, and pairs with results of models in conf/model/.
    """
    subjects = dict[str, Named]()
    labels = dict[str, str]()
    for kind, folder in FOLDERS.items():
        for file in sorted((root / CONF / folder).glob("*.yaml")):
            if re.fullmatch(NAME, file.stem):
                label = str(read_yaml(file).get("label", file.stem))
                subjects.setdefault(file.stem, Named(kind, file.stem, label))
                if kind == "model":
                    labels[file.stem] = label
    pairs = {*(read_yaml(root / PARAMS).get("compared") or {})}
    pairs |= {file.stem for file in (root / "results").glob(f"*/*{PAIR}*.csv")}
    for pair in sorted(pairs):
        model, other = models_of(pair)
        if model in labels and other in labels:
            is_clear = labels[model] != labels[other]
            sides = [labels[side] if is_clear else side for side in (model, other)]
            subjects[pair] = Named("pair", pair, " and ".join(sides))
    return subjects


def called_in(root: Path, kind: str, name: str) -> str:
    """Return what the user calls a model or corpus that a tree describes, as `called` does."""
    file = root / CONF / FOLDERS[kind] / f"{name}.yaml"
    return called(name, read_yaml(file) if file.is_file() else {})


def listed_names(root: Path) -> list[Named]:
    """Return the models, runs, pairs and corpora of params.yaml, and further names with results."""
    params = read_yaml(root / PARAMS)
    keys = ("models", "trained", "compared", "corpora")
    listed = {str(name) for key in keys for name in params.get(key) or ()}
    # A table or a page of its own: results/x/minilm.csv, results/x/y/minilm.csv.
    listed |= {file.stem for file in (root / "results").rglob("*.csv")}
    names = [named for named in names_of(root).values() if named.name in listed]
    return sorted(names, key=lambda named: [*PLURALS].index(named.kind))


def unknown(typed: str, root: Path) -> str:
    """Return an addition to the message on an unknown name: computed runs, pairs and corpora."""
    names = [named for named in listed_names(root) if named.kind != "model"]
    meant = did_you_mean(typed, [named.name for named in names])
    parts = (
        f"{plural}: {', '.join(named.name for named in names if named.kind == kind) or 'none'}"
        for kind, plural in PLURALS.items()
        if kind != "model"
    )
    return f"\nor a page of what is computed{meant or ':'}\n  " + "\n  ".join(parts)
