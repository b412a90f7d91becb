"""Draws the figure and the table of `measure_explained_variance`, after Luisto's figure 11b."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    HALO,
    absent,
    count,
    counted,
    new_figure,
    write_beside,
)
from embspace.draw.page.looks import CLOUDS as ALL_CLOUDS
from embspace.draw.page.looks import GRAY, SPACES, names
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.saving import Results

CLOUDS = {
    "input": SPACES["input"],
    "positional": SPACES["positional"],
    "joint": ALL_CLOUDS["joint"]._replace(name="both as one cloud"),
}
WORDS = {"input": "tokens", "positional": "positions"}
NEARLY = 0.95  # of the directions of isotropic vectors: no fewer than by chance
FAR = 0.5  # of them: isotropic vectors need far more


def draw_explained_variance(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the variance that the first components explain, beside that of isotropic vectors."""
    curve, dimensions = results["curve"], results["dimensions"]
    rows = _at_share(dimensions)
    figure, (ax,) = new_figure(
        1,
        1,
        height_mm=height_mm,
        title=_finding(rows),
        subtitle=f"{label} · centered PCA of the raw learned matrices · {_population(dimensions)} "
        "· dashed: isotropic Gaussian",
        stage="measure_explained_variance",
    )
    for space, row in rows.iterrows():
        _cumulate(ax, curve[curve["space"] == space], row, str(space))
    share = float(rows["share"].iloc[0])
    ax.axhline(share, color=GRAY, linewidth=0.8, zorder=0)
    ax.text(
        0.995,
        share,
        f"{100 * share:g} %",
        va="bottom",
        ha="right",
        fontsize=7,
        color=GRAY,
        transform=ax.get_yaxis_transform(),
    )
    dim = int(dimensions["dim"].max())
    ax.set(xlim=(0, dim), ylim=(0, 1.03), xlabel="number of principal components")
    ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    ax.set_ylabel("share of the variance explained")
    return figure, _table(results, label, digits)


def _at_share(dimensions: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of tokens and of positions at the largest share below 95 %, by space."""
    shares = dimensions["share"]
    share = shares[shares < 0.95].max() if (shares < 0.95).any() else shares.min()
    rows = dimensions[(shares == share) & dimensions["space"].isin(WORDS)]
    return rows.set_index("space")


def _finding(rows: pd.DataFrame) -> str:
    """Return the title: the number of components for the share, beside isotropic vectors."""
    ratio = (rows["n_components"] / rows["null_n_components"]).dropna()
    space = str(ratio.idxmin())
    share, n = (float(rows[name][space]) for name in ("share", "n_components"))
    said = f"{100 * share:g} % of the variance of {WORDS[space]} lies in "
    said += f"{counted(n, 'component')}, "
    if ratio[space] >= NEARLY:
        return f"{said}of isotropic vectors in as many"
    others = [WORDS[str(name)] for name in ratio.index if name != space]
    nearer = f"; {others[0]} are nearer to isotropic ones" if others else ""
    return f"{said}of isotropic vectors in {'far ' if ratio[space] < FAR else ''}more{nearer}"


def _cumulate(ax: Axes, curve: pd.DataFrame, row: pd.Series, space: str) -> None:
    """Draw a space and the null, with names where they reach the share of the variance."""
    look = CLOUDS[space]
    for null, line in (("", "-"), ("null_", "--")):
        y = curve[f"{null}cumulative_explained_variance"]
        color = GRAY if null else look.color
        ax.plot(curve["n_components"], y, color=color, linestyle=line)
        n = row[f"{null}n_components"]
        if pd.notna(n):
            place = (n, float(np.interp(n, curve["n_components"], y)))
            ax.plot(*place, look.marker, color=color, ms=4)
            offset, side = _beside(space, is_one=_is_as_many(row), is_null=bool(null))
            words = _name(row, space, is_null=bool(null))
            write_beside(ax, words, place, offset, ha=side, color=color, path_effects=HALO)


def _beside(space: str, *, is_one: bool, is_null: bool) -> tuple[tuple[int, int], str]:
    """Return the offset of a name from its mark, and its side: clear of the lines of all spaces.

    Args:
        space: Tokens' name stands below, for their line is the lower one.
        is_one: Whether the name stands for the space and the null.
        is_null: Whether the name is that of the null alone.
    """
    if space == "positional" and (is_null or is_one):
        return (-4, 4), "right"
    return ((14, -24), "center") if is_one else ((5, -11), "left")


def _is_as_many(row: pd.Series) -> bool:
    return bool(row["n_components"] >= NEARLY * row["null_n_components"])


def _name(row: pd.Series, space: str, *, is_null: bool) -> str:
    """Return the name of a curve; the first of two equal curves has both names."""
    n, n_null = row["n_components"], row["null_n_components"]
    if is_null:
        return "" if _is_as_many(row) else f"{count(row['n'])} isotropic: {count(n_null)}"
    if n == n_null:
        return f"{WORDS[space]}, isotropic: {count(n)}"
    beside = f", isotropic: {count(n_null)}" if _is_as_many(row) else ""
    return f"{WORDS[space]}: {count(n)}{beside}"


def _population(dimensions: pd.DataFrame) -> str:
    n = dimensions.drop_duplicates("space").set_index("space")
    parts = [counted(n["n"]["input"], "token")]
    if "positional" in n.index:
        parts.append(counted(n["n"]["positional"], "position"))
    return f"{' and '.join(parts)} in {counted(n['dim']['input'], 'dimension')}"


def _table(results: Results, label: str, digits: int) -> str:
    has_positions = "positional" in set(results["dimensions"]["space"])
    named = results.for_readers("dimensions", space=names(CLOUDS))
    return f"# Directions that hold the variance of {label}\n\n" + section(
        "Number of principal components",
        "Stage `measure_explained_variance`. As many as explain the share of the variance; the "
        "null is as many isotropic Gaussian vectors."
        + ("" if has_positions else f" {absent(label, 'positional')}"),
        markdown_table(named, digits),
    )
