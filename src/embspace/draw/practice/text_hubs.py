"""Tells whether few texts are neighbors of most, with tables, from `measure_text_hubs`."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.saving import Results
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
    if plain.empty:
        return NONE
    first = plain.iloc[int(plain["skewness"].to_numpy().argmax())]
    named = corpus_called(first["corpus"])
    values = f"hubness {first['skewness']:.2f} against {first['null_skewness']:.2f}"
    if first["p_value"] <= SURE:
        return f"Few {named} are neighbors of most: {values} in Gaussian clouds"
    return f"Hubs of {named} are no larger than those of Gaussian clouds: {values}"


def _tables(results: Results, label: str, digits: int) -> str:
    shown, tasks = results.for_readers("hubness"), results.for_readers("tasks")
    shown["similarity"] = shown["similarity"].map(VERSIONS)
    tasks["vectors"] = tasks["vectors"].map(VERSIONS)
    hubness = section(
        "Hubness",
        "Skewness of how often a text is among the ten nearest of others; null: Gaussian clouds of "
        "equal mean and covariance.",
        markdown_table(shown, digits),
    )
    costs = section(
        "What remedies change",
        "Differences are from the plain cosine, paired over documents.",
        markdown_table(tasks, digits),
    )
    return tables_page(f"Texts that are neighbors of most in {label}", STAGE, hubness, costs)
