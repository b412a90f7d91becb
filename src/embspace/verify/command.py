"""Runs `embspace verify`, step by step."""

from pathlib import Path

from embspace.errors import InputError
from embspace.published.layers import rulings_on_layers
from embspace.published.numbers import check_published
from embspace.published.runs import rulings_on
from embspace.published.subjects import read_subject
from embspace.settings.params import models_of, read_params
from embspace.settings.roles import taken_roles
from embspace.verify.baselines import check_results, listed_models, update_baselines
from embspace.verify.drift import Drift, compare_all
from embspace.verify.expected import check_published_files, expected_results, with_missing
from embspace.verify.failures import (
    Outcome,
    count_drift,
    count_from_git,
    count_published,
    outcome_of,
)
from embspace.verify.provenance import FILE, other_bytes, update_provenance
from embspace.verify.report import Report
from embspace.verify.rules import read_tolerances


def verify_results(results: Path, *, update: bool, computed: bool, everything: bool) -> Outcome:
    """Compare, show and, with `update`, make the results the baseline.

    An update accepts drift, but no disagreement with a published number. With `computed`, a result
    from git is a failure. The report shows what does not agree, or `everything`.
    """
    results = _relative(results)
    params = read_params()
    # The results of a run or a pair have its name where others have a model's.
    models, corpora = [*params.models, *params.trained, *params.compared], params.corpora
    listed, trained = listed_models(params), params.trained
    check_results(results)
    check_published_files()
    drift = compare_all(results, models, listed, trained, corpora, read_tolerances())
    expected = expected_results(params)
    drift = with_missing(drift, expected)
    sources = check_published(results, [read_subject(name) for name in params.models], corpora)
    pairs = (models_of(pair)[0] for pair in params.compared)
    profiled = [read_subject(name) for name in dict.fromkeys([*params.profiled, *pairs])]
    rulings = [
        *rulings_on(results, trained, params.profiled, params.checkpointed),
        *rulings_on_layers(results, profiled, taken_roles(params.roles, corpora)),
    ]
    report = Report(everything=everything)
    report.show_counts(drift, sources, rulings)
    report.show_drift(drift)
    report.show_published(sources)
    report.show_rulings(rulings)
    if update:
        _check_complete(drift, expected)
        n_written, n_removed = update_baselines(results, models, listed)
        update_provenance(results, models, listed)
        report.show_update(n_written, n_removed, results / FILE)
    failures = {} if update else count_drift(drift)
    failures |= count_published(sources)
    if computed:
        failures |= count_from_git(drift)
    report.show_summary(drift, failures)
    outcome = outcome_of(failures)
    if outcome is Outcome.PASSED and not update and (changed := other_bytes(results)):
        report.show_other_bytes(changed)
    return outcome


def _relative(results: Path) -> Path:
    """Return the path relative to the current folder, to recognize results computed here."""
    return results.relative_to(Path.cwd()) if results.is_relative_to(Path.cwd()) else results


def _check_complete(drift: Drift, expected: list[Path]) -> None:
    """Stop before an update would drop the baseline of a result that was not made."""
    if drift.without_results:
        raise InputError(
            f"no results of {', '.join(drift.without_results)}: no baseline was changed; "
            "`dvc repro` makes them"
        )
    gone = [str(report.file) for report in drift.files if report.verdict == "MISSING"]
    if gone := [file for file in gone if Path(file) in expected]:
        raise InputError(
            f"no {', '.join(gone)}: no baseline was changed; `dvc repro` makes what dvc.yaml names"
        )
