"""Lines of answers about versions of vectors: effects on tasks, clusters, first coordinates."""

from collections.abc import Mapping

import pandas as pd

from embspace.app.practice.answers import interval
from embspace.measure.practice.clusters_kept import REFITTED, TASK
from embspace.measure.practice.first_coordinates import (
    GAIN,
    MORE,
    N_ORDERS,
    NO_MORE,
    NOT_TOLD,
    verdict_of_first,
)


def effect_lines(table: pd.DataFrame, task: str, names: Mapping[str, str]) -> list[str]:
    """Return a line per version of a task."""
    lines = []
    for number, (_, row) in enumerate(table[table["task"] == task].iterrows()):
        value = interval(row["value"], row["low"], row["high"])
        parts = (row["difference"], row["difference_low"], row["difference_high"])
        less = interval(*parts) if number else ""
        lines.append(
            f"  {names.get(row['version'], row['version']):28}  {value:24}  {less}".rstrip()
        )
    return lines


def verdict(row: pd.Series) -> str:
    """Return whether a difference is sure: better, worse, or no clear difference."""
    if row["difference_low"] > 0:
        return "better"
    return "worse" if row["difference_high"] < 0 else "no clear difference"


def line_of_clusters(kept: pd.DataFrame) -> str:
    """Return the noise of the texts, and the smallest setting that changes clusters no more."""
    rows = kept[kept["task"] == TASK]
    noise = rows[rows["version"] == REFITTED].iloc[0]
    bounds = interval(noise["value"], noise["low"], noise["high"])
    start = f"clusters of k-means on halves of the documents keep {bounds}; smallest setting above"
    kinds = rows[(rows["version"] != REFITTED) & (rows["kind"] != "full")]
    steady = kinds[kinds["low"] >= noise["low"]].sort_values(
        ["bytes", "value"], ascending=[True, False], kind="stable"
    )
    if not len(steady):
        return f"{start} the least: none"
    return f"{start} the least: {steady['version'].iloc[0]}, {steady['bytes'].iloc[0]:,.0f} bytes"


def line_of_first(table: pd.DataFrame) -> str:
    """Return the verdict as a line of an answer."""
    if not len(table):
        return "too few coordinates to compare the first with random ones"
    row, verdict = table.iloc[-1], verdict_of_first(table)
    bounds = interval(row["difference"], row["low"], row["high"])
    start = {
        MORE: "the first coordinates keep more neighbors than random ones, as in a Matryoshka "
        "model, or in coordinates sorted by variance",
        NO_MORE: f"the first coordinates keep no more neighbors than random ones (gain < {GAIN:g})",
        NOT_TOLD: "not told whether the first coordinates keep more neighbors than random ones",
    }[verdict]
    return f"{start}: {bounds} over {N_ORDERS} orders"
