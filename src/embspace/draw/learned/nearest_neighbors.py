"""Tells the most frequent neighbor in the clouds of a model, with tables of its neighbors."""

import numpy as np
import pandas as pd
from pydantic import NonNegativeInt, PositiveInt

from embspace.draw.page.canvas import count, percent
from embspace.draw.page.looks import CLOUDS, SPACES, names
from embspace.draw.page.markdown import (
    DISTRIBUTION,
    code,
    for_readers,
    markdown_table,
    same,
    section,
    tables_page,
)
from embspace.draw.page.saving import Results
from embspace.draw.page.token_kinds import drawable

VECTORS = "data/extracted/embeddings.safetensors"
FURTHER_RESULTS = ("data/extracted/embeddings.safetensors",)
DRAWN_IN = "similarity"
SUMMARY = {**same("cloud", "quantity", "k"), **DISTRIBUTION, "skewness": "skewness"}


def draw_nearest_neighbors(
    results: Results, label: str, *, n_hubs: PositiveInt, digits: NonNegativeInt
) -> tuple[str, str]:
    """Return which vector is a neighbor of how many, and tables of neighbors."""
    return _finding(results), _tables(results, label, n_hubs, digits)


def _finding(results: Results) -> str:
    """Return the first non-zero hub, and the hubs of length zero before it."""
    n = results["summary"].groupby("cloud")["n"].max()
    hubs, k = results["hubs"], int(results["occurrence"]["k"].max())
    hubs = hubs[hubs["cloud"] == hubs["cloud"].iloc[0]]
    is_zero = np.array([_is_zero(row, results[VECTORS]) for _, row in hubs.iterrows()])
    number = int(is_zero.argmin())
    first, zeros = hubs.iloc[number], [_hub(row) for _, row in hubs[:number].iterrows()]
    beside = f"; {', '.join(zeros)}, of length zero, left out" if zeros else ""
    return (
        f"The vector of {_hub(first)} is among the {k} nearest by distance of "
        f"{count(first['k_occurrence'])} of {count(n[first['cloud']])} vectors, "
        f"{percent(first['k_occurrence'] / n[first['cloud']])}{beside}"
    )


def _is_zero(row: pd.Series, vectors: dict[str, np.ndarray]) -> bool:
    """Return whether a hub is a vector of length zero, in a cloud of vectors as they are."""
    return "centered" not in row["cloud"] and not vectors[row["space"]][int(row["id"])].any()


def _hub(row: pd.Series) -> str:
    if row["space"] == "positional":
        return f"position {row['id']}"
    return drawable(str(row["token"]))


def _tables(results: Results, label: str, n_hubs: int, digits: int) -> str:
    summary = results["summary"]
    summary = summary.assign(quantity=summary["quantity"].str.replace("_", " "))
    shown = for_readers(summary, SUMMARY, cloud=names(CLOUDS))
    sections = [
        section(
            "Distances and k-occurrences",
            "To the nearest and the last neighbor kept; how often a vector is among the k "
            "nearest of others. The skewness of the latter is the cloud's hubness.",
            markdown_table(shown, digits),
        ),
    ]
    for cloud, rows in results["hubs"].groupby("cloud", sort=False):
        first = rows[:n_hubs].fillna({"token": ""})
        first = first.assign(token=[code(token) if token else "" for token in first["token"]])
        body = markdown_table(results.for_readers("hubs", first, space=names(SPACES)), 0)
        title = f"Hubs: {CLOUDS[str(cloud)].name}"
        sections.append(section(title, "The most frequent neighbors.", body))
    title = f"Nearest neighbors in the clouds of {label}"
    return tables_page(title, "measure_nearest_neighbors", *sections)
