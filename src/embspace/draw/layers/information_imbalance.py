"""Tells how much one layer holds of another, from `measure_information_imbalance`."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import counted, sentence_case
from embspace.draw.page.looks import POOLINGS, corpus_looks
from embspace.draw.page.markdown import interval, markdown_table, same, section, tables_page
from embspace.draw.page.saving import Results

STAGE = "measure_information_imbalance"
DRAWN_IN = "profile"
SHOWN = "mean"  # the pooling of the finding and of the first table
NO_TEXT = "No corpus has enough documents"
COLUMNS = {
    **same("layer"),
    **interval("value", "to the last layer"),
    **interval("back", "from the last layer"),
    **interval("asymmetry", "difference"),
    "null_smallest": "least of shuffled documents",
    "random_weights_value": "to the last layer, random weights",
}


def draw_information_imbalance(
    results: Results, label: str, *, digits: NonNegativeInt
) -> tuple[str, str]:
    """Return how many layers hold more of the last than it holds of them; a table per corpus."""
    return _finding(results["csv"]), _tables(results["csv"], label, digits)


def _against_last(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows from earlier layers to the last, with the value of the way back as `back`."""
    last = table["other_layer"].max()
    there = table[table["other_layer"] == last]
    back = table[table["layer"] == last].drop(columns="layer")
    back = back.rename(
        columns={
            "other_layer": "layer",
            "value": "back",
            "low": "back_low",
            "high": "back_high",
            "random_weights_value": "random_weights_back",
        }
    )
    keys = ["corpus", "pooling", "layer"]
    kept = [*keys, "back", "back_low", "back_high", "random_weights_back"]
    named = there.rename(columns={"low": "value_low", "high": "value_high"})
    return named.merge(back[kept], on=keys)


def _finding(table: pd.DataFrame) -> str:
    if table.empty:
        return "No documents to compare the layers by"
    rows = _against_last(table[table["pooling"] == SHOWN])
    if rows.empty:
        return "There is no layer before the last to compare by mean pooling"
    more, less = int((rows["asymmetry_high"] < 0).sum()), int((rows["asymmetry_low"] > 0).sum())
    n = counted(len(rows), "earlier layer")
    if not more + less:
        return (
            "By mean pooling no earlier layer surely holds more of the last layer than the last "
            "layer holds of it, or less"
        )
    return (
        f"By mean pooling {more} of {n} of all corpora hold surely more of the last layer than it "
        f"holds of them, {less} surely less"
    )


def _name(corpus: str) -> str:
    return sentence_case(corpus_looks([corpus])[corpus].name)


def _tables(table: pd.DataFrame, label: str, digits: int) -> str:
    title = f"Information imbalance of the layers of {label}"
    if table.empty:
        return tables_page(title, STAGE, f"{NO_TEXT}.\n")
    names = {name: look.name for name, look in POOLINGS.items()}
    ordered = table.sort_values("pooling", key=lambda column: column != SHOWN, kind="stable")
    level = f"{100 * table['level'].iloc[0]:g} %"
    note = (
        "Information imbalance: the mean rank of the nearest neighbor, 0: the layer holds all of "
        f"the other, 1: nothing; with {level} intervals over documents. "
    )
    parts = [
        section(
            f"{_name(str(corpus))}, {names[str(pooling)]}",
            f"{note if not number else ''}Each layer and the last one. The difference is of the "
            "two directions: below 0 the layer holds more of the last than the last of it. "
            "Shuffled: documents of the last.",
            markdown_table(rows[[*COLUMNS]].rename(columns=COLUMNS), digits),
        )
        for number, ((corpus, pooling), rows) in enumerate(
            _against_last(ordered).groupby(["corpus", "pooling"], sort=False)
        )
    ]
    return tables_page(title, STAGE, *parts)
