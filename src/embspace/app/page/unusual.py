"""Says how far the numbers of a model lie from those of another one that the study has."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from embspace.errors import counted
from embspace.files.tables import load_table
from embspace.settings.params import CONF, PAIR, PARAMS
from embspace.settings.schema import read_yaml
from embspace.settings.stage import settings_path

FEWEST = 3  # numbers of an analysis, for a median


class Distance(NamedTuple):
    """How far the numbers of one analysis are apart."""

    share: float
    """The median of |a - b| / max(|a|, |b|), from 0 to 2."""
    n: int
    other: str
    """The other model, for readers."""

    @property
    def told(self) -> str:
        """Return the distance in words."""
        return (
            f"beside {self.other}: {counted(self.n, 'number')} of this analysis differ by "
            f"{100 * self.share:.0f} % in the median"
        )


def distances_of(folder: Path, model: str, study: Path) -> dict[str, Distance]:
    """Return by noun how far a model's numbers lie from those of another model of a study.

    The other one is the first under `models` in the study's params.yaml with results; a model of
    the study itself is held against the other side of its pair, from the results of the pair.
    """
    table = _of_pair(study, model)
    if table is None:
        table = _beside_first(folder, model, study)
    if table is None:
        return {}
    other, rows = table
    rows = rows.dropna(subset=["model_value", "other_model_value"])
    largest = rows[["model_value", "other_model_value"]].abs().max(axis=1)
    shares = ((rows["model_value"] - rows["other_model_value"]).abs() / largest)[largest > 0]
    medians = shares.groupby(rows["noun"]).agg(["median", "size"])
    return {
        str(noun): Distance(float(median), int(size), other)
        for noun, median, size in medians.itertuples()
        if size >= FEWEST
    }


def _of_pair(study: Path, model: str) -> tuple[str, pd.DataFrame] | None:
    """Return the other model and the table of a pair, one with random weights first."""
    files = (study / "results/measures").glob(f"{model}{PAIR}*.csv")
    others = sorted(file.stem.removeprefix(f"{model}{PAIR}") for file in files)
    others.sort(key=lambda other: _described(study, other).get("source") != "random")
    for other in others:
        return _label(study, other), load_table(
            f"{study}/results/measures/{model}{PAIR}{other}.csv"
        )
    return None


def _beside_first(folder: Path, model: str, study: Path) -> tuple[str, pd.DataFrame] | None:
    from embspace.compare.measures import Source, compare_measures

    settings = read_yaml(settings_path("compare", "measures", study))
    for other in read_yaml(study / PARAMS).get("models") or []:
        sources = [Source(**source) for source in settings["sources"]]
        tables = dict(_tables(sources, (folder, model), (study, other)))
        shared = [
            source.model_copy(update={"halves": None})
            for source in sources
            if source.file in tables
        ]
        if other != model and shared:
            level = settings["level"]
            return _label(study, other), compare_measures(tables, {}, sources=shared, level=level)
    return None


def _tables(sources: list[Any], *sides: tuple[Path, str]) -> Iterator[tuple[str, Any]]:
    """Yield the tables of both models, by file, of sources that both have rows of."""
    for source in sources:
        files = [folder / source.file.format(model) for folder, model in sides]
        if not all(file.is_file() for file in files):
            continue
        tables = tuple(load_table(str(file)) for file in files)
        columns = {*source.keys, *source.quantities, *filter(None, [source.along])}
        if all(len(table) and columns <= {*table} for table in tables):
            yield source.file, tables


def _label(study: Path, model: str) -> str:
    return str(_described(study, model).get("label") or model)


def _described(study: Path, model: str) -> dict[str, Any]:
    file = study / CONF / "model" / f"{model}.yaml"
    return read_yaml(file) if file.is_file() else {}
