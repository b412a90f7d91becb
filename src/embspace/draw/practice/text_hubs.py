"""Tells whether texts are neighbors of unusually many, from `measure_text_hubs`."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.saving import Results
from embspace.draw.page.sections import page_of_parts
from embspace.draw.practice.names import VERSIONS

STAGE = "measure_text_hubs"
DRAWN_IN = "transforms"
SURE = 0.05
NONE = "Too few texts to have hubs"


def draw_text_hubs(results: Results, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return whether hubs stand out of a Gaussian cloud, and the tables."""
    table = results["hubness"]
    plain = table[table["version"] == "cosine"]
    return _finding(plain), _tables(results, label, digits)


def _finding(plain: pd.DataFrame) -> str:
    """Return the sentence on the corpus of the smallest p, which counts for all corpora."""
    if plain.empty:
        return NONE
    order = plain.sort_values(["p_value", "skewness"], ascending=[True, False], kind="stable")
    first = order.iloc[0]
    named = corpus_called(first["corpus"])
    values = f"hubness {first['skewness']:.2f} against {first['null_skewness']:.2f}"
    if first["p_value_of_all"] <= SURE:
        return f"Hubs of {named} exceed those of Gaussian clouds: {values}"
    return f"No corpus has surely larger hubs than Gaussian clouds; {named}: {values}"


def _tables(results: Results, label: str, digits: int) -> str:
    shown, tasks = results.for_readers("hubness"), results.for_readers("tasks")
    shown["similarity"] = shown["similarity"].map(VERSIONS)
    tasks["vectors"] = tasks["vectors"].map(VERSIONS)
    hubness = (
        "Hubness",
        "Skewness of how often a text is among the ten nearest of others; null: Gaussian clouds of "
        "equal mean and covariance.",
        shown,
    )
    costs = (
        "What remedies change",
        "Differences are from the plain cosine, paired over documents.",
        tasks,
    )
    return page_of_parts(f"Hubs of texts in {label}", STAGE, digits, hubness, costs)
