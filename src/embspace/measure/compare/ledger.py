"""Stage `measure_ledger`: every number and claim of the thesis, beside what is measured here."""

from collections.abc import Iterator
from math import nan
from pathlib import Path
from typing import Any

import pandas as pd

from embspace.files.scalars import save_scalars
from embspace.files.tables import save_table
from embspace.settings.stage import StageConfig, run_stage
from embspace.verify.claims import decide
from embspace.verify.published import Check, check_entry, is_given
from embspace.verify.sources import ANY_MODEL, Claim, Entry, Source, Undecided, read_source

COLUMNS = ["row", "kind", "section", "page", "question", "statement", "statistic"]
COLUMNS += ["published", "value", "low", "high", "null", "null_low", "null_high", "holds_if"]
COLUMNS += ["verdict", "reason"]
VERDICTS = {"agrees": "matches", "DIFFERS": "differs", "MISSING": "cannot be had"}


def measure_ledger(source: Source, model: str, results: Path) -> pd.DataFrame:
    """One row a printed number or claim, with the verdict on `model`.

    `kind` is number, claim or undecided. A number matches if ours rounds to what is printed. One
    that is about another model cannot be had from this one's results; what this one has in its
    place stands in `value`. A claim is decided by `holds_if` for every model, unless it names
    another `model`.
    """
    rows = [
        *(row for entry in source.entries for row in _number_rows(entry, model, results)),
        *(_claim_row(claim, model, results) for claim in source.claims),
        *(_undecided_row(item) for item in source.undecided),
    ]
    table = pd.DataFrame(rows, columns=COLUMNS[1:])
    table.insert(0, "row", range(1, len(table) + 1))
    return table


def count_verdicts(ledger: pd.DataFrame) -> dict[str, Any]:
    """How many rows of each kind have each verdict."""
    counts = ledger.groupby(["kind", "verdict"]).size()
    kinds = ledger["kind"].drop_duplicates()
    return {str(kind): {str(key): int(n) for key, n in counts[kind].items()} for kind in kinds}


def _number_rows(entry: Entry, model: str, results: Path) -> Iterator[dict[str, Any]]:
    for check in check_entry(entry, model, results):
        ours = pd.to_numeric(check.ours, errors="coerce")
        verdict, reason = VERDICTS[check.verdict], _why(check)
        if entry.model not in (model, ANY_MODEL):
            verdict, reason = "cannot be had", f"is about {entry.model}"
        elif entry.given and not is_given(entry, model, results):
            verdict, reason = "cannot be had", f"needs {entry.given.what}"
        yield {
            "kind": "number",
            "section": entry.section,
            "page": entry.page,
            "statement": check.quantity,
            "published": check.published,
            "value": ours,
            "verdict": verdict,
            "reason": reason,
        }


def _why(check: Check) -> str:
    return check.ours if check.verdict == "MISSING" else check.note


def _claim_row(claim: Claim, model: str, results: Path) -> dict[str, Any]:
    decision = decide(claim, model, results)
    evidence = decision.evidence
    return {
        "kind": "claim",
        "section": claim.section,
        "page": claim.page,
        "question": claim.question,
        "statement": claim.claim,
        "statistic": claim.statistic,
        "value": evidence.value,
        "low": evidence.low,
        "high": evidence.high,
        "null": evidence.null,
        "null_low": evidence.null_low,
        "null_high": evidence.null_high,
        "holds_if": claim.holds_if,
        "verdict": decision.verdict,
        "reason": decision.reason or claim.note,
    }


def _undecided_row(item: Undecided) -> dict[str, Any]:
    return {
        "kind": "undecided",
        "section": item.section,
        "page": item.page,
        "statement": item.quantity,
        "published": item.published,
        "value": pd.to_numeric(item.correct.replace(",", ""), errors="coerce")
        if item.correct
        else nan,
        "verdict": item.verdict,
        "reason": item.reason,
    }


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    source = read_source(Path("data/published/luisto_thesis.yaml"))
    table = measure_ledger(source, name, Path("results"), **config.settings)
    save_table(table, f"results/ledger/{name}.csv")
    save_scalars(count_verdicts(table), f"results/ledger/{name}.json")


if __name__ == "__main__":
    run_stage(main, measure_ledger)
