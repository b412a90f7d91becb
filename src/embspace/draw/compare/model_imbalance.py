"""Tells which of two models holds more of the other, from `compare_model_imbalance`."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import sentence_case
from embspace.draw.page.looks import corpus_looks
from embspace.draw.page.markdown import interval, markdown_table, same, section, tables_page
from embspace.settings.params import models_of

DRAWN_IN = "measures"
STAGE = "compare_model_imbalance"
NO_TEXT = "Both models have read too few texts in common"
COLUMNS = {
    **same("layer", "other_layer"),
    **interval("to_other", "to the other model"),
    **interval("from_other", "from the other model"),
    **interval("asymmetry", "difference"),
    "null_smallest": "least of shuffled texts",
}


def draw_model_imbalance(
    results: dict[str, pd.DataFrame], label: str, *, digits: NonNegativeInt
) -> tuple[str, str]:
    """Return which model holds more of the other, and a table of all layers for every corpus.

    `label` is the name of the pair.
    """
    table, (one, other) = results["csv"], models_of(label)
    return _finding(table, one, other), _tables(table, one, other, digits)


def _last(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of both last layers."""
    is_last = table["layer"] == table["layer"].max()
    return table[is_last & (table["other_layer"] == table["other_layer"].max())]


def _finding(table: pd.DataFrame, one: str, other: str) -> str:
    if table.empty:
        return f"{one} and {other} cannot be compared"
    last = _last(table)
    sampled = last[last["asymmetry_low"].notna()]
    clear = {
        (one, other): sampled[sampled["asymmetry_high"] < 0],
        (other, one): sampled[sampled["asymmetry_low"] > 0],
    }
    clauses = [
        f"{holder} holds more of {held} than the other way round: "
        f"{', '.join(corpus_looks([corpus])[corpus].name for corpus in rows['corpus'])}"
        for (holder, held), rows in clear.items()
        if len(rows)
    ]
    if not clauses:
        return f"At the last layer, neither {one} nor {other} clearly holds more of the other"
    return f"At the last layer, {'; '.join(clauses)}"


def _tables(table: pd.DataFrame, one: str, other: str, digits: int) -> str:
    title = f"Information imbalance of {one} and {other}"
    if table.empty:
        return tables_page(title, STAGE, f"{NO_TEXT}.\n")
    note = (
        f"`layer` is of {one}, `other_layer` of {other}. The difference is of the two directions: "
        f"below 0 {one} holds more of {other} than {other} of it. Sentences made for other stages "
        "have no interval."
    )
    columns = {"corpus": "corpus", "n": "n", **COLUMNS}
    parts = [
        section("Last layers", note, markdown_table(_shown(_last(table), columns), digits)),
        *(
            section(
                f"{sentence_case(corpus_looks([str(corpus)])[str(corpus)].name)}: all layers",
                "",
                markdown_table(_shown(rows, COLUMNS), digits),
            )
            for corpus, rows in table.groupby("corpus", sort=False)
        ),
    ]
    return tables_page(title, STAGE, *parts)


def _shown(rows: pd.DataFrame, columns: dict[str, str]) -> pd.DataFrame:
    return rows[[*columns]].rename(columns=columns)
