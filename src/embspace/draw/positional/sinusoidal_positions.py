"""Figure and table of `measure_sinusoidal_positions`: Luisto's figure 6."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from pydantic import PositiveFloat, PositiveInt

from embspace.draw.page.canvas import absent, counted, new_figure, say_absent
from embspace.draw.page.markdown import markdown_table, section
from embspace.settings.types import PositiveShare

RESULTS = ("safetensors", "profiles.csv", "properties.csv")
DIVERGING = "RdBu_r"
N_COLORS = 11
ENCODINGS = {
    "sinusoidal": ("sinusoidal (Vaswani et al.)", "C0"),
    "sinusoidal_as_printed": ("as the thesis prints it", "C3"),
    "learned": ("learned", "C1"),
}


def draw_sinusoidal_positions(
    results: dict[str, Any],
    label: str,
    *,
    height_mm: PositiveFloat,
    longest_offset: PositiveInt,
    limit_quantile: PositiveShare,
    significant_digits: PositiveInt,
) -> tuple[Figure, str]:
    """The first positions of each encoding, their cosines, and these by offset; a table.

    Colors of learned positions end where a share `limit_quantile` of the absolute values does.
    """
    tensors, profiles, properties = (
        results[key] for key in ("safetensors", "profiles", "properties")
    )
    figure, axes = new_figure(
        3,
        len(ENCODINGS),
        height_mm=height_mm,
        title="Positions made of sines and cosines, and learned ones",
        subtitle=f"{label} · {_population(properties, len(tensors['sinusoidal']))}",
        stage="measure_sinusoidal_positions",
    )
    for column, (name, (words, color)) in enumerate(ENCODINGS.items()):
        own = axes[column :: len(ENCODINGS)]
        if name not in tensors:
            say_absent(own, label, "positional")
            continue
        own[0].set_title(words)
        x = tensors[name]
        limit = float(np.quantile(np.abs(x), limit_quantile)) if name == "learned" else 1.0
        _heat_map(own[0], x, limit, "component", "dimension")
        _heat_map(own[1], tensors[f"{name}_cosines"], 1.0, "cosine", "position")
        rows = profiles[(profiles["encoding"] == name) & (profiles["offset"] <= longest_offset)]
        _profile(own[2], rows, color)
    lowest = profiles.loc[profiles["offset"] <= longest_offset, "minimum"].min()
    for ax in axes[2 * len(ENCODINGS) :]:
        ax.set_ylim(min(lowest, 0) - 0.03, 1.03)
    for row, words in enumerate(("position", "position", "cosine")):
        axes[row * len(ENCODINGS)].set_ylabel(words)
    _legend(figure)
    return figure, _table(properties, label, significant_digits)


def _population(properties: pd.DataFrame, n_shown: int) -> str:
    size = properties[properties["encoding"] == "sinusoidal"].iloc[0]
    return (
        f"{counted(size['n'], 'position')} in {counted(size['dim'], 'dimension')}, "
        f"above the first {n_shown} · below all pairs by offset"
    )


def _heat_map(ax: Axes, values: np.ndarray, limit: float, words: str, across: str) -> None:
    # Few colors, and none between them, make files a third as large.
    image = ax.imshow(
        values,
        cmap=colormaps[DIVERGING].resampled(N_COLORS),
        vmin=-limit,
        vmax=limit,
        aspect="auto",
        interpolation_stage="data",
    )
    extend = "both" if np.nanmax(np.abs(values)) > limit * (1 + 1e-6) else "neither"
    bar = ax.figure.colorbar(image, ax=ax, extend=extend, location="bottom", aspect=30, pad=0.02)
    bar.set_label(words, fontsize=7)
    bar.ax.tick_params(labelsize=6)
    bar.ax.locator_params(nbins=5)
    ax.grid(visible=False)
    ax.set_xlabel(across)


def _profile(ax: Axes, rows: pd.DataFrame, color: str) -> None:
    offset = rows["offset"]
    ax.fill_between(offset, rows["minimum"], rows["maximum"], color=color, alpha=0.25, linewidth=0)
    ax.plot(offset, rows["mean"], color=color, linewidth=1.6)
    if rows["expected"].notna().any():
        ax.plot(offset, rows["expected"], ":", color="black", linewidth=1.6)
    ax.set_xlabel("offset")


def _legend(figure: Figure) -> None:
    handles = [
        Line2D([], [], color="0.3"),
        Patch(facecolor="0.3", alpha=0.25),
        Line2D([], [], color="black", linestyle=":"),
    ]
    names = ["mean of the pairs", "smallest to largest", "by the formula, without the vectors"]
    figure.legend(handles, names, loc="outside lower left", ncols=3)


def _table(properties: pd.DataFrame, label: str, significant_digits: int) -> str:
    """One row a property, one column an encoding."""
    words = [_words(row) for _, row in properties.iterrows()]
    values = [f"{value:.{significant_digits}g}" for value in properties["value"]]
    shown = properties.assign(property=words, value=values)
    shown = shown.where(properties["value"].notna(), None)
    table = shown.pivot(index="property", columns="encoding", values="value")
    table = table.loc[list(dict.fromkeys(words)), list(dict.fromkeys(properties["encoding"]))]
    return f"# Sinusoidal and learned positions, {label}\n\n" + section(
        "Properties",
        "Stage `measure_sinusoidal_positions`. `sinusoidal as printed` is the formula of the "
        "thesis, whose exponent is twice that of Vaswani et al. Winding and spectral period are "
        "those of three principal components; one near the number of positions is a drift. "
        "Learned structured: without outlying and unstructured positions."
        + ("" if "learned" in set(properties["encoding"]) else f" {absent(label, 'positional')}"),
        markdown_table(table.reset_index(), significant_digits),
    )


def _words(row: pd.Series) -> str:
    # Names of quantities are American, prose is British.
    name = str(row["property"]).replace("_", " ").replace("neighbor", "neighbor")
    if pd.notna(row["largest_offset"]):
        return f"{name}, offsets up to {row['largest_offset']:g}"
    if pd.notna(row["share"]):
        return f"{name} {row['share']:g}"
    return name
