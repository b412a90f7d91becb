"""Tells, with tables, how much of the vectors of a model's layers is due to word and to text."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.layers.profile_tables import Finding, profile_page, profiled_corpus
from embspace.draw.page.saving import Results

DRAWN_IN = "profile"
FINDING = Finding(
    "measure_context",
    "adjusted_self_similarity",
    "smallest",
    "{vectors} differ most between texts",
)
COLLAPSED = FINDING._replace(claim="{vectors} are nearly all alike, whatever their context,")
ALIKE = 0.99  # self-similarity, from which on an adjusted one near 0 says nothing of context


def is_collapsed(profiles: pd.DataFrame, corpus: str) -> bool:
    """Return whether tokens are all alike in the layer where they seem to depend most on context.

    A token in two texts is then as alike as any two tokens, for all are. Of the first corpus if
    `corpus` was not profiled.
    """
    rows = profiles[(profiles["space"] == "token") & (profiles["change"] == "as_is")]
    rows = rows[rows["corpus"] == profiled_corpus(rows, corpus)]
    values = rows.pivot_table(index="layer", columns="measure", values="value")
    if not {"self_similarity", "adjusted_self_similarity"} <= {*values}:
        return False
    smallest = values.sort_values("adjusted_self_similarity").iloc[0]
    return bool(smallest["self_similarity"] > ALIKE)


def draw_context(
    results: Results,
    label: str,
    *,
    measures: list[str],
    nulls: list[str],
    corpus: str,
    digits: NonNegativeInt,
) -> tuple[str, str]:
    """Return a sentence and tables, as `profile_page`."""
    return profile_page(
        results,
        label,
        COLLAPSED if is_collapsed(results["profiles"], corpus) else FINDING,
        measures=measures,
        nulls=nulls,
        corpus=corpus,
        digits=digits,
    )
