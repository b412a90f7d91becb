"""Draws the figure and the table of `measure_positions`, after Luisto's figures 13, 16, 17."""

import numpy as np
import pandas as pd
from jaxtyping import Float
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import (
    absent,
    counted,
    join_panels,
    new_figure,
    say_absent,
    say_instead,
)
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.nulls import NULLS_NOTE, nulls_table
from embspace.draw.page.saving import Results
from embspace.settings.types import PositiveShare

DIVERGING, SEQUENTIAL = "RdBu_r", "mako"
# Smooth maps show no edges with so many colors, and files of rough ones stay small.
N_DIVERGING, N_SEQUENTIAL = 11, 16
ONE_BY_ONE = "viridis"


def draw_positions(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    n_rows: PositiveInt,
    n_profiles: PositiveInt,
    profile_length: PositiveInt,
    limit_quantile: PositiveShare,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the matrix of positions, all cosines, those of the first positions, and by offset.

    Colors of the matrix end where a share `limit_quantile` of the absolute values does. The first
    `n_rows` structured positions have a curve with the first `profile_length` positions, the first
    `n_profiles` of them one with the next `profile_length`.
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
    matrix = by_frequency(tensors["positional"])
    diverging(axes[0], matrix, N_DIVERGING, limit)
    _color_bar(axes[0], f"component ({100 * limit_quantile:g} % in range)")
    axes[0].set(title="Position embeddings", xlabel="dimension, from low to high frequency")
    cosines = tensors["cosines"]
    sequential(axes[1], cosines, N_SEQUENTIAL, float(np.nanmin(cosines)))
    _color_bar(axes[1], "cosine")
    axes[1].set(title="Cosines of all pairs of positions", xlabel="position")
    for ax in axes[:2]:
        ax.set_ylabel("position")
    rows, below = join_panels(axes[2:4]), join_panels(axes[4:])
    if tensors["structured"].any():
        _rows(rows, tensors, n_rows, profile_length)
        rows.set_title(_finding_of_rows(results["nulls"]))
        _curves(below, tensors, n_profiles, profile_length)
        _mean_profile(below, results["profiles"][:profile_length])
    else:
        say_instead([rows, below], "no structured position")
    return figure, text


def _finding(properties: pd.DataFrame) -> str:
    rows = properties[properties["property"] == "translation_invariance"]
    if rows.empty:
        return "There are no position embeddings to look at"
    has_structured = (rows["positions"] == "structured").any()
    rows = rows[rows["positions"] == ("structured" if has_structured else "all")]
    near, far = rows.iloc[0], rows.iloc[-1]
    if not near["value"] > near["null_quantile_0.975"]:
        return "The cosine of two positions depends on their offset no more than in shuffled order"
    return (
        "The cosine of two positions depends on their offset: it explains "
        f"{100 * near['value']:.0f} % of the variance up to offset {near['largest_offset']}, "
        f"{100 * far['value']:.0f} % up to {far['largest_offset']} "
        f"(shuffled {100 * far['null_mean']:.0f} %)"
    )


def _finding_of_rows(nulls: pd.DataFrame) -> str:
    """Return whether a test finds the first positions more like later ones than earlier ones."""
    excess = nulls[nulls["measure"] == "first_forward_excess"]
    if len(excess) and (excess["value"] > excess["null_value_high"]).all():
        return "The first positions are more like later ones than earlier ones"
    return "The first positions are no more like later ones than chance makes them"


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


def _rows(ax: Axes, tensors: dict[str, np.ndarray], n_rows: int, length: int) -> None:
    """Draw the cosines of the first structured positions with all of the first positions."""
    structured = np.flatnonzero(tensors["structured"])[:n_rows]
    colors = colormaps[ONE_BY_ONE](np.linspace(0, 0.9, len(structured)))
    for position, color in zip(structured, colors, strict=True):
        row = tensors["cosines"][position, :length]
        ax.plot(np.arange(len(row)), row, color=color, linewidth=0.7, label=f"{position}")
        # Itself, from where it goes to those before on the left and those after on the right.
        ax.plot(position, tensors["cosines"][position, position], "o", color=color, markersize=3)
    ax.set(xlabel="position", ylabel="cosine", xlim=(-1, None))
    ax.legend(loc="upper right", ncols=max(1, len(structured) // 2), title="position; dot: itself")


def _curves(ax: Axes, tensors: dict[str, np.ndarray], n_profiles: int, profile_length: int) -> None:
    """Draw the cosines of the first structured positions with the next ones by offset."""
    structured = np.flatnonzero(tensors["structured"])[:n_profiles]
    colors = colormaps[ONE_BY_ONE](np.linspace(0, 0.9, len(structured)))
    shown = np.where(tensors["structured"], tensors["cosines"], np.nan)
    for position, color in zip(structured, colors, strict=True):
        following = shown[position, position + 1 : position + 1 + profile_length]
        offsets = np.arange(1, len(following) + 1)
        name = f"position {position}"
        ax.plot(offsets, following, color=color, linewidth=0.7, label=name)


def _mean_profile(ax: Axes, profile: pd.DataFrame) -> None:
    offset, mean = profile["offset"], profile["mean"]
    deviation = profile["standard_deviation"]
    ax.plot(offset, mean, color="black", linewidth=1.6, label="mean of all positions")
    ends = (mean - deviation, mean + deviation)
    ax.fill_between(offset, *ends, color="0.85", zorder=1, label="± standard deviation")
    ax.set(title="Cosine with the next positions, by offset", xlabel="offset", ylabel="cosine")
    ax.set(ylim=(None, 1.2), xlim=(0, None))
    ax.legend(loc="upper right", ncols=4)


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
