"""Writes the tables of what moved between two models, as Markdown."""

import numpy as np
import pandas as pd

from embspace.draw.page.canvas import count, percent, sentence_case
from embspace.draw.page.looks import corpus_looks
from embspace.draw.page.markdown import (
    folded,
    for_readers,
    interval,
    markdown_table,
    section,
)
from embspace.draw.page.parameter_groups import GROUPS

ALL = "all"
NAMES = {
    **GROUPS,
    "norm": "norms",
    "bias": "biases",
    "other": "other vectors",
    "token_embedding": "token embeddings",
    "position_embedding": "position embeddings",
    "segment_embedding": "segment embeddings",
    "output_embedding": "output embeddings",
    "masked_head": "masked head",
    "pooler": "pooler",
    ALL: "all weights",
}
READINGS = {"word_embeddings": "token embeddings", "masked_head": "masked head"}


def place_of(row: pd.Series) -> str:
    """Return a group with its layer, in words."""
    name = NAMES.get(row["group"], str(row["group"]))
    if pd.isna(row["layer"]):
        return name
    layers = layers_of(row)
    return f"{name} of layer{'s' if not layers.isdigit() else ''} {layers}"


def layers_of(row: pd.Series) -> str:
    """Return the layers of a row, of a column that tables read as numbers."""
    value = row["layers"]
    return f"{value:g}" if isinstance(value, float) else str(value)


def changes_table(table: pd.DataFrame, n_shown: int, digits: int) -> str:
    """Return the parts that moved most and, behind a fold, all parts."""
    columns = {
        "place": "weights",
        "relative_change": "relative change",
        "relative_change_rounding": "rounded to bfloat16",
        "relative_change_dealt": "rows dealt anew",
        "rows": "rows that differ",
        "rank": "rank",
        "participation_ratio": "directions that share it",
        "random_participation_ratio": "of a random change",
    }
    more = {
        "verdict": "verdict",
        "first_share": "share of the first direction",
        "overlap": "overlap with W",
        "random_overlap": "of random directions",
    }
    rows = [
        f"{count(row['n_rows_changed'])} of {count(row['n_rows'])}" for _, row in table.iterrows()
    ]
    places = [sentence_case(place_of(row)) for _, row in table.iterrows()]
    sizes = ("relative_change", "relative_change_rounding", "relative_change_dealt")
    words = {size: [_percent(value) for value in table[size]] for size in sizes}
    named = table.assign(place=places, rows=rows, **words)
    order = table.sort_values("relative_change", ascending=False, kind="stable").index
    order = named.loc[order[table.loc[order, "verdict"] != "identical"]]
    note = (
        "The relative change is |W' − W| / |W|; beside it stand that of W rounded to bfloat16 and "
        "that of the rows of W' in random order. A change's rank counts singular values above what "
        "rounding of the stored weights leaves; the participation ratio of their squares says over "
        "how many directions it is spread."
    )
    first = markdown_table(for_readers(order.head(n_shown), columns), digits)
    page = section("Largest changes", note, first)
    rest = markdown_table(for_readers(named, columns | more), digits)
    note = (
        "Layer by layer. The overlap is the mean squared cosine of the principal angles between "
        "the first directions of the change and of W."
    )
    return page + "\n" + folded(section("All weights", note, rest))


def _percent(share: float) -> str:
    return "–" if np.isnan(share) else percent(share)


def words_table(table: pd.DataFrame, n_shown: int, digits: int) -> str:
    """Return the words of the first directions of each change; "" without a direction."""
    if table.empty:
        return ""
    columns = {
        "place": "change",
        "side": "what it does",
        "tokens": "words",
        "opposite_tokens": "words of the negation",
        "share": "share of the change",
        "coherence": "cosine of the words",
        "random_coherence_high": "of random directions, upper bound",
        "reading": "read by",
    }
    places = [
        f"{sentence_case(place_of(row))}, direction {row['direction']}"
        for _, row in table.iterrows()
    ]
    named = table.assign(place=places, reading=table["reading"].map(READINGS))
    named["share"] = [percent(share) for share in table["share"]]
    named = named.sort_values("is_coherent", ascending=False, kind="stable")
    note = (
        "The first directions of each change by its singular values, the tokens of highest score "
        "first. Rows whose words are more alike than those of random directions stand first; of "
        "others the words say little."
    )
    first = section(
        "What the change reads and writes",
        note,
        markdown_table(for_readers(named.head(n_shown), columns), digits),
    )
    more = named.iloc[n_shown:]
    if more.empty:
        return first
    rest = markdown_table(for_readers(more, columns), digits)
    return first + "\n" + folded(section("Other directions", "In the same order.", rest))


def tokens_table(table: pd.DataFrame) -> str:
    """Return the tokens that moved most; "" without a moved token."""
    if table.empty:
        return ""
    columns = {
        "token": "token",
        "relative_change": "relative change",
        "times_median": "times the median token's",
        "cosine": "cosine with itself before",
        "norm": "norm",
        "other_norm": "norm after",
    }
    note = "The tokens whose embeddings moved most for their length."
    return section("Tokens that moved most", note, markdown_table(for_readers(table, columns), 3))


def states_table(table: pd.DataFrame, digits: int) -> str:
    """Return the cosines of the states of the same texts by layer; "" without states."""
    if table.empty:
        return ""
    columns = {
        "corpus": "texts",
        "layer": "layer",
        **interval("cosine", "cosine of a text with itself"),
        "other_cosine": "of two texts",
        "n": "n",
    }
    note = (
        "The mean state of a text in one model beside its mean state in the other, and beside that "
        "of other texts. It has a meaning where both started from the same weights."
    )
    named = {corpus: look.name for corpus, look in corpus_looks(table["corpus"]).items()}
    shown = markdown_table(for_readers(table, columns, corpus=named), digits)
    return section("States of the same texts", note, shown)
