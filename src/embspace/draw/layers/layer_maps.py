"""Draws the maps of all layers of `project_layer_maps`, and what changes from one to the next."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from pydantic import Field, NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    count,
    counted,
    draw_line,
    join_panels,
    legend_below,
    new_figure,
    percent,
    say_instead,
    without_axes,
)
from embspace.draw.page.looks import BLACK, BLUE, GRAY, VERMILION, Look, corpus_looks
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results

STAGE = "project_layer_maps"
N_COLUMNS = 3
NO_TOKENS = "no corpus has enough tokens whose states are kept"
LINES = {
    "changed_in_space": Look("in the full space", BLACK, "o"),
    "changed_in_map": Look("on the map", BLUE, "s", "--"),
    "changed_between_seeds": Look("by another seed of the same map", VERMILION, "^", ":"),
}
COLUMNS = ("layer", "n", "n_documents", "k", *LINES, "chance_changed", "neighbor_recall")
COLUMNS += ("chance_neighbor_recall", "displacement", "displacement_between_seeds")


def draw_layer_maps(
    results: Results,
    label: str,
    *,
    most_maps: Annotated[int, Field(ge=2, le=8)],
    row_height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the maps of some layers, by which neighbors are new, and the lines of all layers.

    Args:
        results: Coordinates of the tokens, and the table of the layers.
        label: The model's name.
        most_maps: Maps that are shown; the lines and the table have all layers.
        row_height_mm: The height of a row of panels.
        digits: The digits after the point in the table.
    """
    table, places = results["csv"], results["parquet"]
    shown = _shown(table["layer"].tolist(), most_maps)
    n_rows = -(-(len(shown) + 1) // N_COLUMNS)
    figure, axes = new_figure(
        n_rows,
        N_COLUMNS,
        height_mm=row_height_mm * n_rows + 30,
        title=_finding(table),
        subtitle=f"{label} · {_population(table, places)}",
        stage=STAGE,
    )
    if table.empty:
        say_instead(axes, NO_TOKENS)
        return figure, _tables(results, label, digits)
    of_shown = places.loc[places["layer"].isin(shown), ["x", "y"]]
    reach = 1.02 * float(np.abs(of_shown.to_numpy()).max())
    dots = [
        _map(ax, places[places["layer"] == layer], layer, reach)
        for ax, layer in zip(axes, shown, strict=False)
    ]
    bar = figure.colorbar(dots[0], ax=[*axes[: len(shown)]], shrink=0.5, aspect=30, pad=0.01)
    bar.set_label("share of neighbors that are new")
    bar.ax.yaxis.set_major_formatter(PercentFormatter(1))
    last = join_panels(axes[len(shown) :])
    _lines(last, table)
    legend_below(figure, [last], ncols=4)
    return figure, _tables(results, label, digits)


def _shown(layers: Sequence[int], most: int) -> list[int]:
    """Return the first layer, the last, and those in even steps between them."""
    places = np.linspace(0, len(layers) - 1, min(most, len(layers))).round().astype(int)
    return [layers[each] for each in places]


def _finding(table: pd.DataFrame) -> str:
    """Return the title: the step at which most neighbors change, beside what a seed changes."""
    if table["changed_in_space"].notna().sum() == 0:
        return "No two layers whose tokens are on maps"
    row = table.sort_values("changed_in_space", na_position="first", kind="stable").iloc[-1]
    layer, k = int(row["layer"]), int(row["k"])
    space, on_map, by_seed = (percent(row[name]) for name in LINES)
    return (
        f"Neighbors change most from layer {layer - 1} to {layer}: {space} of a token's {k} "
        f"nearest in the full space, and {on_map} on the map, where another seed alone changes "
        f"{by_seed}"
    )


def _population(table: pd.DataFrame, places: pd.DataFrame) -> str:
    if table.empty:
        return "no token, n = 0"
    first = places[places["layer"] == table["layer"].iloc[0]]
    looks = corpus_looks(first["corpus"])
    sizes = first.groupby("corpus", sort=False).size()
    of_corpora = ", ".join(f"{looks[str(each)].name}: {count(n)}" for each, n in sizes.items())
    row = table.iloc[-1]
    recall, chance = (percent(row[f"{name}neighbor_recall"]) for name in ("", "chance_"))
    return (
        f"{counted(row['n'], 'token')} of {counted(row['n_documents'], 'document')} "
        f"({of_corpora}), the same at all layers · neighbors: {int(row['k'])} nearest by cosine · "
        f"maps: UMAP, each from the one before; that of layer {int(row['layer'])} keeps {recall} "
        f"of the neighbors (chance {chance}) · bands: {100 * row['level']:g} % intervals over "
        "documents"
    )


def _map(ax: Axes, points: pd.DataFrame, layer: int, reach: float) -> PathCollection:
    """Draw tokens by the share of new neighbors; gray on the first layer.

    All maps reach equally far from the middle: a token has a place on every map.
    """
    look: dict[str, Any] = {"s": 3, "linewidths": 0, "rasterized": True}
    known = points[points["changed_in_space"].notna()].sort_values("changed_in_space")
    unknown = points[points["changed_in_space"].isna()]
    ax.scatter(unknown["x"], unknown["y"], color=GRAY, **look)
    dots = ax.scatter(
        known["x"], known["y"], c=known["changed_in_space"], vmin=0, vmax=1, cmap="viridis", **look
    )
    without_axes(ax)
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach))
    ax.set_title(f"Layer {layer}" + (", the embedding output" if layer == 0 else ""))
    return dots


def _lines(ax: Axes, table: pd.DataFrame) -> None:
    for quantity, look in LINES.items():
        draw_line(ax, table, "layer", quantity, look)
    chance = float(table["chance_changed"].iloc[0])
    ax.axhline(chance, color=GRAY, linewidth=1, label="random neighbors")
    ax.set(title="Neighbors that are new", xlabel="layer (0: embedding output)", ylim=(0, 1.05))
    ax.set_ylabel("share of neighbors")
    ax.yaxis.set_major_formatter(PercentFormatter(1))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _tables(results: Results, label: str, digits: int) -> str:
    title = f"Maps of the layers of {label}"
    if results["csv"].empty:
        return tables_page(title, STAGE, f"{NO_TOKENS.capitalize()}.\n")
    note = (
        "Changed: share of a token's nearest neighbors at a layer that were none at the layer "
        "before, or that are none when the map is made once more from the same start by another "
        "seed. Recall: share of those in the full "
        "space that the map keeps. Displacement: mean distance of a token from its place on the "
        "map of the layer before, in root mean square distances from the middle."
    )
    shown = results.for_readers("csv", columns=COLUMNS)
    return tables_page(title, STAGE, section("Layers", note, markdown_table(shown, digits)))
