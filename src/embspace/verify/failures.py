"""Counts the failures of `embspace verify` by kind."""

from collections.abc import Mapping, Sequence
from enum import IntEnum

from embspace.published.numbers import SourceReport
from embspace.verify.drift import Drift

NO_RESULTS, NO_MODELS, NOT_FOUND = (
    "missing results",
    "models without results",
    "published numbers not found",
)


class Outcome(IntEnum):
    """The exit codes of `embspace verify`; 2 is the shell's for a wrong option."""

    PASSED = 0
    DRIFTED = 1
    NOT_COMPUTED = 3


def outcome_of(failures: Mapping[str, int]) -> Outcome:
    """Return whether something drifted, or is only not computed yet.

    A published number is not found for want of a result only where results are missing.
    """
    failed = {what for what, n in failures.items() if n}
    if not failed:
        return Outcome.PASSED
    lacking = failed & {NO_RESULTS, NO_MODELS}
    only_lacking = bool(lacking) and failed <= lacking | {NOT_FOUND}
    return Outcome.NOT_COMPUTED if only_lacking else Outcome.DRIFTED


def count_drift(drift: Drift) -> dict[str, int]:
    """Against the baselines."""
    return {
        "facts beyond tolerance": sum(
            len(f.comparison.drifted) for f in drift.files if f.comparison
        ),
        NO_RESULTS: sum(file.verdict == "MISSING" for file in drift.files),
        "results not in the baseline": sum(file.verdict == "EXTRA" for file in drift.files),
        NO_MODELS: len(drift.without_results),
    }


def count_published(sources: Sequence[SourceReport]) -> dict[str, int]:
    """Against published numbers."""
    checks = [check for source in sources for check in source.checks]
    return {
        "published numbers that differ": sum(check.verdict == "DIFFERS" for check in checks),
        NOT_FOUND: sum(check.verdict == "MISSING" for check in checks),
    }


def count_from_git(drift: Drift) -> dict[str, int]:
    """Count the results not computed in this tree."""
    return {"results from git": sum(file.computed_here is False for file in drift.files)}
