"""Tells which positions lie apart and where the norm changes, with tables."""

from typing import Any

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import (
    absent,
    counted,
)
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results

DRAWN_IN = "positions"
N_NAMED = 6  # outlying positions that the title names
OUTLYING_NOTE = "Single positions less like the ones beside them than others around are."
DISTRIBUTIONS_NOTE = "Over all positions or pairs and, where some are unstructured, without these."


def draw_regimes(results: Results, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return the positions apart and the number of regimes of the rest, and tables."""
    return _finding(results["positions"], results["json"]), _tables(results, label, digits)


def _finding(positions: pd.DataFrame, scalars: dict[str, Any]) -> str:
    if positions.empty:
        return "There are no position embeddings to look at"
    outlying = positions.loc[positions["outlying"].astype(bool), "position"]
    if not (len(outlying) or scalars["n_changes"]):
        return "No position lies apart, and nothing changes along them"
    named = f" ({', '.join(map(str, outlying))})" if 0 < len(outlying) <= N_NAMED else ""
    changes = counted(scalars["n_changes"], "change")
    lie = "lies" if len(outlying) == 1 else "lie"
    return (
        f"{counted(len(outlying), 'position')} of {len(positions)} {lie} "
        f"apart{named}; {changes} of regime along the others"
    )


def _tables(results: Results, label: str, digits: int) -> str:
    title, positions = f"Regimes of the position embeddings of {label}", results["positions"]
    if positions.empty:
        return tables_page(title, "measure_regimes", f"{absent(label, 'positional')}\n")
    outlying = results.for_readers("positions", positions[positions["outlying"].astype(bool)])
    tables = {
        ("Outlying positions", OUTLYING_NOTE): outlying,
        ("Regimes", _reliability(results["json"])): results.for_readers("summary"),
        ("Distributions", DISTRIBUTIONS_NOTE): results.for_readers("distributions"),
        ("Pairs of a token and a position", "Of the same positions."): results.for_readers(
            "token_distributions"
        ),
    }
    sections = [section(*head, markdown_table(rows, digits)) for head, rows in tables.items()]
    return tables_page(title, "measure_regimes", "\n".join(sections))


def _reliability(scalars: dict[str, Any]) -> str:
    if "penalty" not in scalars:
        return "Too few positions to look for changes."
    return (
        f"A change must lower the sum of squares by {scalars['penalty']:.4g}. Of "
        f"{counted(scalars['n_simulations'], 'simulated stationary table')}, "
        f"{100 * scalars['false_alarm_rate']:.1f} % had a change "
        f"(95 % interval {100 * scalars['false_alarm_rate_low']:.1f} to "
        f"{100 * scalars['false_alarm_rate_high']:.1f} %). Each regime was tested again by "
        "itself; p is the share of its stationary tables with as large a change."
    )
