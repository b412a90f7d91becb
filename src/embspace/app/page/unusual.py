"""Says how far the numbers of a model lie from those of another model of the study."""

from collections.abc import Collection, Iterator
from filecmp import cmp
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from embspace.app.page.provenance import is_decoder
from embspace.errors import counted
from embspace.files.tables import load_table
from embspace.settings.params import CONF, PAIR, PARAMS, models_of
from embspace.settings.pipeline import read_stages
from embspace.settings.schema import read_yaml
from embspace.settings.stage import settings_path

ORDINARY = 0.25  # of two draws of random weights .22 at most, of 13 analyses
FEWEST = 3  # numbers of an analysis, for a median
# Quantities that say how much was measured, or what chance gives, and nothing of the model.
SIZE_OR_NULL = r"(?:n|dim)|null_\w+"


class Distance(NamedTuple):
    """The distance between two models in the numbers of an analysis."""

    share: float
    """The median of |a - b| / max(|a|, |b|), from 0 to 2."""
    n: int
    other: str
    """The other model's name for readers."""

    @property
    def sentence(self) -> str:
        """Return the distance in words; "" if two draws of random weights lie as far apart."""
        if self.share < ORDINARY:
            return ""
        return (
            f"beside {self.other}: of {counted(self.n, 'number')} half differ by more than "
            f"{100 * self.share:.0f} %"
        )


def distances_of(folder: Path, model: str, study: Path) -> dict[str, Distance]:
    """Return by noun how far a model's numbers lie from those of another model of a study.

    A model of the study is compared with the second model of a pair, by the results of the pair;
    a model of a tree with a further model of the tree, such as random weights; else with the
    first model with results among `models` in the study's params.yaml. If the tree in `folder`
    reads other texts than the study, only analyses that read no corpus are compared, the tree's own
    tables with the study's. But for a pair, a decoder is compared with decoders alone.
    A study without conf/compare/measures.yaml yields nothing, unless it has the pair.
    """
    is_alike = _reads_alike(folder, study)
    table = _pair_table(study, model) if is_alike else None
    if table is None and folder.resolve() != study.resolve():
        table = _beside_first(folder, model, folder, set())
    if table is None:
        table = _beside_first(folder, model, study, set() if is_alike else _on_corpora(study))
    if table is None:
        return {}
    other, rows = table
    rows = rows[~rows["quantity"].str.fullmatch(SIZE_OR_NULL)]
    rows = rows.dropna(subset=["model_value", "other_model_value"])
    largest = rows[["model_value", "other_model_value"]].abs().max(axis=1)
    shares = ((rows["model_value"] - rows["other_model_value"]).abs() / largest)[largest > 0]
    medians = shares.groupby(rows["noun"]).agg(["median", "size"])
    return {
        str(noun): Distance(float(median), int(size), other)
        for noun, median, size in medians.itertuples()
        if size >= FEWEST
    }


def _reads_alike(folder: Path, study: Path) -> bool:
    """Return whether a tree reads a study's texts: it is the study, or has the same corpora."""
    if folder.resolve() == study.resolve():
        return True
    corpora = _corpora(study)
    paths = [str(said["path"]) for said in corpora.values() if "path" in said]
    return _corpora(folder) == corpora != {} and all(
        _is_same(folder / path, study / path) for path in paths
    )


def _is_same(file: Path, other: Path) -> bool:
    """Return whether two files have the same bytes, or both are absent."""
    if not (file.is_file() and other.is_file()):
        return file.is_file() == other.is_file()
    return file.samefile(other) or cmp(file, other, shallow=False)


def _corpora(root: Path) -> dict[str, dict[str, Any]]:
    """Return the descriptions of the corpora of a tree; none without params.yaml."""
    names = (read_yaml(root / PARAMS).get("corpora") or []) if (root / PARAMS).is_file() else []
    return {name: _described(root, "corpus", name) for name in names}


def _on_corpora(study: Path) -> set[str]:
    """Return the analyses whose numbers depend on the corpora."""
    return {
        noun
        for stage in read_stages(study).values()
        if "corpora" in stage.entry.get("params", ())
        for noun in stage.nouns()
    }


def _pair_table(study: Path, model: str) -> tuple[str, pd.DataFrame] | None:
    """Return the other model and the table of a pair, preferring a pair with random weights."""
    pairs = dict[str, Path]()
    for file in sorted((study / "results/measures").glob(f"*{PAIR}*.csv")):
        names = models_of(file.stem)
        if model in names:
            pairs.setdefault(names[names[0] == model], file)
    if not pairs:
        return None
    other = min(pairs, key=lambda name: (not _is_random(study, name), name))
    return _label(study, other), load_table(str(pairs[other]))


def _beside_first(
    folder: Path, model: str, study: Path, without: Collection[str]
) -> tuple[str, pd.DataFrame] | None:
    """Return the first other model with results and a table of both, `without` some analyses."""
    from embspace.compare.measures import Source, compare_measures

    file = settings_path("compare", "measures", study)
    if not (file.is_file() and (study / PARAMS).is_file()):
        return None
    settings = read_yaml(file)
    named = [Source(**source) for source in settings["sources"]]
    sources = [source for source in named if source.noun not in without]
    for other in read_yaml(study / PARAMS).get("models") or []:
        tables = dict(_tables(sources, (folder, model), (study, other)))
        shared = [
            source.model_copy(update={"halves": None})
            for source in sources
            if source.file in tables
        ]
        if other != model and shared and _are_alike((folder, model), (study, other)):
            given = {"sources": shared, "level": settings["level"]}
            return _label(study, other), compare_measures(tables, {}, **given)["csv"]
    return None


def _are_alike(*models: tuple[Path, str]) -> bool:
    """Return whether all models are decoders, or none is, as far as this is known."""
    return len({_is_decoder(folder, model) for folder, model in models}) == 1


def _is_decoder(folder: Path, model: str) -> bool:
    described = _described(folder, "model", model)
    return bool(described) and is_decoder(folder, model, described)


def _tables(sources: list[Any], *sides: tuple[Path, str]) -> Iterator[tuple[str, Any]]:
    """Yield the tables of both models, by file, for sources of which both have rows."""
    for source in sources:
        files = [folder / source.file.format(model) for folder, model in sides]
        if not all(file.is_file() for file in files):
            continue
        tables = tuple(load_table(str(file)) for file in files)
        columns = {*source.keys, *source.quantities, *filter(None, [source.along])}
        if all(len(table) and columns <= {*table} for table in tables):
            yield source.file, tables


def _label(study: Path, model: str) -> str:
    return str(_described(study, "model", model).get("label") or model)


def _is_random(study: Path, model: str) -> bool:
    return _described(study, "model", model).get("source") == "random"


def _described(root: Path, kind: str, name: str) -> dict[str, Any]:
    """Return the description of a model or a corpus of a tree; empty without a description."""
    file = root / CONF / kind / f"{name}.yaml"
    return read_yaml(file) if file.is_file() else {}
