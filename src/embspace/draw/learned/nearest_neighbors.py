"""Draws the figure and the tables of `measure_nearest_neighbors`: hubs and distances."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import HALO, count, legend_below, new_figure, percent, write_beside
from embspace.draw.page.looks import CLOUDS, GRAY, SPACES, names
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
SUMMARY = {**same("cloud", "quantity", "k"), **DISTRIBUTION, "skewness": "skewness"}


def draw_nearest_neighbors(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    n_hubs: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the distribution of the k-occurrence, and the distances to nearest neighbors."""
    summary, occurrence = (_shown(results[name]) for name in ("summary", "occurrence"))
    n = summary.groupby("cloud", sort=False)["n"].max()
    figure, axes = new_figure(
        1,
        2,
        height_mm=height_mm,
        title=_finding(results, n),
        subtitle=f"{label} · exact, from all pairs, by Euclidean distance · {_population(n)}",
        stage="measure_nearest_neighbors",
    )
    _occurrences(axes[0], occurrence)
    _name_hubs(axes[0], results, n)
    _distances(axes[1], summary[summary["quantity"] == "euclidean_distance"])
    legend_below(figure, axes[:1], ncols=2)
    return figure, _tables(results, label, n_hubs, digits)


def _finding(results: Results, n: pd.Series) -> str:
    """Return the title: the first hub that is not zero, and those of length zero before it."""
    hubs, k = results["hubs"], int(results["occurrence"]["k"].max())
    hubs = hubs[hubs["cloud"] == hubs["cloud"].iloc[0]]
    is_zero = np.array([_is_zero(row, results[VECTORS]) for _, row in hubs.iterrows()])
    number = int(is_zero.argmin())
    first, zeros = hubs.iloc[number], [_hub(row) for _, row in hubs[:number].iterrows()]
    beside = f"; {', '.join(zeros)}, of length zero, left out" if zeros else ""
    return (
        f"The vector of {_hub(first)} is among the {k} nearest by distance of "
        f"{count(first['k_occurrence'])} of {count(n[first['cloud']])} vectors{beside}"
    )


def _is_zero(row: pd.Series, vectors: dict[str, np.ndarray]) -> bool:
    """Return whether a hub is a vector of length zero, in a cloud of vectors as they are."""
    return "centered" not in row["cloud"] and not vectors[row["space"]][int(row["id"])].any()


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out the cloud of all positions if there is that of the structured ones."""
    has_structured = "structured" in set(table["cloud"])
    return table[table["cloud"] != "positional"] if has_structured else table


def _population(n: pd.Series) -> str:
    clouds = [cloud for cloud in n.index if "centered" not in cloud]
    return ", ".join(f"{count(n[cloud])} {CLOUDS[cloud].name}" for cloud in clouds)


def _hub(row: pd.Series) -> str:
    if row["space"] == "positional":
        return f"position {row['id']}"
    return drawable(str(row["token"]))


def _occurrences(ax: Axes, occurrence: pd.DataFrame) -> None:
    """Draw the share of vectors by least k-occurrence, beside that of random neighbors."""
    from scipy.stats import poisson

    k = int(occurrence["k"].max())
    for cloud, rows in occurrence.groupby("cloud", sort=False):
        look = CLOUDS[str(cloud)]
        share = rows["count"][::-1].cumsum()[::-1] / rows["count"].sum()
        is_shown = rows["k_occurrence"] > 0  # the axis is a logarithm
        x, y = rows["k_occurrence"][is_shown], share[is_shown]
        ax.plot(x, y, color=look.color, ls=look.line, drawstyle="steps-pre", label=look.name)
    times = np.arange(1, 4 * k)
    null: dict[str, Any] = {"color": GRAY, "linestyle": ":", "label": "random neighbors (Poisson)"}
    ax.plot(times, poisson.sf(times - 1, k), **null)
    smallest = 1 / occurrence.groupby("cloud")["count"].sum().max()
    ax.set(xscale="log", yscale="log", ylim=(0.25 * smallest, 2))
    ax.yaxis.set_major_formatter(lambda share, _: percent(share))
    ax.set(xlabel=f"k-occurrence (k = {k})", ylabel="vectors of at least this k-occurrence")
    ax.set_title("k-occurrence")


def _name_hubs(ax: Axes, results: Results, n: pd.Series) -> None:
    """Name the most frequent neighbor of each cloud of tokens at the end of its curve."""
    for cloud, rows in results["hubs"].groupby("cloud", sort=False):
        row = rows.iloc[0]
        if row["space"] == "input":
            place = (row["k_occurrence"], 1 / n[cloud])
            ax.plot(*place, CLOUDS[str(cloud)].marker, color=CLOUDS[str(cloud)].color, markersize=4)
            zero = " (length zero)" * _is_zero(row, results[VECTORS])
            words = f"{_hub(row)}{zero}, {count(row['k_occurrence'])}"
            write_beside(ax, words, place, (4, -11), ha="right", path_effects=HALO)


def _distances(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw the median of each distance, with a bar from the 5 % to the 95 % quantile."""
    ranks, heights = [], []
    for number, row in enumerate(rows.to_dict("records")):
        height = number + 0.8 * len(set(rows["cloud"][: number + 1]))
        look = CLOUDS[row["cloud"]]
        span = [row["quantile_0.05"], row["quantile_0.95"]]
        ax.plot(span, [height] * 2, color=look.color, linewidth=1.5)
        ax.plot(row["quantile_0.5"], height, look.marker, color=look.color, markersize=5)
        rank = "nearest" if row["k"] == 1 else f"{row['k']}th nearest"
        ranks.append(rank)
        heights.append(height)
        if row["k"] == 1:
            words: dict[str, Any] = {"fontsize": 7, "color": look.color}
            ax.text(0.01, height - 0.5, look.name, transform=ax.get_yaxis_transform(), **words)
    ax.set_yticks(heights, ranks)
    ax.set(xlabel="Euclidean distance: median, 5 to 95 %", xlim=(0, None))
    ax.set_title("Distance to neighbors")
    ax.set_ylim(heights[-1] + 0.5, -0.5)


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
