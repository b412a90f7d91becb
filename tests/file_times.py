"""Says how long each file of tests took, where that is long."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

LONG = 10.0  # seconds


def long_files(reports: Iterable[Any]) -> list[tuple[str, float]]:
    """Return the files whose tests took longer than `LONG`, with fixtures, the longest first."""
    seconds: dict[str, float] = defaultdict(float)
    for report in reports:
        if hasattr(report, "duration"):
            seconds[report.nodeid.partition("::")[0]] += report.duration
    slow = [(file, took) for file, took in seconds.items() if took > LONG]
    return sorted(slow, key=lambda each: -each[1])
