"""Draws the maps of all layers of `project_layer_maps`, and the changes between layers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    HALO,
    counted,
    draw_line,
    join_panels,
    new_figure,
    percent,
    say_instead,
    without_axes,
    write_beside,
)
from embspace.draw.page.direct_labels import name_lines
from embspace.draw.page.looks import BLACK, BLUE, GRAY, NULLS, VERMILION, Look
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results
from embspace.draw.page.token_kinds import drawable

STAGE = "project_layer_maps"
N_MAPS = 3
HARDLY = 0.05  # of the neighbors: fewer that are new are hardly a change
LETTER, LINE = 0.07, 0.14  # of a name, in reaches of a map
NO_TOKENS = "no corpus has enough tokens whose states are kept"
LINES = {
    "changed_in_space": Look("in the full space", BLACK, "o"),
    "changed_in_map": Look("on the map", BLUE, "s", "--"),
    "changed_between_seeds": Look("map by another seed", VERMILION, "^", ":"),
    "random_weights_changed": NULLS["random_initialization"]._replace(
        name="in space, random weights"
    ),
    "chance_changed": Look("random neighbors", GRAY, "", "-."),
}
COLUMNS = ("layer", "n", "n_documents", "k", *LINES, "neighbor_recall")
COLUMNS += ("chance_neighbor_recall", "displacement", "displacement_between_seeds")


def draw_layer_maps(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    n_named: NonNegativeInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the maps of three layers, by which neighbors are new, and the lines of all layers.

    Args:
        results: Coordinates of the tokens, and the table of the layers.
        label: The model's name.
        height_mm: The height of the figure.
        n_named: The most frequent tokens with a letter or digit, which have names on the maps.
        digits: The digits after the point in the table.
    """
    table, places = results["csv"], results["parquet"]
    figure, axes = new_figure(
        2,
        N_MAPS,
        height_mm=height_mm,
        title=_finding(table),
        subtitle=f"{label} · {_population(table)}",
        stage=STAGE,
    )
    if table.empty:
        say_instead(axes, NO_TOKENS)
        return figure, _tables(results, label, digits)
    shown = _shown(table["layer"].tolist())
    coordinates = places.loc[places["layer"].isin(shown), ["x", "y"]]
    reach = 1.02 * float(np.abs(coordinates.to_numpy()).max())
    tokens = places.loc[places["layer"] == shown[0], "token"].value_counts().index
    named = [token for token in tokens if any(map(str.isalnum, token))][:n_named]
    dots = [
        _map(ax, places[places["layer"] == layer], layer, reach, named)
        for ax, layer in zip(axes, shown, strict=False)
    ]
    for ax in (*axes[len(shown) : N_MAPS], axes[-1]):
        ax.set_axis_off()
    bar = figure.colorbar(dots[0], ax=axes[:N_MAPS], aspect=20)
    bar.set_label("neighbors new in the full space")
    bar.ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    _lines(join_panels(axes[N_MAPS:-1]), table)
    return figure, _tables(results, label, digits)


def _shown(layers: Sequence[int]) -> list[int]:
    """Return the first, a middle and the last layer."""
    places = np.linspace(0, len(layers) - 1, min(N_MAPS, len(layers))).round().astype(int)
    return [layers[place] for place in places]


def _most_changed(table: pd.DataFrame) -> pd.Series:
    """Return the row of the layer with most new neighbors in the full space."""
    return table.sort_values("changed_in_space", na_position="first", kind="stable").iloc[-1]


def _others(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the other layers with new neighbors, most of them last."""
    name = "changed_in_space"
    others = table[table["layer"] != _most_changed(table)["layer"]].dropna(subset=name)
    return others.sort_values(name, kind="stable")


def _finding(table: pd.DataFrame) -> str:
    """Return the title: the step at which most neighbors change, beside the next."""
    name = "changed_in_space"
    known = table.dropna(subset=name)
    if known.empty:
        return "No two layers whose tokens are on maps"
    row, others = _most_changed(table), _others(table)
    if row[name] < HARDLY:
        return (
            f"Neighbors hardly change: {_ends(known[name])} are new after a layer{_beside(known)}"
        )
    said = f"{percent(row[name])} are new in the full space"
    if others.empty:
        return f"Neighbors change in the step to layer {row['layer']:.0f}: {said}"
    most_of_others = f"{percent(others[name].max())} at most in others"
    if row[f"{name}_low"] > others[f"{name}_high"].max():
        step = f"in the step to layer {row['layer']:.0f}"
        return f"Neighbors change most {step}: {said}, {most_of_others}"
    return f"No step surely changes most: {said} at layer {row['layer']:.0f}, {most_of_others}"


def _ends(shares: pd.Series) -> str:
    """Return the range of shares, a single one if both ends are printed alike."""
    return " to ".join(dict.fromkeys(percent(end) for end in (shares.min(), shares.max())))


def _beside(known: pd.DataFrame) -> str:
    """Return the shares at random weights, and whether they are in the intervals of the model's."""
    random = known["random_weights_changed"]
    if random.isna().any():
        return ""
    is_alike = random.between(known["changed_in_space_low"], known["changed_in_space_high"]).all()
    shares = _ends(random)
    return f", as at random weights ({shares})" if is_alike else f", at random weights {shares}"


def _population(table: pd.DataFrame) -> str:
    if table.empty:
        return "no token, n = 0"
    row = table.iloc[-1]
    return (
        f"{counted(row['n'], 'token')} of {counted(row['n_documents'], 'document')}, the same at "
        f"all layers · {int(row['k'])} nearest neighbors by cosine · "
        "maps: UMAP, each starts from the one before; gray: no layer before · "
        f"bands: {100 * row['level']:g} % intervals over documents"
    )


def _map(
    ax: Axes, points: pd.DataFrame, layer: int, reach: float, named: Sequence[str]
) -> PathCollection:
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
    ax.set(adjustable="box", xlim=(-reach, reach), ylim=(-reach, reach))
    written = list[tuple[float, float, float]]()
    for token in named:
        x, y = points.loc[points["token"] == token, ["x", "y"]].median()
        half = LETTER / 2 * reach * (len(token) + 1)
        if any(
            abs(x - at) < half + wide and abs(y - up) < LINE * reach for at, up, wide in written
        ):
            continue  # a name that meets one of a more frequent token could not be read
        written.append((x, y, half))
        look = {"ha": "center", "va": "bottom", "fontweight": "bold", "path_effects": HALO}
        ax.text(x, y, drawable(token), fontsize=7, **look)
    ax.set_title(f"Layer {layer}")
    return dots


def _lines(ax: Axes, table: pd.DataFrame) -> None:
    row = _most_changed(table)
    for quantity, look in LINES.items():
        if table[quantity].isna().all():
            continue  # vectors alone have no random weights
        name = f"{look.name}, {percent(row[quantity])} at layer {row['layer']:.0f}"
        draw_line(ax, table, "layer", quantity, look._replace(name=name))
    ax.set(title="Neighbors that are new, by layer", xlabel="layer (0: embedding output)")
    ax.set(ylim=(0, 1), ylabel="share of neighbors")
    ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    name_lines(ax, 0.1)
    for words in ax.texts:  # in the place of the next panel
        words.set_in_layout(False)
    for _, other in _others(table).tail(1).iterrows():
        place = (other["layer"], other["changed_in_space"])
        write_beside(ax, percent(place[1]), place, (-4, 5), ha="center", path_effects=HALO)


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
