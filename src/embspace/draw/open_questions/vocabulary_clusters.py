"""Draws the clusters of token embeddings, their stability, and the kinds of their tokens."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import counted, join_panels, new_figure, percent, say_instead
from embspace.draw.page.looks import GRAY, PURPLE, TOKEN_KINDS, VERMILION, Look
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results
from embspace.draw.page.token_kinds import drawable

STAGE = "measure_vocabulary_clusters"
FURTHER_RESULTS = ("conf/measure/open_questions/vocabulary_clusters.yaml",)
MEASURED_WITH = FURTHER_RESULTS[0]
TOKENS = "data/measured/vocabulary_clusters.parquet"
MOST_NAMED = 2  # parts of different kinds, in the title
FREE = "of the same covariance"  # of the kinds of clouds
BROWN = "#7B3F00"
PARTS = (VERMILION, PURPLE, BROWN)  # the largest of the drawn size; no kind has their colors
SIZES = (Look("", "0.2", "o"), Look("", "0.45", "s"), Look("", "0.6", "^"), Look("", "0.7", "D"))


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
    figure, axes = new_figure(
        2,
        3,
        height_mm=height_mm,
        title=_finding(parts, results["clouds"], settings["share"], smallest),
        subtitle=f"{label} · {counted(counts['n_tokens'], 'token')} at unit length · "
        f"{counted(settings['n_half_samples'], 'half-sample')} · "
        f"{counted(2 * settings['n_clouds'], 'Gaussian cloud')} of the same covariance",
        stage=STAGE,
    )
    text = _tables(results, label, digits)
    if parts.empty:
        say_instead(axes, "no cluster of tokens")
        return figure, text
    plane = join_panels([*axes[:2], *axes[3:5]])
    named = parts[parts["smallest"] == smallest].head(len(PARTS))
    _plane(plane, results[TOKENS], named, smallest)
    _stability(axes[2], parts, results["clouds"], settings["share"])
    _kinds(axes[5], results["kinds"], named, smallest)
    return figure, text


def _finding(parts: pd.DataFrame, clouds: pd.DataFrame, share: float, smallest: int) -> str:
    """Return the title: which parts of a size half-samples find again, and whether of nulls."""
    parts = parts[parts["smallest"] == smallest]
    if parts.empty:
        return f"The cloud of tokens has no clusters of {smallest} tokens or more"
    once = parts[parts["matched"] >= share].drop_duplicates("kind").head(MOST_NAMED)
    if once.empty:
        return f"None of {counted(len(parts), 'cluster')} of tokens is found again in half-samples"
    names = " and ".join(_name(row) for _, row in once.iterrows())
    if (once["stands"] == "no").any():
        where = clouds.loc[clouds["n_standing"] > 0, "cloud"].unique()
        last = "Gaussian clouds" if FREE in where else "Gaussian clouds at unit length"
        return f"No part stands: half-samples find clusters of {names} again, but also of {last}"
    return f"Parts of the cloud of tokens stand: {names}"


def _name(part: pd.Series) -> str:
    return f"{percent(part['kind_share'])} {TOKEN_KINDS[_kind(part['kind'])].name}"


def _kind(kind: str) -> str:
    return {"digit": "number"}.get(kind, kind)


def _plane(ax: Axes, tokens: pd.DataFrame, named: pd.DataFrame, smallest: int) -> None:
    look: dict[str, Any] = {"s": 1.2, "linewidths": 0, "rasterized": True}
    own = tokens[f"part_{smallest}"]
    ax.scatter(tokens["x"], tokens["y"], color="0.8", **look)
    patches = []
    for (_, part), color in zip(named.iterrows(), PARTS, strict=False):
        rows = tokens[own == part["part"]]
        ax.scatter(rows["x"], rows["y"], color=color, **look)
        patches.append(Patch(color=color, label=_legend(part)))
    ax.set(aspect="equal", xticks=[], yticks=[], xlabel="component 1", ylabel="component 2")
    ax.set_adjustable("datalim")
    ax.set_title(f"Largest clusters of {smallest} tokens or more (gray: other tokens)")
    below: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0, -0.08)}
    ax.legend(handles=patches, fontsize=7, frameon=False, **below)


def _legend(part: pd.Series) -> str:
    words = ", ".join(map(drawable, str(part["tokens"]).split()[:2]))
    return f"{counted(part['n_tokens'], 'token')}: {words}, …"


def _stability(ax: Axes, parts: pd.DataFrame, clouds: pd.DataFrame, share: float) -> None:
    for (smallest, own), mark in zip(parts.groupby("smallest"), SIZES, strict=False):
        ax.plot(
            own["n_tokens"],
            own["matched"],
            mark.marker,
            color=mark.color,
            ms=3,
            label=f"from {smallest} tokens",
        )
    ax.axhline(share, color="black", lw=0.6)
    for (cloud, own), line in zip(clouds.groupby("cloud"), (":", "--"), strict=False):
        name = "Gaussian" if cloud == FREE else "Gaussian, unit length"
        ax.axhline(own["largest_matched"].max(), color=GRAY, ls=line, lw=0.9, label=name)
    ax.set(xscale="log", xlabel="tokens of the cluster", ylabel="halves with a match")
    ax.set_ylim(-0.05, 1.08)
    ax.set_title("Stability")
    ax.legend(fontsize=7, loc=(0.33, 0.11), labelspacing=0.2, handlelength=1.5, borderpad=0)


def _kinds(ax: Axes, kinds: pd.DataFrame, named: pd.DataFrame, smallest: int) -> None:
    own = kinds[kinds["smallest"] == smallest]
    table = own.pivot_table(index="part", columns="kind", values="n_tokens", fill_value=0)
    table = table.reindex([0, *named["part"]]).fillna(0)
    shares = table.div(table.sum(axis=1), axis=0)
    left = np.zeros(len(shares))
    for kind in shares:
        look = TOKEN_KINDS[_kind(str(kind))]
        ax.barh(range(len(shares)), shares[kind], left=left, color=look.color, label=look.name)
        left += shares[kind].to_numpy()
    ax.set_yticks(range(len(shares)), ["no cluster", *map(str, named["part"])])
    for tick, color in zip(ax.get_yticklabels()[1:], PARTS, strict=False):
        tick.set_color(color)
    ax.set(xlim=(0, 1), xlabel="share of tokens")
    ax.set_title("Kinds")
    ax.legend(fontsize=7, ncols=2, loc="upper center", bbox_to_anchor=(0.4, -0.35), frameon=False)


def _tables(results: Results, label: str, digits: int) -> str:
    parts = results["parts"]
    stable = parts[parts["matched"] > 0] if len(parts) else parts
    return tables_page(
        f"Parts of the cloud of tokens in {label}",
        STAGE,
        section(
            "By smallest cluster",
            "The adjusted Rand index takes tokens of no cluster as a cluster.",
            markdown_table(results.for_readers("sizes"), digits),
        ),
        section(
            "Gaussian clouds",
            "At unit length a Gaussian cloud is dense at both ends of its longest axis.",
            markdown_table(results.for_readers("clouds"), digits),
        ),
        section(
            "Parts",
            "Clusters that at least one half-sample matches, with their most typical tokens.",
            markdown_table(results.for_readers("parts", stable), digits),
        ),
    )
