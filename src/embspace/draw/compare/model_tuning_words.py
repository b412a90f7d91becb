"""Tells which words of a list the changes between two models write."""

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
STAGE = "compare_model_tuning_words"
NOTE = (
    "Share: of changed rows with more words of the list than 95 % of random vectors have, beside "
    "random lists of words alike in norm and place in the vocabulary. Mean: of the words of the "
    "list among the strongest of a change, beside all changes turned by one random matrix, and "
    "beside embeddings of other words in the place of changes. Present means above all ranges, "
    "absent above neither of the first two. The null of other words was added after a trial with "
    "planted changes, before any pair of models was read."
)


def draw_model_tuning_words(
    results: Tables, label: str, *, digits: NonNegativeInt
) -> tuple[str, str]:
    """Return in which groups words of the list are present, and tables. `label` names the pair."""
    table = results["csv"].dropna(subset="group")
    one, other = models_of(label)
    title = f"Words of a list that changes from {one} to {other} write"
    if table.empty:
        reason = f"Not measured: {'; '.join(results['csv']['reason'].dropna()) or 'no result'}."
        return _finding(table, one, other), tables_page(title, STAGE, f"{reason}\n")
    return _finding(table, one, other), tables_page(title, STAGE, *_sections(results, digits))


def _finding(table: pd.DataFrame, one: str, other: str) -> str:
    if table.empty:
        return f"Changes from {one} to {other} were not read as words of a list"
    present = table[table["verdict"] == "present"]
    strongest = table.sort_values("share", kind="stable").iloc[-1]
    return (
        f"Changes from {one} to {other} write words of the list in {len(present)} of "
        f"{len(table)} groups of parameters; most changes above random vectors: "
        f"{strongest['share']:.2f} ({_group(strongest['group'])}; random lists up to "
        f"{strongest['null_lists_high']:.2f})"
    )


def _group(name: object) -> str:
    return GROUPS.get(str(name), str(name))


def _sections(results: Tables, digits: int) -> list[str]:
    table = results["csv"].dropna(subset="group")
    counts = {
        "share": "share above",
        **interval("null_lists", "random lists"),
        "mean_listed": "mean",
        **interval("null_turned", "turned changes"),
    }
    first = table.iloc[0]
    note = (
        f"{int(first['n_listed_tokens'])} of {int(first['n_list'])} words of the list are "
        f"tokens. {NOTE}"
    )
    columns = {"group": "parameters", "n_vectors": "changes", **counts}
    columns |= {**interval("null_words", "other words"), "verdict": "verdict"}
    groups = section("Groups", note, _shown(table, columns, digits))
    columns = {"group": "parameters", "layer": "layer", "n_vectors": "changes", **counts}
    layers = section("Layers", "", _shown(results["layers"], columns, digits))
    cards = {"group": "parameters", "layer": "layer", "vector": "row", "sign": "sign"}
    cards |= {"n_listed": "words of the list", "tokens": "strongest words"}
    shown = section("Change of most words", "", _shown(results["layers"], cards, digits))
    return [groups, layers, shown]


def _shown(rows: pd.DataFrame, columns: dict[str, str], digits: int) -> str:
    named = rows.assign(group=[_group(name) for name in rows["group"]])
    return markdown_table(for_readers(named, columns), digits)
