"""Holds the verdicts of the prose against those of the ledger."""

import re
import shlex
from collections.abc import Iterator

from tests.prose.marks import line_of
from tests.prose.results import Results

VERDICT = re.compile(r"\*\*(?P<word>[\w ]+)\*\*<!-- verdict (?P<statements>.+?) -->")
MEANS = {
    "present": {"matches"},
    "absent": {"differs"},
    "in part": {"undecided", "depends on the rule"},
    "undecided": {"undecided"},
}
"""Which verdicts of the ledger a word stands for."""


def verdicts_that_fail(text: str, results: Results) -> Iterator[str]:
    """Yield each statement of the ledger that a verdict of the page does not agree with."""
    for found in VERDICT.finditer(text):
        for statement in shlex.split(found["statements"]):
            verdicts = _verdicts(statement, results)
            if not verdicts or verdicts - MEANS.get(found["word"].lower(), set()):
                yield (
                    f"{line_of(text, found.start())}: **{found['word']}**: the ledger has "
                    f"{' and '.join(sorted(verdicts)) or 'nothing'} on {statement!r}"
                )


def _verdicts(statement: str, results: Results) -> set[str]:
    rows = results.table("ledger.csv").rows
    claims = [row for row in rows if row["kind"] == "claim"]
    return {str(row["verdict"]) for row in claims if str(row["statement"]).startswith(statement)}
