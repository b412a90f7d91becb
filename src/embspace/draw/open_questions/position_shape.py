"""Draws the loops of the positions beside loops of curves that encode nothing."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    absent,
    counted,
    new_figure,
    percent,
    say_absent,
    say_instead,
)
from embspace.draw.page.looks import BLUE, GRAY, SPACES, Look
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results

STAGE = "measure_position_shape"
FURTHER_RESULTS = ("conf/measure/open_questions/position_shape.yaml", "helix/path.csv")
MEASURED_WITH, PATH = FURTHER_RESULTS[0], "helix/path"
LEARNED = SPACES["positional"]
SURROGATES = {
    "random_walk": Look("random walks", GRAY, "", ":"),
    "stationary": Look("stationary tables", BLUE, "", "--"),
}
OUTLASTED = {"random_walk": "shorter_random_walks", "stationary": "shorter_stationary"}
SPACE_NAMES = {"components": "three components", "full": "all dimensions"}
MEASURES = {
    "longest_loop": "longest loop",
    "longest_merge": "largest distance at which parts join",
    "successive_edges": "share of joins of successive positions",
    "parts": "parts, by gaps",
    "correlation_dimension": "correlation dimension",
    "box_dimension": "box dimension",
}


def draw_position_shape(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the first plane, and the loops in three components and in all dimensions."""
    counts, loops, values = results["json"], results["loops"], results["values"]
    share = 100 * results[MEASURED_WITH]["level"]
    figure, axes = new_figure(
        1,
        3,
        height_mm=height_mm,
        title=_finding(loops, values, counts["n_positions"]),
        subtitle=f"{label} · {counted(counts['n_structured'], 'position embedding')}, not outlying "
        f"· a loop (persistent homology) stands if it outlasts the longest of {share:g} % of each "
        f"kind of {counted(counts['n_surrogates'], 'curve')} (bands: {share:g} %, lines: means) "
        "· RMS: root mean square from the mean · stationary: random, with the same mean "
        "cosine at each offset",
        stage=STAGE,
    )
    text = _tables(results, label, digits)
    if values.empty:
        if counts["n_positions"] == 0:
            say_absent(axes, label, "positional")
        else:
            say_instead(axes, f"only {counted(counts['n_structured'], 'structured position')}")
        return figure, text
    _plane(axes[0], results[PATH])
    for ax, space in zip(axes[1:3], SPACE_NAMES, strict=True):
        _bars(ax, loops[loops["space"] == space], values[values["space"] == space])
        ax.set_title(f"Loops, {SPACE_NAMES[space]}")
    for ax in axes[1:]:
        ax.set_ylabel("lifetime, in RMS distances")
    return figure, text


def _finding(loops: pd.DataFrame, values: pd.DataFrame, n_positions: int) -> str:
    """Return the title: how many loops stand, else what the longest of the first space outlasts."""
    if values.empty:
        few = "Too few structured positions for a curve to look at"
        return few if n_positions else "There is no curve of positions to look at"
    standing = loops[loops["verdict"] == "stands"]
    if len(standing):
        places = " and ".join(SPACE_NAMES[space] for space in standing["space"].unique())
        return f"{counted(len(standing), 'loop')} of the positions outlast surrogates' in {places}"
    if loops.empty:
        return "The positions close no loop"
    longest = loops.iloc[0]
    name = min(SURROGATES, key=lambda kind: longest[OUTLASTED[kind]])
    return (
        f"No loop stands: the longest-lived in {SPACE_NAMES[longest['space']]} outlasts "
        f"only {percent(longest[OUTLASTED[name]])} of {SURROGATES[name].name}"
    )


def _plane(ax: Axes, path: pd.DataFrame) -> None:
    x, y = path["component_1"], path["component_2"]
    ax.plot(x, y, color=GRAY, linewidth=0.3, alpha=0.6, rasterized=True)
    ax.scatter(x, y, c=path["position"], cmap="viridis", s=3, zorder=2, rasterized=True)
    ax.set(aspect="equal", xticks=[], yticks=[], xlabel="component 1", ylabel="component 2")
    ax.set_adjustable("datalim")
    ax.set_title("First plane (dark: first, yellow: last)")


def _bars(ax: Axes, loops: pd.DataFrame, values: pd.DataFrame) -> None:
    """Draw the loops by length, beside a band of the longest of each kind of surrogate."""
    longest = values[values["measure"] == "longest_loop"].iloc[0]
    first = loops.nsmallest(1, "rank")
    right: dict[str, Any] = {
        "transform": ax.get_yaxis_transform(),
        "ha": "right",
        "va": "top",
        "fontsize": 7,
    }
    for name, look in SURROGATES.items():
        low, high = longest[f"{name}_low"], longest[f"{name}_high"]
        ax.axhspan(low, high, color=look.color, alpha=0.15, lw=0)
        ax.axhline(longest[name], color=look.color, ls=look.line, lw=0.8)
        shares = [f", {percent(share)} outlasted" for share in first[OUTLASTED[name]]]
        words = ax.text(0.98, 0.99 * high, f"{look.name}{''.join(shares)}", **right)
        words.set_color(look.color)
    ax.plot(loops["rank"], loops["length"], "o", color=LEARNED.color, ms=3)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("loop, longest-lived first")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))


def _tables(results: Results, label: str, digits: int) -> str:
    values, loops, title = results["values"], results["loops"], f"Shape of the positions in {label}"
    if values.empty:
        has_none = results["json"]["n_positions"] == 0
        reason = absent(label, "positional") if has_none else "Too few structured positions."
        return tables_page(title, STAGE, f"{reason}\n")
    names = {**SPACE_NAMES, "plane": "plane of two components"}
    spaces = {name: names.get(name, name) for name in values["space"].unique()}
    shown = results.for_readers("values", values, space=spaces, measure=MEASURES)
    at = [name for name in map(str, shown) if "scale" in name or name.endswith("with a value")]
    return tables_page(
        title,
        STAGE,
        section(
            "Values",
            "Lengths and scales in root mean square distances from the mean. A dimension is read "
            "between two scales where slopes are steady; without, there is none. Loops and parts "
            "stand if longer and more than those of both kinds of surrogates, other values if "
            "outside both ranges.",
            markdown_table(shown.drop(columns=at), digits),
        ),
        section(
            "Scales of dimensions",
            "Between which slopes are steady, and how many surrogates have such scales.",
            markdown_table(shown[[*shown.columns[:2], *at]], digits),
        ),
        section(
            "Loops",
            "Bars of persistent homology in degree 1. A loop stands if it outlasts the longest of "
            "as many surrogates of both kinds as the rules say.",
            markdown_table(results.for_readers("loops", loops, space=spaces), digits),
        ),
        section(
            "Planes",
            "Turns about the center in planes of successive principal components.",
            markdown_table(results.for_readers("planes"), digits),
        ),
    )
