"""Writes the tables of `measure_differences` for readers: Luisto's tables 6 and 7."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from embspace.draw.page.looks import TEXT_POOLINGS
from embspace.draw.page.markdown import folded, markdown_table, section, significant
from embspace.draw.page.saving import Results

VALUES = ("cosine", "corrected_cosine", "random_weights_cosine", "p_value", "q_value")
COSINES = ("category_1", "category_2", *VALUES)
BIAS = ("layer", "pooling", *VALUES)


def difference_tables(results: Results, label: str, n_listed: int, digits: int) -> str:
    """Return tables 7 and 6 and, behind a fold, cosines with intervals and the bias by layer."""
    summary = results["json"]
    where = f"Layer {summary['layer']}, {TEXT_POOLINGS[summary['pooling']].name}."
    cosines = at(results["cosines"], summary)
    by_size = cosines.sort_values("cosine", key=abs, ascending=False, kind="stable")
    more = [
        section(
            "Cosines with intervals",
            f"{where} {_how_many(n_listed, len(cosines))}. "
            "Corrected for attenuation by the reliabilities of both means; may exceed 1. p, "
            "two-sided, against differences of unrelated sentences of like lengths; q over "
            "all cosines of the layer and pooling.",
            _cosines(results, by_size[:n_listed], COSINES, digits),
        ),
        section(
            "Bias by layer",
            _bias_note(summary),
            _cosines(results, _bias(results["cosines"], summary), BIAS, digits),
        ),
    ]
    return "\n".join(
        [
            f"# Differences of sentence pairs in {label}\n\nStage `measure_differences`. A "
            "difference is the second sentence minus the first, so that `female-male` points "
            "from female to male.\n",
            section(
                "Cosines of the mean differences",
                f"{where} Categories that are alike stand beside each other.",
                markdown_table(_matrix_rows(cosines), 2),
            ),
            section(
                "Example pairs",
                f"The first of each category. {where}",
                markdown_table(results.for_readers("examples"), digits),
            ),
            folded("\n".join(more)),
        ]
    )


def at(table: pd.DataFrame, summary: dict[str, Any]) -> pd.DataFrame:
    """Return the rows of the layer and the pooling that are shown."""
    chosen = table["layer"] == summary["layer"]
    return table[chosen & (table["pooling"] == summary["pooling"])]


def cosine_matrix(cosines: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return a column as a symmetric matrix of the categories, without a diagonal.

    Average linkage of 1 minus the size of the cosine orders the rows: categories of the same or of
    opposite directions are neighbors.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    names = list(dict.fromkeys([*cosines["category_1"], *cosines["category_2"]]))
    values = {name: pd.DataFrame(np.nan, names, names) for name in {"cosine", column}}
    for name, matrix in values.items():
        for one, two, value in cosines[["category_1", "category_2", name]].to_numpy():
            matrix.loc[one, two] = matrix.loc[two, one] = value
    if len(names) > 2:
        distances = 1 - values["cosine"].abs().fillna(0).to_numpy(np.float64)
        np.fill_diagonal(distances, 0)
        tree = linkage(squareform(distances), "average", optimal_ordering=True)
        names = [names[number] for number in leaves_list(tree)]
    return values[column].loc[names, names]


def _matrix_rows(cosines: pd.DataFrame) -> pd.DataFrame:
    matrix = cosine_matrix(cosines, "cosine")
    # Written as words, so that the smallest have two digits, too.
    written = matrix.map(lambda value: "–" if np.isnan(value) else f"{value:z.2f}")
    return written.rename_axis("category").reset_index()


def _cosines(results: Results, rows: pd.DataFrame, columns: Sequence[str], digits: int) -> str:
    shown = results.for_readers("cosines", rows, columns)
    if "pooling" in shown:
        shown["pooling"] = [TEXT_POOLINGS[pooling].name for pooling in shown["pooling"]]
    for name in ("p", "q"):
        # `markdown_table` would give small ones no significant digit.
        shown[name] = [significant(value) if value == value else "–" for value in shown[name]]
    return markdown_table(shown, digits)


def _how_many(n_listed: int, n: int) -> str:
    return f"The {n_listed} of the largest size, of {n}" if n > n_listed else f"All {n}, by size"


def _bias(cosines: pd.DataFrame, summary: dict[str, Any]) -> pd.DataFrame:
    bias = summary["bias"]
    if not bias:
        return cosines[:0]
    chosen = cosines["category_1"] == bias["category_1"]
    return cosines[chosen & (cosines["category_2"] == bias["category_2"])]


def _bias_note(summary: dict[str, Any]) -> str:
    bias = summary["bias"]
    if not bias:
        return "The set lacks one of the categories in `bias_categories`."
    one, two = bias["category_1"], bias["category_2"]
    note = f"Cosine of {one} with {two}"
    if "-" not in one or "-" not in two:
        return f"{note}."
    (a, b), (c, d) = one.split("-", 1), two.split("-", 1)
    return (
        f"{note}: under 0 where from {c} to {d} is against from {a} to {b}, so that {d} lies "
        f"with {a}."
    )
