"""Draws figure and table of all families' measures of a model's layers, side by side."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.layers.profile_tables import by_layer
from embspace.draw.page.canvas import count, counted, new_figure, say_instead
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.measure_names import name_of
from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.saving import Results

KEYS = ["family", "measure"]
COLORS: dict[str, Any] = {"cmap": "RdBu_r", "vmin": -100, "vmax": 100, "linewidths": 0.5}
KEY = (
    "gray: the number depends on how many texts there are, or does in most of the row · frames: "
    "smallest and largest of a row but for gray ones, if intervals for all pairs of layers at once "
    "do not meet"
)
DIFFER = (
    "Layers differ if the intervals of the smallest and the largest value do not meet, widened to "
    "hold for all pairs of layers at once; what depends on the number of texts takes no part."
)
INSET = 0.04  # of a cell, from its edge to a frame
SMALL = 1e-3  # a value below has a single digit
MARKS = {"yes": "\N{BLACK CIRCLE}", "no": "\N{WHITE CIRCLE}"}  # of measures of random weights


def draw_atlas(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw a row per measure with intervals, a column per layer.

    Numbers are the values, in gray cells if they depend on the number of texts. Colors show by how
    many percent a value is above or below the mean of the row, so that rows compare as well; frames
    mark the smallest and the largest value of a row whose layers differ.
    """
    rows, measures = results["csv"], results["measures"].set_index(KEYS)
    shown = rows[rows.groupby("measure")["low"].transform("count") > 0]
    wide = shown.pivot_table("value", KEYS, "layer", sort=False)
    n = (
        f"{count(rows['n'].max())} vectors of {count(rows['n_texts'].max())} documents"
        if len(rows)
        else ""
    )
    measures = measures.reindex(wide.index)
    figure, axes = new_figure(
        1,
        1,
        height_mm=row_height_mm * max(len(wide), 4) + 38,
        title=_title(measures),
        subtitle=" · ".join(filter(None, [label, n, KEY, _beside(measures)])),
        stage="measure_atlas",
    )
    heading = f"# Atlas of {label}\n\nStage `measure_atlas`.\n"
    if wide.empty:
        say_instead(
            axes, f"{label}: the corpus was not profiled, see conf/measure/layers/atlas.yaml"
        )
        return figure, f"{heading}\nNone.\n"
    _heat_map(axes[0], wide, _is_moving(wide, shown, measures), measures)
    table = by_layer(rows.assign(family=rows["family"].str.replace("_", " ")), ["family"], digits)
    compared = section("Layers that differ", DIFFER, _compared(results, digits))
    return figure, f"{heading}\n{section('All families', f'{n}.', table)}\n{compared}"


def _compared(results: Results, digits: int) -> str:
    rows = results["measures"].query("is_compared == 'yes'")
    names = {name: name_of(str(name)) for name in rows["measure"]}
    table = results.for_readers("measures", rows, measure=names)
    left_out = ["family", "layers that converged", "most converged"]
    return markdown_table(table.drop(columns=left_out), digits)


def _deviations(wide: pd.DataFrame, is_moving: pd.DataFrame) -> pd.DataFrame:
    """Return by how many percent the layers are above the mean of the row's converged values."""
    mean = wide.mask(is_moving).mean(axis=1)
    return 100 * wide.sub(mean, axis=0).div(mean.abs().where(mean != 0), axis=0).fillna(0.0)


def _is_moving(wide: pd.DataFrame, rows: pd.DataFrame, measures: pd.DataFrame) -> pd.DataFrame:
    """Return where a value depends on the number of texts, as all do where most values of a row."""
    moving = rows.assign(moving=rows["converged"].astype(str) != "True")
    is_moving = moving.pivot_table("moving", KEYS, "layer", sort=False, aggfunc="max")
    is_moving = is_moving.reindex_like(wide).fillna(False).astype(bool)
    return is_moving | (measures["is_compared"] != "yes").to_numpy()[:, None]


def _title(measures: pd.DataFrame) -> str:
    """Return by how many measures layers differ, and whether more than at random weights."""
    n, n_differ = (int((measures[name] == "yes").sum()) for name in ("is_compared", "differs"))
    if not n_differ:
        return "No measure surely differs between layers"
    measured = counted(n, "converged measure")
    said = f"Layers surely differ in {'all ' if n_differ == n else f'{n_differ} of '}{measured}"
    is_beyond = _beyond_random(measures)
    if is_beyond.empty:
        return said
    n_beyond, n_measured = int(is_beyond.sum()), len(is_beyond)
    counts = f"{n_beyond} of {n_measured}" if n_beyond else "none"
    if n_beyond == n_measured:
        counts = f"all {n_measured}" if n_differ == n else "all"
    return f"{said}, and more than at random weights in {counts} measured there"


def _beyond_random(measures: pd.DataFrame) -> pd.Series:
    """Return whether layers that differ do so more than at random weights, where that is known."""
    is_beyond = measures.loc[measures["differs"] == "yes", "beyond_random_weights"]
    return is_beyond[is_beyond.isin(["yes", "no"])] == "yes"


def _beside(measures: pd.DataFrame) -> str:
    """Return for the subtitle by how many measures layers differ more than at random weights."""
    if not measures["beyond_random_weights"].isin(["yes", "no"]).any():
        return "random weights: not measured"
    corpus = corpus_called(str(measures["random_weights_corpus"].dropna().iloc[0]))
    if not _has_dots(measures):
        return f"no range over layers is beyond that of random weights, on {corpus}"
    rings = "; ring: not beyond" if (measures["beyond_random_weights"] == "no").any() else ""
    return f"dot: range over layers beyond random weights, on {corpus}{rings}"


def _has_dots(measures: pd.DataFrame) -> bool:
    """Return whether a range is beyond random weights: rings alone would tell nothing apart."""
    return bool((measures["beyond_random_weights"] == "yes").any())


def _heat_map(
    ax: Axes, wide: pd.DataFrame, is_moving: pd.DataFrame, measures: pd.DataFrame
) -> None:
    import seaborn as sns

    ends = measures.loc[measures["differs"] == "yes", ["smallest_layer", "largest_layer"]]
    deviations = _deviations(wide, is_moving).where(wide.notna())
    marks = measures["beyond_random_weights"].map(MARKS if _has_dots(measures) else {}).fillna("")
    names = [name_of(str(measure)) for _, measure in wide.index]
    deviations.index = pd.Index(
        [" ".join(filter(None, row)) for row in zip(names, marks, strict=True)]
    )
    numbers: dict[str, Any] = {
        "annot": wide.map(_written),
        "fmt": "",
        "annot_kws": {"fontsize": 7},
    }
    bar = {"label": "% above the mean of the row", "pad": 0.05, "aspect": 40}
    # A positive value lies at most 100 % below the mean.
    bar["extend"] = "max" if wide.min().min() > 0 else "both"
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
    """Return a value with three significant digits, a whole number without a point.

    A small value has one digit, for cells are narrow.
    """
    if value != value:
        return ""
    if 0 < abs(value) < SMALL:
        return f"{value:.0e}"
    return f"{value:.0f}" if value == int(value) else f"{value:#.3g}".rstrip(".")


def _name_families(ax: Axes, families: list[str]) -> None:
    """Part the rows of families by lines, and name the families beside the rows."""
    look: dict[str, Any] = {"rotation": 270, "va": "center", "fontsize": 7, "color": "0.3"}
    for family in dict.fromkeys(families):
        first, n = families.index(family), families.count(family)
        ax.axhline(first, color="black", linewidth=1 if first else 0)
        words, place = family.replace("_", "\n"), first + n / 2
        ax.text(1.01, place, words, transform=ax.get_yaxis_transform(), **look)
