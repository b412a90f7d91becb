"""Tells how learned matrices change over training, from `measure_checkpoints`."""

from collections.abc import Mapping

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import QUANTITIES
from embspace.draw.page.looks import CLOUDS, SPACES
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results
from embspace.draw.runs.steps import LEAST, last_rows, moves, rise_of, with_runs

STAGE = "measure_checkpoints"
DRAWN_IN = "training"
SHOWN = ("norm", "cosine")


def draw_checkpoints(results: Results, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return in how many models norms and cosines rise, and tables of the last checkpoints."""
    table = results["csv"] if results["csv"].empty else with_runs(results["csv"], label)
    groups = _groups(table)
    moving = {name: rows for name, rows in groups.items() if _moves(rows)}
    still = [name for name in groups if name not in moving]
    return _finding(moving), tables_page("Checkpoints", STAGE, *_tables(table, still, digits))


def _groups(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the rows of norms and cosines by run, and by phase from the second on."""
    groups = dict[str, pd.DataFrame]()
    if len(table):
        rows = table[table["quantity"].isin(SHOWN) & table["space"].isin(SPACES)]
        for (run, phase), phase_rows in rows.groupby(["run", "phase"], sort=False):
            groups[f"{run}, {phase}" if str(run) in groups else str(run)] = phase_rows
    return groups


def _moves(rows: pd.DataFrame) -> bool:
    by_quantity = rows.groupby("quantity")
    return any(
        moves(rows_of_quantity, "mean", ["seed", "space"]) for _, rows_of_quantity in by_quantity
    )


def _finding(shown: Mapping[str, pd.DataFrame]) -> str:
    """Return in how many models the mean norm and cosine of token embeddings rise."""
    if not shown:
        return "Training moves no learned matrix"
    rows = pd.concat(shown.values())
    rows = rows[rows["space"] == next(iter(SPACES))]
    said = [
        f"mean {QUANTITIES[quantity]} of token embeddings in "
        + rise_of(rows[rows["quantity"] == quantity], "mean", "model")
        for quantity in SHOWN
    ]
    return f"Training raises the {' and the '.join(said)}"


def _tables(table: pd.DataFrame, still: list[str], digits: int) -> list[str]:
    """Return the last checkpoint of each phase: norms of tokens, then all statistics."""
    if table.empty:
        return ["None.\n"]
    last = last_rows(table[table["quantity"].isin(SHOWN)])
    token_norms = last[(last["space"] == next(iter(SPACES))) & (last["quantity"] == SHOWN[0])]
    last = last.assign(space=[(CLOUDS | SPACES)[space].name for space in last["space"]])
    columns = ["run", "seed", "phase", "step", "n", "mean", "standard_deviation"]
    words = f"Within {LEAST:.0%} of the largest at all steps: {', '.join(still)}."
    return [
        section(
            "Norms of token embeddings, the last checkpoint of each phase",
            words if still else "",
            markdown_table(token_norms[columns], digits),
        ),
        section(
            "All statistics",
            "As `measure_similarity` has it for any model.",
            markdown_table(last, digits),
        ),
    ]
