"""Draws figure and table of all families' measures of a model's layers, side by side."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.layers.profile_tables import by_layer
from embspace.draw.page.canvas import count, counted, new_figure, say_instead, sentence_case
from embspace.draw.page.markdown import section
from embspace.draw.page.measure_names import name_of
from embspace.draw.page.saving import Results

KEYS = ["family", "measure"]
COLORS: dict[str, Any] = {"cmap": "RdBu_r", "vmin": -100, "vmax": 100, "linewidths": 0.5}
KEY = (
    "numbers: values; gray: not converged, or rows mostly so; frames: farthest from the mean of "
    "converged values, in {}; of a steady drift they are at the ends, too; random weights: not "
    "measured"
)
HALF = 0.5  # of a row's values that converged, at least, to compare them


def draw_atlas(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw a row per measure with intervals, a column per layer.

    Numbers are the values, in gray cells if they depend on the number of texts. Colors show by how
    many percent a value is above or below the mean of the row, so that rows compare as well; a
    frame marks the value of a row farthest from this mean.
    """
    rows = results["csv"]
    shown = rows[rows.groupby("measure")["low"].transform("count") > 0]
    wide = shown.pivot_table("value", KEYS, "layer", sort=False)
    n = (
        f"{count(rows['n'].max())} vectors of {count(rows['n_texts'].max())} texts"
        if len(rows)
        else ""
    )
    farthest = _farthest(wide, shown)
    figure, axes = new_figure(
        1,
        1,
        height_mm=row_height_mm * max(len(wide), 4) + 38,
        title=_title(farthest, wide.columns.max()),
        subtitle=" · ".join(filter(None, [label, n, KEY.format(counted(len(farthest), "row"))])),
        stage="measure_atlas",
    )
    heading = f"# Atlas of {label}\n\nStage `measure_atlas`.\n"
    if wide.empty:
        say_instead(
            axes, f"{label}: the corpus was not profiled, see conf/measure/layers/atlas.yaml"
        )
        return figure, f"{heading}\nNone.\n"
    _heat_map(axes[0], wide, shown)
    table = by_layer(rows.assign(family=rows["family"].str.replace("_", " ")), ["family"], digits)
    return figure, f"{heading}\n{section('All families', f'{n}.', table)}"


def _deviations(wide: pd.DataFrame, is_moving: pd.DataFrame) -> pd.DataFrame:
    """Return by how many percent the layers are above the mean of the row's converged values."""
    mean = wide.mask(is_moving).mean(axis=1)
    return 100 * wide.sub(mean, axis=0).div(mean.abs().where(mean != 0), axis=0).fillna(0.0)


def _farthest(wide: pd.DataFrame, rows: pd.DataFrame) -> pd.Series:
    """Return by row the layer whose converged value is farthest from the mean of the row.

    A row of equal values, or of values that mostly did not converge, has none.
    """
    is_moving = _is_moving(wide, rows)
    sizes = _deviations(wide, is_moving).abs().mask(is_moving | wide.isna())
    return sizes[sizes.max(axis=1) > 0].idxmax(axis=1)


def _is_moving(wide: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Return where a value depends on the number of texts, as all do where most values of a row."""
    moving = rows.assign(moving=rows["converged"].astype(str) != "True")
    is_moving = moving.pivot_table("moving", KEYS, "layer", sort=False, aggfunc="max")
    is_moving = is_moving.reindex_like(wide).fillna(False).astype(bool)
    is_row = (wide.notna() & ~is_moving).mean(axis=1) < HALF
    return is_moving | is_row.to_numpy()[:, None]


def _title(farthest: pd.Series, last: int) -> str:
    """Return a sentence on the layer that is farthest from the mean most often, and the next."""
    if farthest.empty:
        return "No measure differs between layers"
    counts = farthest.value_counts().sort_index().sort_values(ascending=False, kind="stable")
    names = ["the last layer" if layer == last else f"layer {layer}" for layer in counts.index[:2]]
    said = f"{sentence_case(names[0])} is farthest from the mean of layers in "
    said += counted(counts.iloc[0], "measure")
    return f"{said}, {names[1]} in {counts.iloc[1]}" if len(counts) > 1 else said


def _heat_map(ax: Axes, wide: pd.DataFrame, rows: pd.DataFrame) -> None:
    import seaborn as sns

    is_moving, farthest = _is_moving(wide, rows), _farthest(wide, rows)
    deviations = _deviations(wide, is_moving).where(wide.notna())
    deviations.index = pd.Index([name_of(str(measure)) for _, measure in wide.index])
    numbers: dict[str, Any] = {
        "annot": wide.map(_written),
        "fmt": "",
        "annot_kws": {"fontsize": 7},
    }
    bar = {"label": "% above the mean of the row", "pad": 0.05, "aspect": 40, "extend": "both"}
    sns.heatmap(
        deviations, xticklabels=True, yticklabels=True, ax=ax, cbar_kws=bar, **COLORS, **numbers
    )
    known = wide.stack().dropna().index  # in the order of the numbers
    for (*row, layer), text in zip(known, ax.texts, strict=True):
        corner = (list(wide.columns).index(layer), list(wide.index).index(tuple(row)))
        if is_moving.loc[tuple(row), layer]:
            ax.add_patch(Rectangle(corner, 1, 1, facecolor="0.9", edgecolor="white", zorder=1.5))
            text.set_color("0.4")
        if farthest.get(tuple(row)) == layer:
            ax.add_patch(Rectangle(corner, 1, 1, fill=False, linewidth=1.5, zorder=2.5))
    _name_families(ax, [str(family) for family, _ in wide.index])
    ax.set(xlabel="layer", ylabel="")
    ax.tick_params(length=0, rotation=0)
    ax.grid(visible=False)


def _written(value: float) -> str:
    """Return a value with three significant digits, and a whole number without a point."""
    if value != value:
        return ""
    return f"{value:.0f}" if value == int(value) else f"{value:#.3g}".rstrip(".")


def _name_families(ax: Axes, families: list[str]) -> None:
    """Part the rows of families by lines, and name the families beside the rows."""
    look: dict[str, Any] = {"rotation": 270, "va": "center", "fontsize": 7, "color": "0.3"}
    for family in dict.fromkeys(families):
        first, n = families.index(family), families.count(family)
        ax.axhline(first, color="black", linewidth=1 if first else 0)
        words, place = family.replace("_", "\n"), first + n / 2
        ax.text(1.01, place, words, transform=ax.get_yaxis_transform(), **look)
