"""Tells whether positions are told from tokens, for Luisto's first question."""

from typing import Any

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import absent
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results

WORDS = {
    "raw": "Raw vectors",
    "unit_length": "Unit length",
    "centered_unit_length": "Centered, unit length",
}
TOLD = 0.9  # balanced accuracy, from which on a plane is said to tell the kinds
DRAWN_IN = "similarity"


def draw_separability(results: Results, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return whether a plane tells tokens from positions, and the table of preparations."""
    table = _table_of(results["json"])
    return _finding(table, label), _table(table, label, digits)


def _table_of(scores: dict[str, Any]) -> pd.DataFrame:
    rows = {key: {"preparation": WORDS[key], **row} for key, row in scores.items()}
    return pd.DataFrame.from_dict(rows, orient="index")


def _finding(table: pd.DataFrame, label: str) -> str:
    """Return the title: whether the plane separates the kinds, or only orders the kinds."""
    if table.empty:
        return f"{label} has no position embeddings to tell from tokens"
    best = table.sort_values("auc").iloc[-1]
    auc = _not_rounded_up(best["auc"])
    if best["auc"] <= best["null_auc"] + 2 * best["null_auc_standard_deviation"]:
        return f"Logistic regression does not tell positions from tokens: AUC {auc} at best"
    best = table.sort_values("balanced_accuracy").iloc[-1]
    finding = f"A plane tells {_percent(best['positional_recall'])} of positions from tokens"
    worst = table.sort_values("balanced_accuracy").iloc[0]
    if worst["balanced_accuracy"] >= TOLD:
        return f"{finding} ({best['preparation'].lower()})"
    return (
        f"{finding} ({best['preparation'].lower()}), that of {worst['preparation'].lower()} "
        f"{_percent(worst['positional_recall'])}, though its AUC is {_not_rounded_up(worst['auc'])}"
    )


def _percent(share: float) -> str:
    """Return a share in percent, with enough digits to tell it from 0 and from 100."""
    digits, least = 0, 100 * min(share, 1 - share)
    while least and least < 0.95 * 10**-digits:
        digits += 1
    return f"{100 * share:.{digits}f} %"


def _not_rounded_up(auc: float) -> str:
    """Return an AUC with enough digits to read 1 only if no pair is misordered."""
    digits = 2
    while auc < 1 and round(auc, digits) == 1:
        digits += 1
    return f"{auc:.{digits}f}"


def _table(table: pd.DataFrame, label: str, digits: int) -> str:
    body = f"{absent(label, 'positional')}\n"
    if len(table):
        body = section(
            "Held-out AUC and recall",
            "The null is the same with shuffled labels; the standard deviation is over folds. The "
            "AUC is of the order of the scores, by whatever cut; recalls and balanced accuracy, "
            "their mean, are those of the plane itself.",
            markdown_table(table, digits),
        )
    title = f"Telling token from position embeddings of {label}"
    return tables_page(title, "measure_separability", body)
