"""Tells which measures of layers go together, from `measure_redundancy`."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import counted
from embspace.draw.page.measure_names import name_of
from embspace.draw.page.saving import Results
from embspace.draw.page.sections import page_of_parts

STAGE = "measure_redundancy"
DRAWN_IN = "profile"
SURE = 0.05
N_NAMED = 2  # pairs in the sentence
NONE = "Too few layers to tell which measures go together"


def draw_redundancy(results: Results, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return how many pairs of measures go together beyond random walks, and the tables."""
    return _finding(results["csv"]), _tables(results, label, digits)


def _finding(table: pd.DataFrame) -> str:
    if table.empty:
        return NONE
    sure = table[table["adjusted_p_value"] <= SURE]
    start = f"Of {counted(len(table), 'pair')} of measures, {len(sure) or 'none'}"
    rest = "over the layers beyond two random walks"
    if sure.empty:
        return f"{start} go together {rest}"
    named = [
        f"{name_of(row['measure'])} and {name_of(row['other_measure'])} ({row['spearman']:.2f})"
        for _, row in sure.head(N_NAMED).iterrows()
    ]
    verb = "goes" if len(sure) == 1 else "go"
    return f"{start} {verb} together {rest}: {'; '.join(named)}"


def _tables(results: Results, label: str, digits: int) -> str:
    shown = results.for_readers("csv")
    for column in ("measure", "other measure"):
        shown[column] = [name_of(str(name)) for name in shown[column]]
    return page_of_parts(
        f"Measures that say the same in {label}",
        STAGE,
        digits,
        (
            "Rank correlation over layers",
            "Mean over clouds (a corpus and a kind of vectors each); of steps: of changes from "
            "layer to layer. p by random walks with a measure's own steps, adjusted for all pairs.",
            shown,
        ),
        (
            "Beside other models",
            "Rank correlation of the correlations above with another model's; p by measures dealt "
            "anew.",
            results.for_readers("models"),
        ),
    )
