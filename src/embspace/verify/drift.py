"""Compares all results of the models in params.yaml with the baselines."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from embspace.errors import InputError
from embspace.files.atomic import computed_here
from embspace.published.contents import Contents, read_contents
from embspace.published.roles import in_roles
from embspace.published.sources import read_sources
from embspace.settings.params import read_params
from embspace.verify.baselines import BASELINES, SEVERAL, ListedModels, results_of
from embspace.verify.compare import Comparison, compare, unguarded
from embspace.verify.corpora import Corpora, comparable, corpora_before, is_whole, left_out
from embspace.verify.rules import TOLERANCES, Tolerances, rules_of

# "no baseline" where nobody has made one for the model, "not compared" where that was made with
# other corpora, which enter everything: no failures.
Verdict = Literal["agrees", "DRIFTED", "MISSING", "EXTRA", "no baseline", "not compared"]
ContentsByFile = Mapping[Path, Contents]


@dataclass(frozen=True)
class FileReport:
    """The outcome for a result, or for a baseline without a result."""

    file: Path
    verdict: Verdict
    comparison: Comparison | None
    computed_here: bool | None
    """None without a result."""


@dataclass(frozen=True)
class Drift:
    """The outcome for the results of some models."""

    files: tuple[FileReport, ...]
    without_baseline: tuple[str, ...]
    """Models, runs and pairs with results and no baseline at all."""
    without_results: tuple[str, ...]
    """Models, runs and pairs without any result."""
    new_corpora: tuple[str, ...] = ()
    """Corpora with results but without a baseline; their rows are not compared."""
    changed_corpora: tuple[Corpora, ...] = ()
    """The lists of corpora in which params.yaml differs from the baselines of a model."""
    left_out: tuple[tuple[Path, str], ...] = ()
    """The parts of results not compared, since all corpora enter."""


def compare_all(
    results: Path,
    models: Collection[str],
    listed: ListedModels,
    trained: Collection[str],
    corpora: Sequence[str],
    tolerances: Tolerances,
) -> Drift:
    """Compare every result of `models`, in it every row about `corpora`, with the baseline.

    Results of single models are compared only for models in `listed`. In a table of models and
    runs, the profiled models and the `trained` runs count. Runs and pairs of models are among
    `models` too.

    Raises:
        InputError: for a malformed file, and for columns and keys without a rule.
    """
    current, stored = (
        {file: read_contents(folder / file) for file in results_of(folder, models, listed)}
        for folder in (results, BASELINES)
    )
    _check_guarded(results, current, tolerances)
    named = {*listed.get("profiled", ()), *trained}
    stored = {file: _rows_about(file, contents, named) for file, contents in stored.items()}
    current = {
        file: _rows_about(file, contents, stored[file].names) if file in stored else contents
        for file, contents in current.items()
    }
    # A model's own baselines may lack where those of tables about several models are there.
    known = {file.stem for file in stored if file.parts[0] not in SEVERAL}
    present = {file.stem for file in current}
    changed = _changed_corpora(current, stored, corpora)
    new = {name for file in changed for name in current[file].corpora if changed[file].is_new(name)}
    current, stored = (_comparable(files, changed) for files in (current, stored))
    whole = {file for file in changed if is_whole(file)}
    return Drift(
        files=tuple(
            FileReport(file, "not compared", None, computed_here(results / file))
            if file in whole
            else _report(results, file, current.get(file), stored.get(file), known, tolerances)
            for file in sorted({*current, *stored})
        ),
        without_baseline=tuple(model for model in models if model in present - known),
        without_results=tuple(model for model in models if model not in present),
        new_corpora=tuple(corpus for corpus in corpora if corpus in new),
        changed_corpora=tuple(dict.fromkeys(changed.values())),
        left_out=tuple((file, what) for file in sorted(changed) if (what := left_out(file))),
    )


def _rows_about(file: Path, contents: Contents, names: Collection[str]) -> Contents:
    """Return the rows about `names` of a table about several models; all of any other table."""
    return contents.about_names(names) if file.parts[0] in SEVERAL else contents


def _changed_corpora(
    current: ContentsByFile, stored: ContentsByFile, now: Sequence[str]
) -> dict[Path, Corpora]:
    """Return the lists of corpora, for results whose baselines were made with other corpora."""
    changed: dict[Path, Corpora] = {}
    for name in {file.stem for file in stored}:
        files = sorted(file for file in stored if file.stem == name)
        lists = Corpora(corpora_before([stored[file] for file in files], now), tuple(now))
        if lists.changed:
            changed |= {file: lists for file in files if file in current}
    return changed


def _comparable(files: ContentsByFile, changed: Mapping[Path, Corpora]) -> dict[Path, Contents]:
    sources = (
        [in_roles(source, read_params().roles) for source in read_sources()] if changed else []
    )
    return {
        file: comparable(file, contents, changed[file], sources) if file in changed else contents
        for file, contents in files.items()
    }


def _report(
    results: Path,
    file: Path,
    current: Contents | None,
    stored: Contents | None,
    known: set[str],
    tolerances: Tolerances,
) -> FileReport:
    if current is None:
        return FileReport(file, "MISSING", None, None)
    here = computed_here(results / file)
    if stored is None:
        return FileReport(file, "EXTRA" if file.stem in known else "no baseline", None, here)
    comparison = compare(stored, current, rules_of(tolerances, file))
    return FileReport(file, "DRIFTED" if comparison.drifted else "agrees", comparison, here)


def _check_guarded(folder: Path, files: Mapping[Path, Contents], tolerances: Tolerances) -> None:
    lines = [
        f"{folder / file}: no rule names {', '.join(columns)}"
        for file, contents in files.items()
        if (columns := unguarded(contents, rules_of(tolerances, file)))
    ]
    if lines:
        advice = f"say in {TOLERANCES} of which kind each is, under `columns`, or for one "
        advice += "folder of results under `files`"
        raise InputError("\n".join([*lines, advice]))
