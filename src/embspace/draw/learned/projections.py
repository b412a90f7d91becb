"""Draws the maps by PCA, t-SNE and UMAP side by side, after Luisto's figure 11, and their table."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import absent, new_figure, percent, say_absent
from embspace.draw.page.looks import CLOUDS, MAP_METHODS, names
from embspace.draw.page.maps.panels import (
    EXTRACTED,
    TITLES,
    panels_of_maps,
    population,
    unstructured_positions,
)
from embspace.draw.page.maps.points import draw_map, legend_of_kinds
from embspace.draw.page.maps.quality import OF_CLOUDS, QUALITY_NOTE
from embspace.draw.page.markdown import for_readers, markdown_table, section

RESULTS = (
    "data/projected/pca.parquet",
    "data/projected/tsne.parquet",
    "data/projected/umap.parquet",
    "pca/quality.csv",
    "tsne/quality.csv",
    "umap/quality.csv",
    "data/extracted/embeddings.parquet",
    "conf/project/tsne.yaml",
    "conf/project/umap.yaml",
)
METHODS = ("pca", "tsne", "umap")
N_TOKEN_ROWS = 2  # the maps of tokens, then one of positions


def draw_projections(
    results: dict[str, Any],
    label: str,
    *,
    height_mm: PositiveFloat,
    digits: NonNegativeInt,
    seed: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw a column of maps for each method, and below each map the share of neighbors kept."""
    found = {method: _of_method(results, method) for method in METHODS}
    quality = pd.concat([each["quality"] for each in found.values()])
    tsne, umap = (results[f"conf/project/{method}.yaml"] for method in ("tsne", "umap"))
    figure, axes = new_figure(
        N_TOKEN_ROWS + 1,
        len(METHODS),
        height_mm=height_mm,
        title=_finding(quality),
        subtitle=f"{label} · {population(found['pca']['parquet'])} · t-SNE: perplexity "
        f"{tsne['perplexity']:g}, UMAP: {umap['n_neighbors']} neighbors, seed {seed} · "
        "in brackets: a random layout",
        stage="project_tsne",
    )
    for column, (method, each) in enumerate(found.items()):
        _column(figure, axes[column :: len(METHODS)], method, each)
    if "positional" not in set(quality["cloud"]):
        say_absent(axes[N_TOKEN_ROWS * len(METHODS) :], label, "positional")
    legend_of_kinds(figure, axes)
    return figure, _table(quality, label, digits)


def _of_method(results: dict[str, Any], method: str) -> dict[str, Any]:
    """Return the results of one method under the names that a single method's figure has."""
    return {
        "parquet": results[f"data/projected/{method}.parquet"],
        "quality": results[f"{method}/quality"].assign(method=MAP_METHODS[method].name),
        EXTRACTED: results[EXTRACTED],
    }


def _finding(quality: pd.DataFrame) -> str:
    """Return the title: the largest share of neighbors that each method keeps."""
    tokens = quality[~quality["cloud"].isin(["positional", "structured"])]
    best = tokens.groupby("method")["neighbor_recall"].max().sort_values(ascending=False)
    first, *others = (f"{method} {percent(share)}" for method, share in best.items())
    words = first.replace(" ", " keeps at best ", 1)
    return f"{words} of the tokens' nearest neighbors, {', '.join(others)}"


def _column(figure: Figure, axes: Sequence[Axes], method: str, each: dict[str, Any]) -> None:
    """Draw the maps of one method, that of positions last; the first column names the clouds."""
    panels = panels_of_maps(each)
    lines = [panel for panel in panels if panel.is_positional][-1:]  # structured ones, if there are
    shown = [panel for panel in panels if not panel.is_positional] + lines
    unstructured = unstructured_positions(each["parquet"])
    axes[0].set_title(MAP_METHODS[method].name, loc="left")
    for ax, panel in zip(axes, shown, strict=False):
        panel = replace(panel, is_joined=method != "pca")
        crosses = unstructured if panel.cloud == "positional" else set()
        draw_map(figure if method == "umap" else None, ax, panel, crosses)
        recall, chance = panel.quality[["neighbor_recall", "chance_neighbor_recall"]]
        ax.set_xlabel(f"neighbors kept: {percent(recall)} ({percent(chance)})", fontsize=7)
        if method == "pca":
            ax.set_ylabel(TITLES[panel.cloud])


def _table(quality: pd.DataFrame, label: str, digits: int) -> str:
    """Return the quality of all maps on two axes."""
    columns = {"method": "method", **OF_CLOUDS}
    shown = for_readers(quality[quality["n_axes"] == 2], columns, cloud=names(CLOUDS))
    text = f"# PCA, t-SNE and UMAP of {label} side by side\n\n" + section(
        "Quality",
        "Stages `project_pca`, `project_tsne`, `project_umap`. " + QUALITY_NOTE,
        markdown_table(shown.drop(columns="axes"), digits, ["chance"]),
    )
    has_positions = "positional" in set(quality["cloud"])
    return text if has_positions else f"{text}\n{absent(label, 'positional')}\n"
