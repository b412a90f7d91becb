"""Draws heads on a plane by how their attention differs, from `measure_head_features`."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.attention.head_names import head_name
from embspace.draw.page.canvas import (
    counted,
    legend_below,
    new_figure,
    percent,
    say_instead,
    shade,
    without_axes,
)
from embspace.draw.page.looks import BLUE, GRAY, VERMILION, Look
from embspace.draw.page.markdown import interval, markdown_table, same, section, tables_page
from embspace.draw.page.wording import side_by_side

STAGE = "measure_head_features"
RESULTS = ("head_features/plane.csv", "head_features/divergence.csv")
LEAST = 0.001  # bits; fewer are said to be less than that
COMPARED = {
    "same_layer": Look("heads of the same layer", BLUE, "o", "-"),
    "other_layers": Look("heads of other layers", VERMILION, "s", "--"),
}
DIVERGENCES = {
    **same("layer"),
    "compared_with": "compared with",
    **interval("divergence", "divergence (bits)"),
    "random_weights": "random weights",
}
NEAREST = {"head": "head", "nearest": "nearest head", "nearest_divergence": "divergence (bits)"}


def draw_head_map(
    results: dict[str, Any], label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the plane of heads, and by layer how much heads differ."""
    plane, divergence = results["head_features/plane"], results["head_features/divergence"]
    figure, axes = new_figure(
        1,
        2,
        height_mm=height_mm,
        title=_finding(divergence),
        subtitle=_subtitle(plane, label, divergence),
        stage=STAGE,
    )
    title = f"Map of heads of {label}"
    if plane.empty:
        say_instead(axes, "there are no two heads to compare")
        return figure, tables_page(title, STAGE, "There are no two heads to compare.\n")
    _plane(axes[0], plane)
    _by_layer(axes[1], divergence)
    legend_below(figure, [axes[1]], ncols=3)
    return figure, _tables(plane, divergence, title, digits)


def _finding(divergence: pd.DataFrame) -> str:
    if divergence.empty:
        return "No heads: the model reads no text, or gives no attention of every layer"
    found = divergence[divergence["layer"].isna()].set_index("compared_with")
    own, other = found.loc[[*COMPARED], "divergence"].to_numpy(float)
    random = found["random_weights"].to_numpy(float)[0]
    less = found.loc["difference"]
    verdict = (
        "less than"
        if less["divergence_low"] > 0
        else "more than"
        if less["divergence_high"] < 0
        else "not clearly otherwise than"
    )
    is_sure = not less["divergence_low"] <= 0 <= less["divergence_high"]
    one, two = side_by_side([own, other], 2, differ=is_sure)
    beside = "" if np.isnan(random) else f"; with random weights by {_small(random)}"
    if one == two and is_sure:  # the digits of a title do not tell them apart
        return (
            f"Heads of one layer differ by {one} bits, as much as those of different layers{beside}"
        )
    return (
        f"Heads of one layer differ by {one} bits, {verdict} those of different layers, "
        f"{two} bits{beside}"
    )


def _small(bits: float) -> str:
    """Return a number that may be near 0, without an exponent."""
    return f"less than {LEAST:g}" if 0 < bits < LEAST else f"{bits:.2g}"


def _subtitle(plane: pd.DataFrame, label: str, divergence: pd.DataFrame) -> str:
    if plane.empty:
        return label
    row = divergence.iloc[0]
    return (
        f"{label} · {counted(len(plane), 'head')} · Jensen-Shannon divergence of their rows, mean "
        f"over {counted(row['n_texts'], 'text')} (Clark et al. 2019) · the plane keeps "
        f"{percent(plane['plane_share'].iloc[0])} of the squared distances, "
        "the most apart heads named · bands: "
        f"{100 * row['level']:g} % intervals over texts"
    )


def _plane(ax: Axes, plane: pd.DataFrame) -> None:
    import seaborn as sns

    sns.scatterplot(
        plane, x="x", y="y", hue="layer", palette="crest", s=26, ax=ax, linewidth=0, legend=False
    )
    for layer, head, x, y in _apart(plane):
        ax.annotate(head_name(layer, head), (x, y), (4, 3), textcoords="offset points", fontsize=7)
    without_axes(ax)
    colors = ScalarMappable(Normalize(*plane["layer"].agg(["min", "max"])), "crest")
    bar = ax.figure.colorbar(colors, ax=ax, shrink=0.6, aspect=16, pad=0.02, label="layer")
    bar.locator = MaxNLocator(integer=True, nbins=6)
    bar.outline.set_visible(False)
    ax.set(title="heads on a plane (layer.head)", xlabel="", ylabel="")


def _apart(plane: pd.DataFrame) -> list[tuple[float, ...]]:
    """Return the heads that are named: no other head lies where the name would stand."""
    named: list[tuple[float, ...]] = []
    places = plane[["x", "y"]].drop_duplicates().to_numpy(float)
    size = float((plane[["x", "y"]].max() - plane[["x", "y"]].min()).max()) or 1.0
    for row in plane[["layer", "head", "x", "y"]].itertuples(index=False):
        near = [
            abs(row[2] - x) < 0.11 * size and abs(row[3] - y) < 0.05 * size for _, _, x, y in named
        ]
        right, above = (places - np.array(row[2:], dtype=float)).T / size
        hidden = (right > 0) & (right < 0.13) & (above > -0.03) & (above < 0.08)
        if not any(near) and not hidden.any():
            named.append(tuple(map(float, row)))
    return named


def _by_layer(ax: Axes, divergence: pd.DataFrame) -> None:
    of_layers = divergence[divergence["layer"].notna()]
    for name, look in COMPARED.items():
        rows = of_layers[of_layers["compared_with"] == name]
        style: dict[str, Any] = {"color": look.color, "marker": look.marker, "ls": look.line}
        ax.plot(rows["layer"], rows["divergence"], label=look.name, ms=4, **style)
        shade(ax, rows, "layer", "divergence", color=look.color, alpha=0.2)
    rows = of_layers[of_layers["compared_with"] == "same_layer"]
    ax.plot(rows["layer"], rows["random_weights"], color=GRAY, ls=":", label="random weights")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(title="difference of heads by layer", xlabel="layer", ylabel="divergence (bits)")
    ax.set_ylim(bottom=0)


def _tables(plane: pd.DataFrame, divergence: pd.DataFrame, title: str, digits: int) -> str:
    words = {name: look.name for name, look in COMPARED.items()} | {"difference": "difference"}
    shown = divergence.assign(compared_with=divergence["compared_with"].map(words))
    first = section(
        "Divergence",
        "From 0, equal attention, to 1, no key in common. The difference is that from other layers "
        "less that in the same layer, over the same texts; a row without a layer is the mean.",
        markdown_table(shown.reindex(columns=[*DIVERGENCES]).rename(columns=DIVERGENCES), digits),
    )
    pairs = plane.sort_values("nearest_divergence", kind="stable").head(12)
    names = {
        "head": map(head_name, pairs["layer"], pairs["head"]),
        "nearest": map(head_name, pairs["nearest_layer"], pairs["nearest_head"]),
        "nearest_divergence": pairs["nearest_divergence"],
    }
    nearest = section(
        "Heads most alike",
        "Named by layer and head.",
        markdown_table(
            pd.DataFrame({key: list(each) for key, each in names.items()}).rename(columns=NEAREST),
            digits,
        ),
    )
    return tables_page(title, STAGE, first, nearest)
