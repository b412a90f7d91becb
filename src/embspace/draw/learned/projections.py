"""Figure and table of the maps by PCA, t-SNE and UMAP side by side: Luisto's figure 11."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import absent, new_figure, percent, say_absent
from embspace.draw.page.looks import CLOUDS
from embspace.draw.page.maps import (
    EXTRACTED,
    OF_CLOUDS,
    QUALITY_NOTE,
    TITLES,
    draw_map,
    legend_of_kinds,
    panels_of_maps,
    population,
    positions_left_out,
)
from embspace.draw.page.markdown import markdown_table, section

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
METHODS = {"pca": "PCA", "tsne": "t-SNE", "umap": "UMAP"}
N_TOKEN_ROWS = 2  # the maps of tokens, then one of positions


def draw_projections(
    results: dict[str, Any],
    label: str,
    *,
    height_mm: PositiveFloat,
    digits: NonNegativeInt,
    seed: NonNegativeInt,
) -> tuple[Figure, str]:
    """A column a method, a row a cloud, under each map the share of neighbors that it keeps."""
    found = {method: _of_method(results, method) for method in METHODS}
    quality = pd.concat(
        [each["quality"].assign(method=METHODS[method]) for method, each in found.items()]
    )
    first = found["pca"]["parquet"]
    figure, axes = new_figure(
        N_TOKEN_ROWS + 1,
        len(METHODS),
        height_mm=height_mm,
        title=_finding(quality),
        subtitle=f"{label} · {population(first)} · t-SNE: perplexity "
        f"{results['conf/project/tsne.yaml']['perplexity']:g}, UMAP: "
        f"{results['conf/project/umap.yaml']['n_neighbors']} neighbors, seed {seed} · in brackets: "
        "a random layout",
        stage="project_tsne",
    )
    for column, (method, each) in enumerate(found.items()):
        _column(figure, axes[column :: len(METHODS)], METHODS[method], each)
    if "positional" not in set(quality["cloud"]):
        say_absent(axes[N_TOKEN_ROWS * len(METHODS) :], label, "positional")
    legend_of_kinds(figure, axes)
    return figure, _table(quality, label, digits)


def _of_method(results: dict[str, Any], method: str) -> dict[str, Any]:
    return {
        "parquet": results[f"data/projected/{method}.parquet"],
        "quality": results[f"{method}/quality"],
        EXTRACTED: results[EXTRACTED],
    }


def _finding(quality: pd.DataFrame) -> str:
    """Return the share of neighbors that each method keeps at best, the largest first."""
    tokens = quality[~quality["cloud"].isin(["positional", "structured"])]
    best = tokens.groupby("method")["neighbor_recall"].max().sort_values(ascending=False)
    first, *others = (f"{method} {percent(share)}" for method, share in best.items())
    words = first.replace(" ", " keeps at best ", 1)
    return f"{words} of the nearest neighbors, {', '.join(others)}"


def _column(figure: Figure, axes: Sequence[Axes], method: str, each: dict[str, Any]) -> None:
    panels = panels_of_maps(each)
    lines = [panel for panel in panels if panel.is_positional][-1:]  # structured ones, if there are
    shown = [panel for panel in panels if not panel.is_positional] + lines
    left_out = positions_left_out(each["parquet"])
    for ax, panel in zip(axes, shown, strict=False):
        row, panel = panel.quality, replace(panel, is_joined=method != METHODS["pca"])
        crosses = left_out if panel.cloud == "positional" else set()
        draw_map(figure if method == METHODS["umap"] else None, ax, panel, crosses)
        ax.set_title(method if ax is axes[0] else "", loc="left")
        ax.set_xlabel(
            f"neighbors kept: {percent(row['neighbor_recall'])} "
            f"({percent(row['chance_neighbor_recall'])})",
            fontsize=7,
        )
        if method == METHODS["pca"]:
            ax.set_ylabel(TITLES[panel.cloud])


def _table(quality: pd.DataFrame, label: str, digits: int) -> str:
    named = quality.assign(cloud=[CLOUDS[cloud].name for cloud in quality["cloud"]])
    shown = named[named["n_axes"] == 2][["method", *OF_CLOUDS]].rename(columns=OF_CLOUDS)
    text = f"# PCA, t-SNE and UMAP of {label} side by side\n\n" + section(
        "Quality",
        "Stages `project_pca`, `project_tsne`, `project_umap`. " + QUALITY_NOTE,
        markdown_table(shown.drop(columns="axes"), digits, ["chance"]),
    )
    has_positions = "positional" in set(quality["cloud"])
    return text if has_positions else f"{text}\n{absent(label, 'positional')}\n"
