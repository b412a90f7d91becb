"""All results of the models in params.yaml against their baselines."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Literal

from embspace.errors import InputError
from embspace.files.atomic import computed_here
from embspace.verify.baselines import BASELINES, models_of, results_of
from embspace.verify.compare import Comparison, compare, unguarded
from embspace.verify.contents import Contents, read_contents
from embspace.verify.rules import TOLERANCES, Tolerances, rules_of

STIMULI = "stimuli"  # stands in the place of a corpus in what compares models, whatever params say
# "no baseline" where nobody has made one for the model: no failure.
Verdict = Literal["agrees", "DRIFTED", "MISSING", "EXTRA", "no baseline"]


@dataclass(frozen=True)
class FileReport:
    """What became of one result, or of a baseline whose result is missing."""

    file: Path
    verdict: Verdict
    comparison: Comparison | None
    computed_here: bool | None
    """None where there is no result."""


@dataclass(frozen=True)
class Drift:
    """What became of the results of some models."""

    files: tuple[FileReport, ...]
    without_baseline: tuple[str, ...]
    """Models with results and no baseline at all."""
    without_results: tuple[str, ...]
    """Models that were not run."""
    new_corpora: tuple[str, ...] = ()
    """Corpora that have results and no baseline; what is about them is not compared."""


def compare_all(
    results: Path, models: Collection[str], corpora: Collection[str], tolerances: Tolerances
) -> Drift:
    """Compare every result of `models`, and in it what is about `corpora`, with its baseline.

    Of tables that compare models, those pairs that have a baseline.

    Raises:
        InputError: for a malformed file, and for columns and keys that no rule names.
    """
    found = {file: read_contents(results / file) for file in results_of(results, models)}
    stored = {file: read_contents(BASELINES / file) for file in results_of(BASELINES, models)}
    _check_guarded(results, found, tolerances)
    stored = {
        file: contents.of_corpora({*corpora, STIMULI}).of_pairs(set(permutations(models, 2)))
        for file, contents in stored.items()
    }
    new = {corpus for file in stored for corpus in _new_corpora(file, found, stored)}
    found = {
        file: contents.of_corpora(contents.corpora - _new_corpora(file, found, stored)).of_pairs(
            stored[file].pairs if file in stored else contents.pairs
        )
        for file, contents in found.items()
    }
    known, present = _all_models(stored), _all_models(found)
    return Drift(
        files=tuple(
            _report(results, file, found.get(file), stored.get(file), known, tolerances)
            for file in sorted({*found, *stored})
        ),
        without_baseline=tuple(model for model in models if model in present - known),
        without_results=tuple(model for model in models if model not in present),
        new_corpora=tuple(corpus for corpus in corpora if corpus in new),
    )


def _new_corpora(
    file: Path, found: Mapping[Path, Contents], stored: Mapping[Path, Contents]
) -> set[str]:
    if file not in found or file not in stored:
        return set()
    return found[file].corpora - stored[file].corpora


def _report(
    results: Path,
    file: Path,
    found: Contents | None,
    stored: Contents | None,
    known: set[str],
    tolerances: Tolerances,
) -> FileReport:
    if found is None:
        return FileReport(file, "MISSING", None, None)
    here = computed_here(results / file)
    if stored is None:
        return FileReport(file, "EXTRA" if models_of(file) <= known else "no baseline", None, here)
    comparison = compare(stored, found, rules_of(tolerances, file))
    return FileReport(file, "DRIFTED" if comparison.drifted else "agrees", comparison, here)


def _all_models(files: Collection[Path]) -> set[str]:
    return {model for file in files for model in models_of(file)}


def _check_guarded(folder: Path, files: Mapping[Path, Contents], tolerances: Tolerances) -> None:
    lines = [
        f"{folder / file}: no rule names {', '.join(columns)}"
        for file, contents in files.items()
        if (columns := unguarded(contents, rules_of(tolerances, file)))
    ]
    if lines:
        advice = f"say in {TOLERANCES}, under `columns`, of which kind each of them is"
        raise InputError("\n".join([*lines, advice]))
