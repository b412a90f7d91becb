"""Draws sinusoidal beside learned positions, after Luisto's figure 6, and a table."""

import numpy as np
import pandas as pd
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from pydantic import PositiveFloat, PositiveInt

from embspace.draw.page.canvas import absent, counted, new_figure, say_absent
from embspace.draw.page.looks import BLUE, SPACES
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.saving import Results
from embspace.draw.positional.positions import by_frequency, diverging
from embspace.settings.types import PositiveShare

FURTHER_RESULTS = ("positions/nulls.csv",)
POSITION_NULLS = "positions/nulls"
N_COLORS = 64  # with fewer, smooth maps would show edges
ENCODINGS = {
    "sinusoidal": ("Sinusoidal", BLUE),
    "learned": ("Learned", SPACES["positional"].color),
}


def draw_sinusoidal_positions(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    longest_offset: PositiveInt,
    limit_quantile: PositiveShare,
    significant_digits: PositiveInt,
) -> tuple[Figure, str]:
    """Draw the first positions of the encodings, the cosines, and the cosines by offset.

    The color scale of learned positions ends at the quantile `limit_quantile` of absolute values.
    """
    tensors, profiles, properties = (
        results[key] for key in ("safetensors", "profiles", "properties")
    )
    shares = _shares(properties, longest_offset)
    walks = _walk_row(results[POSITION_NULLS], properties, longest_offset)
    figure, axes = new_figure(
        3,
        len(ENCODINGS),
        height_mm=height_mm,
        title=_finding(shares, walks),
        subtitle=f"{label} · {_population(properties, len(tensors['sinusoidal']))} "
        f"up to {longest_offset} apart · random walks: as smooth as the learned positions",
        stage="measure_sinusoidal_positions",
    )
    for column, (name, (words, color)) in enumerate(ENCODINGS.items()):
        own = axes[column :: len(ENCODINGS)]
        if name not in tensors:
            say_absent(own, label, "positional")
            continue
        own[0].set_title(f"{words}: components")
        x = tensors[name]
        is_learned = name == "learned"
        limit = float(np.quantile(np.abs(x), limit_quantile)) if is_learned else 1.0
        scale = f"component (b: × {limit:.2g})" if is_learned else "component"
        _components(own[0], x, limit, is_learned=is_learned)
        diverging(own[1], tensors[f"{name}_cosines"], N_COLORS, 1.0)
        own[1].set_title(f"{words}: cosines")
        own[1].set_xlabel("position")
        rows = profiles[(profiles["encoding"] == name) & (profiles["offset"] <= longest_offset)]
        _profile(own[2], rows, color)
        beside = ""
        if is_learned and walks is not None:
            beside = f" (random walks {100 * walks['null_value']:.0f} %)"
        own[2].set_title(f"{words}: {100 * shares[name]:.0f} % by the offset{beside}")
    lowest = profiles.loc[profiles["offset"] <= longest_offset, "minimum"].min()
    for ax in axes[2 * len(ENCODINGS) :]:
        ax.set_ylim(min(lowest, 0) - 0.03, 1.03)
    for row, words in enumerate(("position", "position", "cosine")):
        axes[row * len(ENCODINGS)].set_ylabel(words)
    n = len(ENCODINGS)
    for maps, words in ((axes[:n], scale), (axes[n : 2 * n], "cosine")):
        figure.colorbar(maps[0].images[0], ax=[*maps], label=words, aspect=18, pad=0.01)
    _legend(figure)
    return figure, _table(properties, label, significant_digits)


def _components(
    ax: Axes, x: Float[np.ndarray, "position dim"], limit: float, *, is_learned: bool
) -> None:
    """Draw the components of positions, from low to high frequency."""
    if is_learned:
        diverging(ax, by_frequency(x), N_COLORS, limit)
        ax.set_xlabel("dimension, from low to high frequency")
    else:
        # Sines and cosines, of one frequency, alternate too finely to be seen.
        diverging(ax, np.hstack([x[:, ::-2], x[:, -2::-2]]), N_COLORS, limit)
        ax.set_xlabel("cosines, then sines, from low to high frequency")


def _shares(properties: pd.DataFrame, longest_offset: int) -> pd.Series:
    """Return by encoding the share of the cosines' variance that drawn offsets explain."""
    shares = _drawn(properties, longest_offset).groupby("encoding")["value"].last()
    # Of learned positions, the structured ones where some are.
    return shares.rename({"learned_structured": "learned"}).groupby(level=0).last()


def _drawn(properties: pd.DataFrame, longest_offset: int) -> pd.DataFrame:
    """Return the rows of translation invariance up to offsets that are drawn."""
    rows = properties[properties["property"] == "translation_invariance"]
    return rows[rows["largest_offset"] <= longest_offset]


def _walk_row(
    nulls: pd.DataFrame, properties: pd.DataFrame, longest_offset: int
) -> pd.Series | None:
    """Return the row of random walks as smooth as learned positions, up to the same offset."""
    rows = _drawn(properties, longest_offset).dropna(subset="value")
    learned = rows[rows["encoding"].str.startswith("learned")]
    walks = nulls[
        (nulls["measure"] == "translation_invariance")
        & (nulls["null"] == "random_walk")
        & (nulls["largest_offset"] == learned["largest_offset"].max())
    ]
    return walks.iloc[0] if len(walks) else None


def _finding(shares: pd.Series, walks: pd.Series | None) -> str:
    """Return the title: the share of the cosines' variance that the offset explains."""
    sines = f"{100 * shares['sinusoidal']:.0f} % of the variance of sinusoidal positions' cosines"
    if pd.isna(shares.get("learned")):
        return f"The offset explains {sines}; the model has no learned positions"
    beside = ""
    if walks is not None:
        is_less = walks["null_value_high"] < shares["learned"]
        is_more = walks["null_value_low"] > shares["learned"]
        amount = "less" if is_less else "more" if is_more else "as much"
        beside = f", {amount} in random walks"
    return (
        f"The offset explains {sines}, {100 * shares['learned']:.0f} % of that of learned ones"
        f"{beside}"
    )


def _population(properties: pd.DataFrame, n_shown: int) -> str:
    size = properties[properties["encoding"] == "sinusoidal"].iloc[0]
    return (
        f"n = {counted(size['n'], 'position')} in {counted(size['dim'], 'dimension')} · "
        f"maps: the first {n_shown}; curves and shares: all pairs"
    )


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
    names = ["mean of the pairs", "minimum to maximum", "analytic formula"]
    figure.legend(handles, names, loc="outside lower left", ncols=3)


def _table(properties: pd.DataFrame, label: str, significant_digits: int) -> str:
    """Return the table with a row per property and a column per encoding."""
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
    name = str(row["property"]).replace("_", " ")
    if pd.notna(row["largest_offset"]):
        return f"{name}, offsets up to {row['largest_offset']:g}"
    if pd.notna(row["share"]):
        return f"{name} {row['share']:g}"
    return name
