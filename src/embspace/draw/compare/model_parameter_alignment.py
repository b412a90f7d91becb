"""Tells which layers of two models `compare_model_parameter_alignment` matched by parameters."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.markdown import (
    for_readers,
    interval,
    markdown_table,
    section,
    tables_page,
)
from embspace.draw.page.parameter_groups import GROUPS
from embspace.files.tables import Tables
from embspace.settings.params import models_of

DRAWN_IN = "measures"
STAGE = "compare_model_parameter_alignment"
SPACES = {"vocabulary": "Vocabulary", "raw": "Raw space"}
YES_NO = {"True": "yes", "False": "no"}


def draw_model_parameter_alignment(
    results: Tables, label: str, *, digits: NonNegativeInt
) -> tuple[str, str]:
    """Return whether layers are matched, and a table for each space.

    `label` is the name of the pair.
    """
    table = results["csv"].dropna(subset="group").drop_duplicates(["group", "space"])
    one, other = models_of(label)
    title = f"Layers of {one} and {other} matched by their parameters"
    if table.empty:
        reason = f"Not compared: {'; '.join(results['csv']['reason']) or 'no result'}."
        return _finding(table, one, other), tables_page(title, STAGE, f"{reason}\n")
    return _finding(table, one, other), tables_page(title, STAGE, _text(table, one, other, digits))


def _is_true(column: pd.Series) -> pd.Series:
    return column.astype(str) == "True"


def _finding(table: pd.DataFrame, one: str, other: str) -> str:
    if table.empty:
        return f"The layers of {one} and {other} cannot be matched by their parameters"
    by_space = dict(list(table.groupby("space")))
    above = {space: _is_true(rows["is_above_dealt_rows"]) for space, rows in by_space.items()}
    said = f"{above['vocabulary'].sum()} of {len(above['vocabulary'])} groups of parameters"
    if "raw" in by_space:
        said += f" (raw space: {above['raw'].sum()})"
    ordered = _is_true(by_space["vocabulary"]["is_in_order"]).sum()
    smallest = by_space["vocabulary"]["p_value_in_order"].min()
    return (
        f"Through the vocabulary, layers of {one} and {other} are more alike than dealt rows in "
        f"{said}; which layer is which can be told in {ordered} (smallest p of the order "
        f"{smallest:.2g})"
    )


def _text(table: pd.DataFrame, one: str, other: str, digits: int) -> str:
    keys = {"group": "parameters", "space": "space"}
    alike = keys | {
        "matches": f"layer of {other} for each of {one}",
        "mean_similarity": "mean similarity",
        **interval("null_mean_similarity", "dealt rows"),
        "margin": "margin",
        "holm_p_value": "p-value",
        "is_above_dealt_rows": "above dealt rows",
    }
    order = keys | {
        "in_order": "in order",
        **interval("null_in_order", "dealt rows"),
        "holm_p_value_in_order": "p-value",
        "p_value_in_order": "p-value of one test",
    }
    words = {"group": GROUPS, "space": SPACES}
    rows = table.assign(is_above_dealt_rows=table["is_above_dealt_rows"].astype(str).map(YES_NO))
    return "\n".join(
        [
            section(
                "Alike",
                "The assignment of layers with the largest total of mean |r|; margin: by how much "
                "the second best has less. P-values: by Holm's method over all groups and spaces; "
                "above dealt rows where it is at most 0.05. Layers that are alike to all layers of "
                "the other model suffice for that, whichever they are matched with. The rule was "
                "changed after the results, upon a reader's objection: at first each group was "
                "held to the range of dealt rows by itself.",
                markdown_table(for_readers(rows, alike, **words), digits),
            ),
            section(
                "Order",
                "Share of pairs of matches that stand in one order in both models, which says "
                "which layer is which; 0.5 at random.",
                markdown_table(for_readers(rows, order, **words), digits),
            ),
        ]
    )
