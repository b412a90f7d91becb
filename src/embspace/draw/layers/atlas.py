"""Draws figure and table of all families' measures of a model's layers, side by side."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from pydantic import NonNegativeInt, PositiveFloat
from scipy.stats import norm

from embspace.draw.layers.profile_tables import by_layer
from embspace.draw.page.canvas import count, counted, new_figure, say_instead
from embspace.draw.page.markdown import section
from embspace.draw.page.measure_names import name_of
from embspace.draw.page.saving import Results

KEYS = ["family", "measure"]
COLORS: dict[str, Any] = {"cmap": "RdBu_r", "vmin": -100, "vmax": 100, "linewidths": 0.5}
KEY = (
    "gray: the number depends on how many texts there are, or does in most of the row · frames: "
    "smallest and largest of a row, if intervals for all pairs of layers at once do not meet"
)
LEVEL = 0.05
FURTHER_RESULTS = ("direction/nulls.csv", "spectrum/nulls.csv", "context/nulls.csv")
RANDOM = ("direction/nulls", "spectrum/nulls", "context/nulls")
INSET = 0.04  # of a cell, from its edge to a frame
HALF = 0.5  # of a row's values that converged, at least, to compare them


def draw_atlas(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw a row per measure with intervals, a column per layer.

    Numbers are the values, in gray cells if they depend on the number of texts. Colors show by how
    many percent a value is above or below the mean of the row, so that rows compare as well; frames
    mark the smallest and the largest value of a row whose intervals do not meet.
    """
    rows = results["csv"]
    shown = rows[rows.groupby("measure")["low"].transform("count") > 0]
    wide = shown.pivot_table("value", KEYS, "layer", sort=False)
    n = (
        f"{count(rows['n'].max())} vectors of {count(rows['n_texts'].max())} texts"
        if len(rows)
        else ""
    )
    ends, is_beyond = _ends(wide, shown), _beyond_random(results)
    figure, axes = new_figure(
        1,
        1,
        height_mm=row_height_mm * max(len(wide), 4) + 38,
        title=_title(ends, _n_converged(wide, shown), is_beyond),
        subtitle=" · ".join(filter(None, [label, n, KEY, _beside(is_beyond)])),
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


def _ends(wide: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the layers of the smallest and the largest converged value of a row.

    A row has none if the intervals of both meet, wide enough for all pairs of layers, or if its
    values mostly did not converge.
    """
    margins = {
        end: _wide(rows.assign(margin=sign * (rows[end] - rows["value"])), "margin", wide)
        for end, sign in (("low", -1), ("high", 1))
    }
    kept = wide.mask(_is_moving(wide, rows)).dropna(how="all")
    ends = pd.DataFrame({"smallest": kept.idxmin(axis=1), "largest": kept.idxmax(axis=1)})
    factor = _factor(len(wide.columns))
    is_apart = [
        wide.loc[row, low] + factor * margins["high"].loc[row, low]
        < wide.loc[row, high] - factor * margins["low"].loc[row, high]
        for row, low, high in ends.itertuples(name=None)
    ]
    return ends[np.array(is_apart, dtype=bool)]


def _n_converged(wide: pd.DataFrame, rows: pd.DataFrame) -> int:
    """Return the number of rows of which most values converged."""
    return int((~_is_moving(wide, rows)).any(axis=1).sum()) if len(wide) else 0


def _wide(rows: pd.DataFrame, column: str, like: pd.DataFrame) -> pd.DataFrame:
    return rows.pivot_table(column, KEYS, "layer", sort=False).reindex_like(like)


def _factor(n_layers: int) -> float:
    """Return how much wider a 95 % interval is that holds for all pairs of layers at once."""
    n_pairs = max(n_layers * (n_layers - 1) / 2, 1)
    usual, all_at_once = norm.isf([LEVEL / 2, LEVEL / 2 / n_pairs])
    return float(all_at_once / usual)


def _beyond_random(results: Results) -> pd.Series:
    """Return by measure whether layers differ more than at random weights, on the same tokens."""
    nulls = pd.concat([results[name] for name in RANDOM])
    nulls = nulls[(nulls["null"] == "random_initialization") & (nulls["space"] == "token")]
    nulls = nulls[(nulls["change"] == "as_is") & nulls["measure"].isin(results["csv"]["measure"])]
    by_layer = nulls.dropna(subset=["null_mean"]).groupby("measure")[["value", "null_mean"]]
    ranges = by_layer.max() - by_layer.min()
    return ranges["value"] > ranges["null_mean"]


def _is_moving(wide: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Return where a value depends on the number of texts, as all do where most values of a row."""
    moving = rows.assign(moving=rows["converged"].astype(str) != "True")
    is_moving = moving.pivot_table("moving", KEYS, "layer", sort=False, aggfunc="max")
    is_moving = is_moving.reindex_like(wide).fillna(False).astype(bool)
    is_row = (wide.notna() & ~is_moving).mean(axis=1) < HALF
    return is_moving | is_row.to_numpy()[:, None]


def _title(ends: pd.DataFrame, n: int, is_beyond: pd.Series) -> str:
    """Return in how many measures layers differ, and whether more than at random weights."""
    if ends.empty:
        return "No measure surely differs between layers"
    said = f"{len(ends)} of {counted(n, 'converged measure')}"
    said += f" surely {'differs' if len(ends) == 1 < n else 'differ'} between layers"
    if is_beyond.empty:
        return said
    share = "" if is_beyond.all() else "mostly " if is_beyond.mean() > HALF else "not "
    return f"{said}; those known at random weights {share}by more than there"


def _beside(is_beyond: pd.Series) -> str:
    """Return for the subtitle in how many measures layers differ more than at random weights."""
    if is_beyond.empty:
        return "random weights: not measured"
    n = counted(len(is_beyond), "measure")
    return f"range over layers beyond that of random weights in {is_beyond.sum()} of {n}"


def _heat_map(ax: Axes, wide: pd.DataFrame, rows: pd.DataFrame) -> None:
    import seaborn as sns

    is_moving, ends = _is_moving(wide, rows), _ends(wide, rows)
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
        if tuple(row) in ends.index and layer in set(ends.loc[tuple(row)]):
            inside = (corner[0] + INSET, corner[1] + INSET)
            size = 1 - 2 * INSET  # so that frames of neighbors do not merge
            ax.add_patch(Rectangle(inside, size, size, fill=False, linewidth=1.2, zorder=2.5))
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
