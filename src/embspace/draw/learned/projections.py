"""Draws the maps by PCA, t-SNE and UMAP side by side, after Luisto's figures 11 and 18."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import absent, counted, join_panels, new_figure, percent, say_absent
from embspace.draw.page.looks import CLOUDS, MAP_METHODS, names
from embspace.draw.page.maps.panels import (
    EXTRACTED,
    Panel,
    panels_of_maps,
    population,
    unstructured_positions,
)
from embspace.draw.page.maps.places import kinds_on, name_outside, word_places
from embspace.draw.page.maps.points import draw_positions, draw_tokens
from embspace.draw.page.maps.quality import OF_CLOUDS, QUALITY_NOTE
from embspace.draw.page.markdown import for_readers, markdown_table, section
from embspace.settings.types import Share

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
METHODS = ("tsne", "pca", "umap")  # in the order of the panels
N_COLUMNS = 5  # two small maps of tokens, three of positions


def draw_projections(
    results: dict[str, Any],
    label: str,
    *,
    height_mm: PositiveFloat,
    n_named: NonNegativeInt,
    least_recall: Share,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw maps of tokens, centered and at unit length, and maps of positions below.

    The map by t-SNE is large; lines lead from the names of kinds, and of the `n_named` densest
    places of words, unless the map keeps less than `least_recall` of the neighbors.
    """
    results_by_method = {method: _method_results(results, method) for method in METHODS}
    quality = pd.concat([results_by_method[method]["quality"] for method in METHODS])
    figure, axes = new_figure(
        3,
        N_COLUMNS,
        height_mm=height_mm,
        title=_finding(quality),
        subtitle=f"{label} · {_population(results_by_method['pca'])} · tokens centered, at unit "
        f"length · t-SNE: perplexity {results['conf/project/tsne.yaml']['perplexity']:g} · UMAP: "
        f"{results['conf/project/umap.yaml']['n_neighbors']} neighbors · b, c: colors of a",
        stage="project_tsne",
    )
    large, below = join_panels(axes[: 2 * N_COLUMNS]), axes[2 * N_COLUMNS :]
    token_axes, position_axes = (large, *below[:2]), below[2:]
    for ax, (method, method_results) in zip(token_axes, results_by_method.items(), strict=True):
        *_, panel = [panel for panel in panels_of_maps(method_results) if not panel.is_positional]
        draw_tokens(ax, panel.rows)
        _say_kept(ax, MAP_METHODS[method].name, panel, "\n" * (ax is not large) or " ")
        if ax is large:
            is_true = panel.quality["neighbor_recall"] >= least_recall
            places = word_places(panel.rows, n_named) if is_true else []
            name_outside(ax, [*kinds_on(panel.rows), *places], is_led=bool(is_true))
    if "positional" in set(quality["cloud"]):
        for ax, method in zip(position_axes, METHODS, strict=True):
            _draw_line(figure, ax, results_by_method[method], method)
    else:
        say_absent(position_axes, label, "positional")
    return figure, _table(quality, label, digits)


def _method_results(results: dict[str, Any], method: str) -> dict[str, Any]:
    """Return the results of a method, under the names used in the figure of a single method."""
    return {
        "parquet": results[f"data/projected/{method}.parquet"],
        "quality": results[f"{method}/quality"].assign(method=MAP_METHODS[method].name),
        EXTRACTED: results[EXTRACTED],
    }


def _population(results: dict[str, Any]) -> str:
    """Return the numbers of tokens and positions, and of positions on maps."""
    words, left_out = population(results["parquet"]), unstructured_positions(results["parquet"])
    *_, panel = panels_of_maps(results)
    if not left_out or panel.cloud != "structured":
        return words
    return f"{words} (d–f: {counted(len(panel.rows), 'structured one')})"


def _finding(quality: pd.DataFrame) -> str:
    """Return the title: the method with the best map of tokens, and the share of neighbors kept."""
    tokens = quality[quality["cloud"].str.endswith("centered") & (quality["n_axes"] == 2)]
    best = tokens.sort_values("neighbor_recall", kind="stable").iloc[-1]
    share, chance = (percent(best[f"{of}neighbor_recall"]) for of in ("", "chance_"))
    return (
        f"The best map of tokens, by {best['method']}, keeps {share} of their nearest neighbors, "
        f"a random one {chance}"
    )


def _draw_line(figure: Figure, ax: Axes, results: dict[str, Any], method: str) -> None:
    """Draw the positions: all, or the structured positions if some are unstructured."""
    *_, panel = [panel for panel in panels_of_maps(results) if panel.is_positional]
    crosses = unstructured_positions(results["parquet"]) if panel.cloud == "positional" else set()
    points = draw_positions(ax, panel.rows, crosses, is_joined=method != "pca")
    _say_kept(ax, f"Positions, {MAP_METHODS[method].name}", panel, "\n")
    if method == METHODS[-1] and len(crosses) < len(panel.rows):
        figure.colorbar(points, ax=ax, label="position", shrink=0.8, pad=0.02, aspect=12)


def _say_kept(ax: Axes, title: str, panel: Panel, between: str) -> None:
    recall, chance, k = panel.quality[["neighbor_recall", "chance_neighbor_recall", "k"]]
    ax.set_title(title, loc="left")
    words = f"{k:.0f} nearest kept: {percent(recall)}{between}(random {percent(chance)})"
    ax.set_xlabel(words, fontsize=7)


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
