"""Draws position embeddings, their cosines and norms, after Luisto's figures 13, 14 and 17."""

import numpy as np
import pandas as pd
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import (
    HALO,
    absent,
    counted,
    join_panels,
    new_figure,
    percent,
    say_absent,
    say_instead,
    write_beside,
)
from embspace.draw.page.direct_labels import spread
from embspace.draw.page.looks import BLACK, GRAY, SPACES
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.nulls import NULLS_NOTE, nulls_table
from embspace.draw.page.saving import Results
from embspace.settings.types import PositiveShare

DIVERGING, SEQUENTIAL = "RdBu_r", "mako"
# Smooth maps show no edges with so many colors, and files of rough ones stay small.
N_DIVERGING, N_SEQUENTIAL = 11, 16
FURTHER_RESULTS = ("regimes/positions.csv", "regimes/summary.csv")
EDGE, ROOM = 0.01, 0.25  # shares: of norms beyond the axis, and of its range on either side
NAME = 0.12  # of the width, of a name
N_NAMED = 8  # positions beyond the axis that have names


def draw_positions(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    n_profiles: PositiveInt,
    profile_length: PositiveInt,
    limit_quantile: PositiveShare,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the matrix of positions, all cosines, these by offset, and the norms with regimes.

    Colors of the matrix end where a share `limit_quantile` of the absolute values does. The first
    `n_profiles` structured positions have a curve with the next `profile_length` ones.
    """
    tensors, properties = results["safetensors"], results["properties"]
    figure, axes = new_figure(
        3,
        2,
        height_mm=height_mm,
        title=_finding(properties),
        subtitle=f"{label} · {_population(tensors)}",
        stage="measure_positions",
    )
    text = _tables(properties, results["nulls"], label, digits)
    if not tensors:
        say_absent(axes, label, "positional")
        return figure, text
    limit = float(np.quantile(np.abs(tensors["positional"]), limit_quantile))
    diverging(axes[0], by_frequency(tensors["positional"]), N_DIVERGING, limit)
    _color_bar(axes[0], f"component ({100 * limit_quantile:g} % in range)")
    axes[0].set(title="Position embeddings", xlabel="dimension, from low to high frequency")
    cosines = tensors["cosines"]
    sequential(axes[1], cosines, N_SEQUENTIAL, float(np.nanmin(cosines)))
    _color_bar(axes[1], "cosine")
    axes[1].set(title="Cosines of all pairs of positions", xlabel="position")
    axes[0].set_ylabel("position")
    below, strip = join_panels(axes[2:4]), join_panels(axes[4:])
    if tensors["structured"].any():
        _curves(below, tensors, n_profiles, profile_length)
        shown = results["profiles"][:profile_length]
        _mean_profile(below, shown, properties)
    else:
        say_instead([below], "no structured positions")
    _norms(strip, results["regimes/positions"], results["regimes/summary"])
    return figure, text


def _finding(properties: pd.DataFrame) -> str:
    rows = _by_offset(properties)
    if rows.empty:
        return "There are no position embeddings to look at"
    near = rows.iloc[0]
    if not near["value"] > near["null_quantile_0.975"]:
        return "The cosine of two positions depends on their offset no more than in shuffled order"
    return (
        f"The cosine of two positions depends on their offset: up to {near['largest_offset']}, it "
        f"explains {percent(near['value'])} of the variance, in shuffled order "
        f"{percent(near['null_mean'])}"
    )


def _by_offset(properties: pd.DataFrame) -> pd.DataFrame:
    """Return the shares of variance that the offset explains, of structured positions if any."""
    rows = properties[properties["property"] == "translation_invariance"]
    has_structured = (rows["positions"] == "structured").any()
    return rows[rows["positions"] == ("structured" if has_structured else "all")]


def by_frequency(matrix: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "n dim"]:
    """Sort the columns by the strongest frequency of each, then by the phase of that."""
    # Positions at the ends are often far longer than the rest, and so have all frequencies.
    clipped = np.clip(matrix, *np.quantile(matrix, [0.005, 0.995]))
    waves = np.fft.rfft(clipped, axis=0)[1:]
    strongest = np.abs(waves).argmax(axis=0)
    phase = np.angle(waves[strongest, np.arange(matrix.shape[1])])
    return matrix[:, np.lexsort((phase, strongest))]


def diverging(
    ax: Axes, values: Float[np.ndarray, "row column"], n_colors: int, limit: float
) -> AxesImage:
    """Draw values on both sides of 0, all beyond the limit in one color; return the image."""
    return _image(ax, values, DIVERGING, n_colors, (-limit, limit))


def sequential(
    ax: Axes, values: Float[np.ndarray, "row column"], n_colors: int, lowest: float
) -> AxesImage:
    """Draw values from the lowest to the highest of them; return the image."""
    return _image(ax, values, SEQUENTIAL, n_colors, (lowest, float(np.nanmax(values))))


def _image(
    ax: Axes,
    values: Float[np.ndarray, "row column"],
    name: str,
    n_colors: int,
    limits: tuple[float, float],
) -> AxesImage:
    import seaborn as sns

    cmap, (low, high) = sns.color_palette(name, as_cmap=True).resampled(n_colors), limits
    ax.grid(visible=False)
    return ax.imshow(
        values, cmap=cmap, vmin=low, vmax=high, aspect="auto", interpolation_stage="data"
    )


def _color_bar(ax: Axes, name: str) -> None:
    [image] = ax.images
    values, (_, high) = np.asarray(image.get_array()), image.get_clim()
    extend = "both" if np.nanmax(np.abs(values)) > high * (1 + 1e-6) else "neither"
    bar = ax.figure.colorbar(image, ax=ax, extend=extend, location="bottom", aspect=40, pad=0.02)
    bar.set_label(name, fontsize=7)
    bar.ax.locator_params(nbins=5)


def _curves(ax: Axes, tensors: dict[str, np.ndarray], n_profiles: int, profile_length: int) -> None:
    """Draw the cosines of the first structured positions with the next ones by offset."""
    first = np.flatnonzero(tensors["structured"])[:n_profiles]
    shown = np.where(tensors["structured"], tensors["cosines"], np.nan)
    for position in first:
        following = shown[position, position + 1 : position + 1 + profile_length]
        offsets = np.arange(1, len(following) + 1)
        name = f"positions {first[0]} to {first[-1]}" if position == first[0] else None
        ax.plot(offsets, following, color=GRAY, linewidth=0.6, label=name)


def _mean_profile(ax: Axes, profile: pd.DataFrame, properties: pd.DataFrame) -> None:
    offset, mean = profile["offset"], profile["mean"]
    deviation = profile["standard_deviation"]
    color = SPACES["positional"].color
    ax.plot(offset, mean, color=color, linewidth=1.6, label="mean of all positions")
    ends = (mean - deviation, mean + deviation)
    ax.fill_between(
        offset, *ends, color=color, alpha=0.2, linewidth=0, zorder=1, label="± standard deviation"
    )
    shares = "; ".join(
        f"up to {row['largest_offset']}: {percent(row['value'])} "
        f"(shuffled {percent(row['null_mean'])})"
        for row in _by_offset(properties).to_dict("records")
        if row["largest_offset"] <= offset.max()
    )
    ax.set(title="Cosine by offset", xlabel=f"offset; of the variance, it explains {shares}")
    ax.set(ylabel="cosine", ylim=(None, 1.2), xlim=(0, None))
    ax.legend(loc="upper right", ncols=3)


def _norms(ax: Axes, positions: pd.DataFrame, regimes: pd.DataFrame) -> None:
    """Draw the norm of each position, the mean of each regime, and name outliers at the edge."""
    apart, norm = positions["outlying"].astype(bool), positions["norm"]
    low, high = norm[~apart].quantile([EDGE, 1 - EDGE])
    low, high = low - ROOM * (high - low), high + 2 * ROOM * (high - low)
    shown = norm.between(low, high)
    color = SPACES["positional"].color
    ax.plot(positions["position"][shown], norm[shown], ".", color=color, markersize=2)
    beyond = positions[~shown].sort_values("position")
    wanted = -beyond["position"] / max(1, len(positions)) if len(beyond) <= N_NAMED else []
    # From right to left, for the last name must end at the edge.
    places = -spread(wanted, NAME, NAME - 1)
    for place, (_, row) in zip(places, beyond.iterrows(), strict=False):
        up = row["norm"] > high
        words = f"{row['position']}: {row['norm']:.2f} {'↑' if up else '↓'}"
        height, side = (0.97, "top") if up else (0.03, "bottom")
        ax.text(place, height, words, transform=ax.transAxes, va=side, fontsize=7)
    ends = regimes["first_position"], regimes["last_position"]
    ax.hlines(regimes["mean_norm"], *ends, color=BLACK, linewidth=1, zorder=3)
    for row in regimes.to_dict("records"):
        middle = (row["first_position"] + row["last_position"]) / 2
        write_beside(
            ax,
            f"{row['mean_norm']:.3f}",
            (middle, row["mean_norm"]),
            (0, 7),
            ha="center",
            path_effects=HALO,
        )
        if row["first_position"]:
            ax.axvline(row["first_position"] - 0.5, color=GRAY, linewidth=0.8)
    starts = ", ".join(map(str, regimes["first_position"][1:]))
    n = counted(len(regimes), "regime")
    ax.set(title=f"Norm: {n}" + (f", changes at {starts}" if starts else ""))
    ax.set(xlabel="position", ylabel="norm", ylim=(low, high), xlim=(-2, len(positions) + 2))


def _population(tensors: dict[str, np.ndarray]) -> str:
    if not tensors:
        return "nothing to show"
    n, structured = len(tensors["structured"]), int(tensors["structured"].sum())
    left_out = counted(n - structured, "outlying or unstructured position")
    return f"raw learned matrix · n = {counted(n, 'position')}" + (
        f", by offset: {left_out} left out" if structured < n else ""
    )


def _tables(properties: pd.DataFrame, nulls: pd.DataFrame, label: str, digits: int) -> str:
    heading = f"# Position embeddings of {label}\n\n"
    if properties.empty:
        return f"{heading}Stage `measure_positions`.\n\n{absent(label, 'positional')}\n"
    shown = properties.assign(property=properties["property"].str.replace("_", " "))
    against = section("Structured positions against nulls", NULLS_NOTE, nulls_table(nulls, digits))
    properties_section = section(
        "Properties",
        "Stage `measure_positions`. Translation invariance: share of the variance of the cosines "
        "that the offset explains. Monotonicity: probability that the nearer of two positions is "
        "the more similar one. Symmetry: correlation of the cosines forward and backward. Among "
        "pairs no further apart than the largest offset. The null shuffles the positions.",
        markdown_table(shown, digits),
    )
    return (
        f"{heading}{properties_section}\n{against}" if len(nulls) else heading + properties_section
    )
