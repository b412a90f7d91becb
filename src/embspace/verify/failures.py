"""Counts, by kind, what makes `embspace verify` fail."""

from collections.abc import Sequence

from embspace.published.numbers import SourceReport
from embspace.verify.drift import Drift


def count_drift(drift: Drift) -> dict[str, int]:
    """Against the baselines."""
    return {
        "facts beyond tolerance": sum(
            len(f.comparison.drifted) for f in drift.files if f.comparison
        ),
        "missing results": sum(file.verdict == "MISSING" for file in drift.files),
        "results not in the baseline": sum(file.verdict == "EXTRA" for file in drift.files),
        "models without results": len(drift.without_results),
    }


def count_published(sources: Sequence[SourceReport]) -> dict[str, int]:
    """Against published numbers."""
    checks = [check for source in sources for check in source.checks]
    return {
        "published numbers that differ": sum(check.verdict == "DIFFERS" for check in checks),
        "published numbers not found": sum(check.verdict == "MISSING" for check in checks),
    }


def count_from_git(drift: Drift) -> dict[str, int]:
    """Results that were not computed in this tree."""
    return {"results from git": sum(file.computed_here is False for file in drift.files)}
