"""Tells which tokens two models have in common, from `compare_vocabularies`."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import count, percent
from embspace.draw.page.looks import TOKEN_KINDS, names
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results
from embspace.settings.params import models_of

DRAWN_IN = "measures"
STAGE = "compare_vocabularies"
DEFINITIONS = {
    "as_listed": "as listed",
    "marked": "text and start of word",
    "word_form": "text",
    "lower_case": "lower case",
}
LOOSEST = "lower_case"
KINDS = {"all": "all tokens"} | names(TOKEN_KINDS)
COUNTS = ("n", "other_n", "n_common", "jaccard_index")


def draw_vocabularies(results: Results, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return the share of tokens in both models, and tables by kind and by what has to agree.

    `label` is the name of the pair.
    """
    table, (one, other) = results["csv"], models_of(label)
    whole = results.for_readers(
        "csv",
        table[table["kind"] == "all"],
        ("definition", *COUNTS),
        definition=DEFINITIONS,
    )
    by_kind = results.for_readers(
        "csv", table[table["kind"] != "all"], definition=DEFINITIONS, kind=KINDS
    )
    page = tables_page(
        f"Vocabularies of {one} and {other}",
        STAGE,
        section(
            "Common tokens",
            "By what makes two the same; the Jaccard index is tokens of both over tokens of "
            "either.",
            markdown_table(whole, digits),
        ),
        section(
            "By kind",
            "The share of either model that is common, of the same kind, and the share that the "
            "other model has at all.",
            markdown_table(by_kind, digits),
        ),
    )
    return _finding(table, one, other), page


def _finding(table: pd.DataFrame, one: str, other: str) -> str:
    """Return the share of tokens that both models have, by the strictest and the loosest rule."""
    if table.empty:
        return f"The vocabularies of {one} and {other} cannot be compared: one has no tokenizer"
    rows = table[table["kind"] == "all"].to_dict("records")
    by_definition = {row["definition"]: row for row in rows}
    as_listed, loosest = by_definition["as_listed"], by_definition[LOOSEST]
    if (table["jaccard_index"] == 1).all():
        return f"{one} and {other} have the same {count(as_listed['n'])} tokens"
    return (
        f"{one} and {other} share {percent(as_listed['jaccard_index'])} of their tokens as listed, "
        f"{percent(loosest['jaccard_index'])} as lower-case text"
    )
