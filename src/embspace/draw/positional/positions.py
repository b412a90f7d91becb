"""Draws position embeddings, their cosines and norms, after Luisto's figures 13, 14 and 17."""

from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from matplotlib import colormaps
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
)
from embspace.draw.page.direct_labels import spread
from embspace.draw.page.looks import BLACK, GRAY, SPACES
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.nulls import NULLS_NOTE, nulls_table
from embspace.draw.page.saving import Results
from embspace.settings.types import PositiveShare

DIVERGING = "RdBu_r"
N_COLORS = 11  # smooth maps show few edges, and files of rough ones stay small
FURTHER_RESULTS = ("regimes/positions.csv", "regimes/summary.csv", "regimes/.json")
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
    nulls = results["nulls"]
    is_bare = bool(tensors) and not tensors["structured"].any()  # has no curves by offset
    n_rows = 2 if is_bare else 3
    figure, axes = new_figure(
        n_rows,
        2,
        height_mm=height_mm * n_rows / 3,
        title=_finding(properties, nulls, results["regimes/summary"]),
        subtitle=f"{label} · {_population(tensors, results['nulls'])}",
        stage="measure_positions",
    )
    text = _tables(properties, nulls, label, digits)
    if not tensors:
        say_absent(axes, label, "positional")
        return figure, text
    limit = float(np.quantile(np.abs(tensors["positional"]), limit_quantile))
    diverging(axes[0], by_frequency(tensors["positional"]), N_COLORS, limit)
    _color_bar(axes[0], f"component ({100 * limit_quantile:g} % in range)")
    axes[0].set(title="Position embeddings", xlabel="dimension, from low to high frequency")
    cosines = tensors["cosines"]
    diverging(axes[1], cosines, N_COLORS, 1.0)
    _color_bar(axes[1], "cosine")
    axes[1].set(title="Cosines of all pairs of positions", xlabel="position")
    axes[0].set_ylabel("position")
    if not is_bare:
        below = join_panels(axes[2:4])
        _curves(below, tensors, n_profiles, profile_length)
        shown = results["profiles"][:profile_length]
        _mean_profile(below, shown, properties, nulls)
    regimes = (results[f"regimes/{name}"] for name in ("positions", "summary", ".json"))
    _norms(join_panels(axes[-2:]), *regimes)
    return figure, text


def _finding(properties: pd.DataFrame, nulls: pd.DataFrame, regimes: pd.DataFrame) -> str:
    rows = _by_offset(properties)
    if rows.empty:
        return "There are no position embeddings to look at"
    near = rows.iloc[0]
    if not near["value"] > near["null_quantile_0.975"]:
        return "The cosine of two positions depends on their offset no more than in shuffled order"
    n_regimes = (~regimes["unstructured"].astype(bool)).sum()
    panel = "d" if (rows["positions"] == "structured").any() else "c"
    return (
        f"The offset explains {percent(near['value'])} of the variance of near positions' cosines, "
        f"{_walk_words(near, nulls)}{f'; norms lie in regimes ({panel})' if n_regimes > 1 else ''}"
    )


def _walk_words(row: pd.Series, nulls: pd.DataFrame) -> str:
    """Return in words what the offset explains of random walks, else of shuffled positions."""
    walks = _null(nulls, "random_walk", row["largest_offset"])
    if walks is None:
        return f"in shuffled order {percent(row['null_mean'])}"
    return f"in random walks {percent(walks)}"


def _null(nulls: pd.DataFrame, null: str, largest_offset: float) -> float | None:
    if nulls.empty:
        return None
    keys = ["measure", "null", "largest_offset"]
    values = nulls.set_index(keys)["null_value"]
    invariance = values.get(("translation_invariance", null, largest_offset))
    return None if invariance is None else float(invariance)


def _by_offset(properties: pd.DataFrame) -> pd.DataFrame:
    """Return the shares of variance that the offset explains, of structured positions if any."""
    rows = properties[properties["property"] == "translation_invariance"]
    has_structured = (rows["positions"] == "structured").any()
    return rows[rows["positions"] == ("structured" if has_structured else "all")]


def by_frequency(matrix: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "n dim"]:
    """Return the columns sorted by strongest frequency, then by the phase at this frequency."""
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
    ax.grid(visible=False)
    colors: dict[str, Any] = {
        "cmap": colormaps[DIVERGING].resampled(n_colors),
        "vmin": -limit,
        "vmax": limit,
    }
    return ax.imshow(values, aspect="auto", interpolation_stage="data", **colors)


def _color_bar(ax: Axes, name: str) -> None:
    [image] = ax.images
    values, (_, high) = np.asarray(image.get_array()), image.get_clim()
    extend = "both" if np.nanmax(np.abs(values)) > high * (1 + 1e-6) else "neither"
    bar = ax.figure.colorbar(image, ax=ax, extend=extend, location="bottom", aspect=40, pad=0.06)
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


def _mean_profile(
    ax: Axes, profile: pd.DataFrame, properties: pd.DataFrame, nulls: pd.DataFrame
) -> None:
    offset, mean = profile["offset"], profile["mean"]
    deviation = profile["standard_deviation"]
    color = SPACES["positional"].color
    ax.plot(offset, mean, color=color, linewidth=1.6, label="mean of all positions")
    ends = (mean - deviation, mean + deviation)
    ax.fill_between(
        offset, *ends, color=color, alpha=0.2, linewidth=0, zorder=1, label="± standard deviation"
    )
    shares = "; ".join(
        f"up to {row['largest_offset']} apart {percent(row['value'])}, {_walk_words(row, nulls)}"
        for _, row in _by_offset(properties).iterrows()
        if row["largest_offset"] <= offset.max()
    )
    words = f"explained by the offset: {shares}"
    ax.text(0.01, 0.06, words, transform=ax.transAxes, fontsize=7, path_effects=HALO)
    ax.set(title="Cosine by offset", xlabel="offset")
    lowest = min(0.0, float(ends[0].min()))
    ax.set(ylabel="cosine", ylim=(lowest - 0.3, 1.2), xlim=(0, None))
    ax.legend(loc="upper right", ncols=3)


def _norms(ax: Axes, positions: pd.DataFrame, regimes: pd.DataFrame, facts: dict[str, Any]) -> None:
    """Draw the norm of every position and the mean of every regime; name outliers at the edge."""
    apart, norm = positions["outlying"].astype(bool), positions["norm"]
    low, high = norm[~apart].quantile([EDGE, 1 - EDGE])
    low, high = low - ROOM * (high - low), high + 2 * ROOM * (high - low)
    shown = norm.between(low, high)
    color = SPACES["positional"].color
    ax.plot(positions["position"][shown], norm[shown], ".", color=color, markersize=2)
    beyond = positions[~shown].sort_values("position")
    beyond = beyond if len(beyond) <= N_NAMED else beyond[:0]
    _name_beyond(ax, beyond.assign(is_up=beyond["norm"] > high), len(positions))
    ends = regimes["first_position"], regimes["last_position"]
    ax.hlines(regimes["mean_norm"], *ends, color=BLACK, linewidth=1, zorder=3)
    for row in regimes.to_dict("records"):
        middle = (row["first_position"] + row["last_position"]) / 2
        look: dict[str, Any] = {
            "transform": ax.get_xaxis_transform(),
            "ha": "center",
            "fontsize": 7,
        }
        ax.text(middle, 0.03, f"mean {row['mean_norm']:.3f}", **look)
        if row["first_position"]:
            ax.axvline(row["first_position"] - 0.5, color=GRAY, linewidth=0.8)
    starts = ", ".join(map(str, regimes["first_position"][1:]))
    n, n_null = counted(len(regimes), "regime"), facts.get("n_simulations", 0)
    n_false = round(facts["false_alarm_rate"] * n_null) if n_null else 0
    beside = f"; of {n_null} stationary tables {n_false} have any" if n_null else ""
    ax.set(title=f"Norm: {n}" + (f", changes at {starts}{beside}" if starts else ""))
    ax.set(xlabel="position", ylabel="norm", ylim=(low, high), xlim=(-2, len(positions) + 2))


def _name_beyond(ax: Axes, beyond: pd.DataFrame, n: int) -> None:
    """Write the norms beyond the axis at their positions, neighbors under a single name."""
    # From right to left, for the last name must end at the edge.
    wanted = -beyond["position"].to_numpy(np.float64) / max(1, n)
    beyond = beyond.assign(place=-spread(wanted, NAME, NAME - 1))
    run = ((beyond["position"].diff() != 1) | beyond["is_up"].diff()).cumsum()
    for _, rows in beyond.groupby(run):
        is_up, ends = rows["is_up"].all(), rows.iloc[[0, -1]]
        (first, last), (left, right) = ends["position"], ends["place"]
        norms = ", ".join(f"{norm:.2f}" for norm in rows["norm"])
        words = f"{first}{f'–{last}' if last > first else ''}: {norms} {'↑' if is_up else '↓'}"
        height, side = (0.97, "top") if is_up else (0.14, "bottom")
        look: dict[str, Any] = {"transform": ax.transAxes, "va": side, "fontsize": 7}
        if last < n / 2:
            ax.text(left + 0.005, height, words, **look)
        else:
            ax.text(min(right + NAME, first / n - 0.015), height, words, ha="right", **look)


def _population(tensors: dict[str, np.ndarray], nulls: pd.DataFrame) -> str:
    if not tensors:
        return "nothing to show"
    n, structured = len(tensors["structured"]), int(tensors["structured"].sum())
    words = [f"raw learned matrix · n = {counted(n, 'position')}"]
    if not structured:
        words[0] += ", all without structure"
    elif structured < n:
        left_out = counted(n - structured, "outlying or unstructured position")
        words[0] += f", by offset: {left_out} left out"
    if len(nulls):
        nearest = nulls["largest_offset"].min()
        words.append(f"near: up to {nearest} apart")
        if (stationary_share := _null(nulls, "stationary", nearest)) is not None:
            words.append(f"tables made by the offset alone: {percent(stationary_share)}")
        words.append("random walks: as smooth as the positions")
    return " · ".join(words)


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
