"""Figure and table of `measure_positions`: Luisto's figures 13, 16 and 17."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import absent, counted, new_figure, say_absent
from embspace.draw.page.markdown import markdown_table, section
from embspace.settings.types import PositiveShare

RESULTS = ("properties.csv", "profiles.csv", "safetensors")
DIVERGING = "RdBu_r"
N_COLORS = 11
SEQUENTIAL = "viridis"


def draw_positions(
    results: dict[str, Any],
    label: str,
    *,
    height_mm: PositiveFloat,
    n_profiles: PositiveInt,
    profile_length: PositiveInt,
    limit_quantile: PositiveShare,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """The positional matrix, its cosines, and how they run with the offset; the properties.

    Colors of the matrix end where a share `limit_quantile` of the absolute values does. Curves are
    of the first `n_profiles` structured positions: their rows of the heat map, over its first
    `profile_length` columns, and their cosines with the next `profile_length` positions.
    """
    tensors, properties = results["safetensors"], results["properties"]
    figure, axes = new_figure(
        2,
        2,
        height_mm=height_mm,
        title="Positional embeddings and their cosines",
        subtitle=f"{label} · {_population(tensors)}",
        stage="measure_positions",
    )
    text = _tables(properties, label, digits)
    if not tensors:
        say_absent(axes, label, "positional")
        return figure, text
    limit = float(np.quantile(np.abs(tensors["positional"]), limit_quantile))
    beyond = 100 * (1 - limit_quantile)
    words = f"component; the largest {beyond:.2g} % lie beyond the colors"
    _heat_map(axes[0], tensors["positional"], limit, words)
    axes[0].set(title="Positional matrix", xlabel="dimension")
    _heat_map(axes[1], tensors["cosines"], 1.0, "cosine")
    axes[1].set(title="Cosines of all pairs of positions", xlabel="position")
    if tensors["structured"].any():
        _curves(axes[2:], tensors, n_profiles, profile_length)
        _mean_profile(axes[3], results["profiles"][:profile_length])
    else:
        _say_empty(axes[2:], "no structured position")
    _property_values(figure, properties, bool(tensors["structured"].any()))
    return figure, text


def _heat_map(ax: Axes, values: np.ndarray, limit: float, words: str) -> None:
    # Few colors, and none between them, make files a third as large.
    image = ax.imshow(
        values,
        cmap=colormaps[DIVERGING].resampled(N_COLORS),
        vmin=-limit,
        vmax=limit,
        aspect="auto",
        interpolation_stage="data",
    )
    extend = "both" if np.nanmax(np.abs(values)) > limit else "neither"
    bar = ax.figure.colorbar(image, ax=ax, extend=extend, location="bottom", aspect=40, pad=0.02)
    bar.set_label(words, fontsize=7)
    ax.grid(visible=False)
    ax.set_ylabel("position")


def _curves(
    axes: Sequence[Axes], tensors: dict[str, np.ndarray], n_profiles: int, profile_length: int
) -> None:
    """Rows of the heat map, and how the same positions' cosines with the next run by offset.

    A row has the positions before and the position itself, too, and so all columns there are;
    by offset only structured positions count.
    """
    structured = np.flatnonzero(tensors["structured"])[:n_profiles]
    colors = colormaps[SEQUENTIAL](np.linspace(0, 0.9, len(structured)))
    shown = np.where(tensors["structured"], tensors["cosines"], np.nan)
    for position, color in zip(structured, colors, strict=True):
        row = tensors["cosines"][position, :profile_length]
        following = shown[position, position + 1 : position + 1 + profile_length]
        named = position in structured[[0, -1]]
        name = f"position {position}" if named else None
        axes[0].plot(np.arange(len(row)), row, color=color, linewidth=0.8, label=name)
        axes[1].plot(np.arange(1, len(following) + 1), following, color=color, linewidth=0.8)
    n_columns = min(profile_length, len(shown))
    axes[0].set(
        title=f"Rows of {counted(len(structured), 'position')}, first {n_columns} columns",
        xlabel="the other position",
        ylabel="cosine",
        ylim=(None, 1.02),
    )
    axes[0].legend(loc="upper right")


def _mean_profile(ax: Axes, profile: pd.DataFrame) -> None:
    offset, mean = profile["offset"], profile["mean"]
    deviation = profile["standard_deviation"]
    ax.plot(offset, mean, color="black", linewidth=1.6, label="mean of all structured")
    ax.fill_between(
        offset,
        mean - deviation,
        mean + deviation,
        color="0.8",
        zorder=1,
        label="± standard deviation",
    )
    ax.set(title="With the next, by offset", xlabel="offset", ylabel="cosine", ylim=(None, 1))
    ax.legend(loc="upper right")


def _property_values(figure: Figure, properties: pd.DataFrame, structured: bool) -> None:
    """The properties by window, and what shuffling gives in the largest."""
    population = "structured" if structured else "all"
    rows = properties[properties["positions"] == population]
    lines = []
    for name, each in rows.groupby("property", sort=False):
        values = " · ".join(f"{value:z.2f}" for value in each["value"])
        shuffled = each["null_mean"].iloc[-1]
        lines.append(f"{name} {values} (shuffled {shuffled:z.2f})".replace("_", " "))
    windows = " · ".join(f"{each}" for each in rows["largest_offset"].unique())
    figure.legend(
        [Line2D([], [], linestyle="none")] * len(lines),
        lines,
        title=f"{population} positions, offsets up to {windows}",
        loc="outside lower left",
        handlelength=0,
        handletextpad=0,
        alignment="left",
    )


def _say_empty(axes: Sequence[Axes], words: str) -> None:
    for ax in axes:
        ax.set_axis_off()
    axes[0].set_title(words)


def _population(tensors: dict[str, np.ndarray]) -> str:
    if not tensors:
        return "nothing to show"
    n, structured = len(tensors["structured"]), int(tensors["structured"].sum())
    left_out = counted(n - structured, "outlying or unstructured one")
    return f"raw learned matrix · {counted(n, 'position')}" + (
        f", by offset without the {left_out}" if structured < n else ""
    )


def _tables(properties: pd.DataFrame, label: str, digits: int) -> str:
    heading = f"# Positional embeddings of {label}\n\n"
    if properties.empty:
        return f"{heading}Stage `measure_positions`.\n\n{absent(label, 'positional')}\n"
    shown = properties.assign(property=properties["property"].str.replace("_", " "))
    return heading + section(
        "Properties",
        "Stage `measure_positions`. Translation invariance: share of the variance of the cosines "
        "that the offset explains. Monotonicity: probability that the nearer of two positions is "
        "the more similar one. Symmetry: correlation of the cosines forward and backward. Among "
        "pairs no further apart than the largest offset. The null shuffles the positions.",
        markdown_table(shown, digits),
    )
