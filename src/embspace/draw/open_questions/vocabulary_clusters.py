"""Draws the clusters of token embeddings, their stability, and the kinds of tokens inside."""

from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import (
    HALO,
    count,
    counted,
    join_panels,
    new_figure,
    percent,
    say_instead,
)
from embspace.draw.page.looks import BLACK, GRAY, PURPLE, TOKEN_KINDS, VERMILION
from embspace.draw.page.saving import Results
from embspace.draw.page.sections import page_of_parts
from embspace.draw.page.token_kinds import drawable

STAGE = "measure_vocabulary_clusters"
FURTHER_RESULTS = ("conf/measure/open_questions/vocabulary_clusters.yaml",)
MEASURED_WITH = FURTHER_RESULTS[0]
TOKENS = "data/measured/vocabulary_clusters.parquet"
MOST_NAMED = 2  # parts of different kinds, in the title
FREE = "of the same covariance"  # of the kinds of clouds
LIGHT = ("unused", "subword")  # kinds whose bars take black words
LETTER = 0.03  # share of a bar that a letter takes
SEEN = 0.02  # share of a bar from which a kind without a name in it is in the legend
BROWN = "#7B3F00"
PARTS = (VERMILION, PURPLE, BROWN)  # the largest of the drawn size; no kind has their colors
BELOW: dict[str, Any] = {  # a legend under a panel and its label
    **{"loc": "upper center", "bbox_to_anchor": (0.4, 0), "borderaxespad": 4.6, "borderpad": 0},
    **{"fontsize": 7, "frameon": False, "columnspacing": 1, "labelspacing": 0.2},
}
SIZES = "os^D"  # in black: gray are the nulls


def draw_vocabulary_clusters(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    smallest: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the clusters of one smallest size in a plane, stability of all, and kinds of tokens."""
    parts, settings, counts = results["parts"], results[MEASURED_WITH], results["json"]
    n_rows, n_columns = (1, 1) if parts.empty else (2, 3)
    figure, axes = new_figure(
        n_rows,
        n_columns,
        height_mm=height_mm / (2 if parts.empty else 1),
        title=_finding(parts, results["clouds"], settings["share"], smallest),
        subtitle=f"{label} · {counted(counts['n_tokens'], 'token')} at unit length, "
        f"clusters by HDBSCAN · "
        f"{counted(settings['n_half_samples'], 'half-sample')}, again: a match in "
        f"at least {percent(settings['share'])} of them · "
        f"{counted(settings['n_clouds'], 'Gaussian cloud')} of the same covariance, and as many at "
        "unit length",
        stage=STAGE,
    )
    text = _tables(results, label, digits)
    if parts.empty:
        say_instead(axes, "no cluster of tokens")
        return figure, text
    plane = join_panels([*axes[:2], *axes[3:5]])
    named = parts[parts["smallest"] == smallest]
    named = named[(named["matched"] >= settings["share"])].head(len(PARTS))
    _plane(plane, results[TOKENS], named, smallest)
    _stability(axes[2], parts, named, results["clouds"], settings["share"])
    _kinds(axes[5], results["kinds"], named, smallest)
    return figure, text


def _finding(parts: pd.DataFrame, clouds: pd.DataFrame, share: float, smallest: int) -> str:
    """Return the title: which parts of a size half-samples find again, and whether of nulls."""
    parts = parts[parts["smallest"] == smallest]
    if parts.empty:
        return f"No clusters of {smallest} tokens or more are in the cloud of tokens"
    once = parts[parts["matched"] >= share].drop_duplicates("kind").head(MOST_NAMED)
    if once.empty:
        n = counted(len(parts), "cluster")
        return f"None of {n} of {smallest} tokens or more comes again in half-samples"
    names = " and one with ".join(_name(row) for _, row in once.iterrows())
    if (once["stands"] == "no").any():
        where = clouds.loc[clouds["n_standing"] > 0, "cloud"].unique()
        last = "Gaussian clouds" if FREE in where else "Gaussian clouds at unit length"
        comes = "come" if len(once) > 1 else "comes"
        return (
            f"A cluster with {names} {comes} again in half-samples (b), as in some {last}: not "
            "decidable here"
        )
    return f"Parts of the cloud of tokens stand (a): a cluster with {names}"


def _name(part: pd.Series) -> str:
    return f"{percent(part['kind_share'])} {TOKEN_KINDS[_kind(part['kind'])].name}"


def _kind(kind: str) -> str:
    return {"digit": "number"}.get(kind, kind)


def _plane(ax: Axes, tokens: pd.DataFrame, named: pd.DataFrame, smallest: int) -> None:
    look: dict[str, Any] = {"s": 1.2, "linewidths": 0, "rasterized": True}
    own = tokens[f"part_{smallest}"]
    ax.scatter(tokens["x"], tokens["y"], color="0.8", **look)
    places = {
        number: tokens.loc[own == part, ["x", "y"]].median()
        for number, part in enumerate(named["part"])
    }
    for row, number in enumerate(sorted(places, key=lambda one: float(places[one]["x"]))):
        part, color = named.iloc[number], PARTS[number]
        rows = tokens[own == part["part"]]
        ax.scatter(rows["x"], rows["y"], color=color, **look)
        below = 0 < row == len(places) - 1  # the rightmost: no two leads cross
        lead = {"arrowstyle": "-", "color": color, "lw": 0.8}
        words = ax.annotate(
            _words(part),
            tuple(places[number]),
            (1, 0.02 if below else 0.99 - 0.06 * row),
            textcoords="axes fraction",
            arrowprops=lead | {"relpos": (0.5, 1) if below else (0, 0.5)},
        )
        words.set(color=color, fontsize=7, ha="right", path_effects=HALO)
        words.set_verticalalignment("bottom" if below else "top")
    ax.set(aspect="equal", xticks=[], yticks=[], xlabel="component 1", ylabel="component 2")
    ax.set_adjustable("datalim")
    ax.set_title(f"Clusters from {smallest} tokens on that come again (gray: not in them)")


def _words(part: pd.Series) -> str:
    words = ", ".join(map(drawable, str(part["tokens"]).split()[:2]))
    return f"{_name(part)}: {words}, …"


def _stability(
    ax: Axes, parts: pd.DataFrame, named: pd.DataFrame, clouds: pd.DataFrame, share: float
) -> None:
    """Draw how often clusters come again, in the colors of the plane, and clouds."""
    for (smallest, own), mark in zip(parts.groupby("smallest"), SIZES, strict=False):
        look: dict[str, Any] = {"color": BLACK, "ms": 3, "label": f"smallest size {smallest:,}"}
        ax.plot(own["n_tokens"], own["matched"], mark, **look)
        in_plane = named[named["smallest"] == smallest]
        for (_, part), color in zip(in_plane.iterrows(), PARTS, strict=False):
            ax.plot(
                part["n_tokens"], part["matched"], mark, color=color, ms=5, mec="white", zorder=3
            )
    ax.axhline(share, color="black", lw=0.6)
    at_left: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "fontsize": 7}
    ax.text(0.02, share - 0.02, f"comes again from {share:g} on", va="top", **at_left)
    for (cloud, own), line in zip(clouds.groupby("cloud"), (":", "--"), strict=False):
        name = "clouds" if cloud == FREE else "unit length"
        name += f": {own['n_standing'].max():.0f} of {own['n_clouds'].max():.0f} again"
        ax.axhline(own["largest_matched"].max(), color=GRAY, ls=line, lw=0.9, label=name)
    ax.set(xscale="log", xlabel="tokens of the cluster", ylabel="halves with a match")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda size, _: count(size)))
    ax.set_ylim(-0.05, 1.1)
    ax.set_title("Stability by smallest size allowed")
    ax.legend(ncols=2, **BELOW)


def _kinds(ax: Axes, kinds: pd.DataFrame, named: pd.DataFrame, smallest: int) -> None:
    own = kinds[kinds["smallest"] == smallest]
    table = own.pivot_table(index="part", columns="kind", values="n_tokens", fill_value=0)
    table = table.reindex([0, *named["part"]]).fillna(0)
    shares = table.div(table.sum(axis=1), axis=0)
    left, main = np.zeros(len(shares)), named.set_index("part")["kind"]
    for kind in shares:
        look = TOKEN_KINDS[_kind(str(kind))]
        bars = ax.barh(
            range(len(shares)), shares[kind], left=left, color=look.color, edgecolor="white", lw=0.6
        )
        if str(kind) == "other":
            for bar in bars:
                bar.set_hatch("////")
        words = [
            _in_bar(look.name, share, is_main=main.get(part) == kind)
            for part, share in shares[kind].items()
        ]
        are_named = [word[:1].isalpha() for word in words]
        if (shares[kind] >= SEEN)[np.invert(are_named)].any():
            bars.set_label(look.name)
        color = "black" if kind in LIGHT else "white"
        ax.bar_label(bars, words, label_type="center", fontsize=7, color=color)
        left += shares[kind].to_numpy()
    sizes = [f"{count(n)} tokens" for n in named["n_tokens"]]
    ax.set_yticks(range(len(shares)), ["no cluster", *sizes])
    for tick, color in zip(ax.get_yticklabels()[1:], PARTS, strict=False):
        tick.set_color(color)
    ax.set(xlim=(0, 1), xlabel="share of tokens", title="Kinds of tokens in the clusters of a")
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    if ax.get_legend_handles_labels()[0]:
        ax.legend(ncols=3, **BELOW)


def _in_bar(name: str, share: float, *, is_main: bool) -> str:
    """Return the name of a kind for a part of a bar, the main kind with the share."""
    short = percent(share) if is_main else ""
    lines = wrap(f"{name} {short}", max(int(share / LETTER), 1), break_long_words=False)
    is_wide = max(map(len, lines)) * LETTER > share
    return short if is_wide or len(lines) > 2 else "\n".join(lines)


def _tables(results: Results, label: str, digits: int) -> str:
    parts = results["parts"]
    stable = parts[parts["matched"] > 0] if len(parts) else parts
    return page_of_parts(
        f"Parts of the cloud of tokens in {label}",
        STAGE,
        digits,
        (
            "By smallest cluster",
            "The adjusted Rand index takes tokens of no cluster as a cluster.",
            results.for_readers("sizes"),
        ),
        (
            "Gaussian clouds",
            "At unit length a Gaussian cloud is dense at both ends of its longest axis.",
            results.for_readers("clouds"),
        ),
        (
            "Parts",
            "Clusters that at least one half-sample matches, with their most typical tokens.",
            results.for_readers("parts", stable),
        ),
    )
