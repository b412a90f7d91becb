"""Draws how long and how alike learned vectors are, and their hubs, after Luisto's figure 10."""

from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import (
    HALO,
    absent,
    count,
    counted,
    join_panels,
    legend_below,
    new_figure,
    percent,
    quantile_range,
    say_instead,
    write_beside,
)
from embspace.draw.page.looks import CLOUDS, GRAY, SPACES, Look, names
from embspace.draw.page.markdown import (
    code,
    markdown_table,
    section,
    tables_page,
)
from embspace.draw.page.saving import Results
from embspace.draw.page.token_kinds import drawable
from embspace.draw.page.wording import numeral, side_by_side
from embspace.files.tables import coarse_quantiles
from embspace.geometry.pairs.directions import norms

HUBS, OCCURRENCE = "nearest_neighbors/hubs", "nearest_neighbors/occurrence"
FURTHER_RESULTS = (
    "data/extracted/embeddings.safetensors",
    "data/extracted/embeddings.parquet",
    "nearest_neighbors/hubs.csv",
    "nearest_neighbors/occurrence.csv",
)
MATRICES = FURTHER_RESULTS[0]
QUANTITIES = {
    "norm": ("Norms", "Euclidean norm", "share of vectors below"),
    "cosine": ("Cosines", "cosine", "share of pairs below"),
}
TOLERANCE = 1e-5  # of a smallest norm, as tables are rounded
RARE = 0.05  # random vectors that are as often near, below which chance does not give as many
ROOM = 0.42  # of a panel's width, for the name of a curve
MARGIN = 0.18  # beside a marked vector, as a share of the width
ORDERS = {
    "largest": "Most similar",
    "nearest_to_zero": "Most nearly orthogonal",
    "smallest": "Least similar",
}
TOKEN_SETS = {
    "ordinary": ("tokens", "All tokens but special and unused ones."),
    "word": ("words", "Letters alone, from the start of a word."),
}


def draw_similarity(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    n_pairs: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the cumulative shares of norms and of cosines by space, and of k-occurrences."""
    summary, hubs = results["summary"], results[HUBS]
    length = _length(hubs.iloc[0], results[MATRICES]) if len(hubs) else np.nan
    figure, axes = new_figure(
        1,
        4,
        height_mm=height_mm,
        title=_finding(summary, hubs, results[OCCURRENCE], length),
        subtitle=f"{label} · raw learned matrices · {_population(summary)} · all pairs · dots: "
        "medians · a, b: to the 1 % and 99 % quantiles, a to the hub · c: by Euclidean distance, "
        "at cosines near 0 (b) the least to short vectors; structured: neither outlying nor noise",
        stage="measure_similarity",
    )
    panels = [*axes[:2], join_panels(axes[2:])]
    for ax, quantity in zip(panels, QUANTITIES, strict=False):
        _distributions(ax, summary, results["histogram"], quantity)
    if len(hubs):
        _mark_hub(panels[0], hubs.iloc[0], length, results[MATRICES])
    _occurrences(panels[2], results[OCCURRENCE], hubs)
    legend_below(figure, panels[:2], ncols=3)
    return figure, _tables(results, label, n_pairs, digits)


def _distributions(ax: Axes, summary: pd.DataFrame, histogram: pd.DataFrame, quantity: str) -> None:
    """Draw the cumulative shares of a quantity by space, and write the medians."""
    title, xlabel, ylabel = QUANTITIES[quantity]
    histogram = histogram[histogram["quantity"] == quantity]
    if histogram.empty:
        say_instead([ax], f"{xlabel}:\nundefined, of vectors\nof length zero")
        return
    summaries = summary[summary["quantity"] == quantity].set_index("space")
    for space, look in SPACES.items():
        rows = histogram[histogram["space"] == space]
        if rows.empty:
            continue
        median = float(summaries["quantile_0.5"][space])
        _cumulate(ax, rows, look, median)
    medians = summaries["quantile_0.5"].reindex(["input", "positional"]).dropna().sort_values()
    sides = (("right", (-5, -2)), ("left", (5, -9)))[-len(medians) :]
    for (name, median), (side, offset) in zip(medians.items(), sides, strict=True):
        write_beside(
            ax, numeral(median, 2), (median, 0.5), offset, color=SPACES[str(name)].color, ha=side
        )
    ax.set(title=title, xlabel=xlabel, ylabel=ylabel, ylim=(0, 1.03))
    ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    ax.set_yticks(np.linspace(0, 1, 5))
    ax.set_xlim(*quantile_range(summaries))


def _cumulate(ax: Axes, rows: pd.DataFrame, look: Look, median: float) -> None:
    """Draw the cumulative share of vectors or pairs by the histogram's edges, and the median."""
    edges = [rows["bin_left"].iloc[0], *rows["bin_right"]]
    share = rows["count"].cumsum() / rows["count"].sum()
    ax.plot(edges, [0, *share], color=look.color, linestyle=look.line, label=look.name)
    ax.plot(median, 0.5, look.marker, color=look.color, markersize=4)


def _occurrences(ax: Axes, occurrence: pd.DataFrame, hubs: pd.DataFrame) -> None:
    """Draw the share of vectors by least k-occurrence, beside random neighbors, with the hubs."""
    from scipy.stats import poisson

    if occurrence.empty:
        say_instead([ax], "no neighbors")
        return
    k = int(occurrence["k"].max())
    smallest = 1 / occurrence.groupby("cloud")["count"].sum().max()
    ax.set(xscale="log", yscale="log", ylim=(0.01 * smallest, 2), title="Hubs")
    times = np.arange(1, 4 * k)
    random = poisson.sf(times - 1, k)
    ax.plot(times, random, color=GRAY, lw=0.8, label="random neighbors")
    left_out = {"positional"} if "structured" in set(occurrence["cloud"]) else set()
    for cloud, rows in occurrence.groupby("cloud", sort=False):
        if cloud in left_out:
            continue
        look = CLOUDS[str(cloud)]
        share = rows["count"][::-1].cumsum()[::-1] / rows["count"].sum()
        is_shown = rows["k_occurrence"] > 0  # the axis is a logarithm
        x, y = rows["k_occurrence"][is_shown], share[is_shown]
        ax.plot(x, y, color=look.color, ls=look.line, drawstyle="steps-pre", label=look.name)
        _name_curve(ax, str(cloud), x.to_numpy(), y.to_numpy(), raw=str(hubs["cloud"].iloc[0]))
    lowest = int((random > 0.02 * smallest).sum()) - 1
    at_end: dict[str, Any] = {"color": GRAY, "ha": "right"}
    write_beside(ax, "random\nneighbors", (times[lowest], random[lowest]), (-4, 0), **at_end)
    ax.yaxis.set_major_formatter(lambda share, _: percent(share))
    ax.set(xlabel=f"k-occurrence (k = {k})", ylabel="share of vectors that reach it")
    _name_hub(ax, hubs.iloc[0], smallest)


def _name_curve(
    ax: Axes, cloud: str, x: Float[np.ndarray, " n"], y: Float[np.ndarray, " n"], *, raw: str
) -> None:
    """Write a curve's name: of raw vectors at the right half-way, else at the lower end."""
    look: dict[str, Any] = {"color": CLOUDS[cloud].color, "path_effects": HALO}
    if cloud == raw:
        middle = int(np.searchsorted(x, np.sqrt(x[0] * x[-1])))
        write_beside(ax, "raw vectors", (x[middle], y[middle]), (4, 4), **look)
    elif cloud == f"{raw}_centered":
        has_room = np.log(x[-1]) < (1 - ROOM) * np.log(ax.get_xlim()[1])
        words = f"centered, unit length\n{count(x[-1])}"
        write_beside(
            ax,
            words,
            (x[-1], y[-1]),
            (-2, -3),
            ha="left" if has_room else "right",
            va="top",
            **look,
        )
    else:
        words = CLOUDS[cloud].name.replace(" ", "\n")
        write_beside(ax, words, (x[-1], y[-1]), (-4, 0), ha="right", **look)


def _name_hub(ax: Axes, hub: pd.Series, height: float) -> None:
    """Name the most frequent neighbor of the first cloud at the end of its curve."""
    look = CLOUDS[str(hub["cloud"])]
    place = (hub["k_occurrence"], height)
    ax.plot(*place, look.marker, color=look.color, markersize=4)
    words = f"{_hub_name(hub)}\n{count(hub['k_occurrence'])}"  # narrow: the curve is beside it
    write_beside(ax, words, place, (4, 6), ha="right", path_effects=HALO)


def _finding(
    summary: pd.DataFrame, hubs: pd.DataFrame, occurrence: pd.DataFrame, length: float = np.nan
) -> str:
    """Return the title: the most frequent neighbor, else which of the two spaces is longer."""
    if len(hubs):
        k, hub = int(occurrence["k"].max()), hubs.iloc[0]
        own = summary[(summary["quantity"] == "norm") & (summary["space"] == hub["cloud"])]
        is_shortest = (length <= own["minimum"] * (1 + TOLERANCE)).any()
        name = _hub_name(hub)
        which = (
            f"The shortest vector, {name} (a), is" if is_shortest else f"Of raw vectors, {name} is"
        )
        which = f"{name} has length zero (a), so that it is" if length == 0 else which
        centered = occurrence[occurrence["cloud"] == f"{hub['cloud']}_centered"]
        return (
            f"{which} among the {k} nearest of {count(hub['k_occurrence'])} vectors (c)"
            f"{_centered_hubs(centered) if len(centered) else ''}"
        )
    median = summary[summary["quantity"] == "norm"].set_index("space")["quantile_0.5"]
    longer = f"The median token embedding has norm {median['input']:.2f}"
    if "positional" in median:
        token, position = side_by_side([median["input"], median["positional"]], 2, differ=False)
        beside = "as long as"
        if token != position:
            beside = f"{'longer' if median['input'] > median['positional'] else 'shorter'} than"
        longer = f"Token embeddings are {beside} position embeddings"
    return longer


def _centered_hubs(centered: pd.DataFrame) -> str:
    """Return how often a centered unit vector is among the nearest, beside random neighbors."""
    from scipy.stats import poisson

    most, n = int(centered["k_occurrence"].max()), int(centered["count"].sum())
    n_random = n * float(poisson.sf(most - 1, centered["k"].max()))
    beside = "" if n_random < RARE else ", as by chance"
    start = "; centered, at unit length, a vector is among the nearest of at most"
    return f"{start} {count(most)}{beside}"


def _hub_name(hub: pd.Series) -> str:
    return drawable(str(hub["token"])) if hub["space"] == "input" else f"position {hub['id']}"


def _length(hub: pd.Series, matrices: dict[str, np.ndarray]) -> float:
    return float(norms(matrices[hub["space"]])[int(hub["id"])])


def _mark_hub(ax: Axes, hub: pd.Series, length: float, matrices: dict[str, np.ndarray]) -> None:
    """Mark the most frequent neighbor on the curve of the space, unless beyond the right."""
    left, right = ax.get_xlim()
    if length > right:
        return
    margin = MARGIN * (right - left)
    ax.set_xlim(min(left, length - margin), right)
    place = (length, float((norms(matrices[hub["space"]]) < length).mean()))
    ax.plot(*place, CLOUDS[str(hub["cloud"])].marker, color="black", markersize=4, clip_on=False)
    write_beside(
        ax, f"{_hub_name(hub)}\n{length:.2f}", place, (0, 6), ha="center", path_effects=HALO
    )


def _population(summary: pd.DataFrame) -> str:
    n = summary[summary["quantity"] == "norm"].set_index("space")["n"]
    parts = [counted(n["input"], "token")]
    if "positional" in n:
        parts.append(counted(n["positional"], "position"))
    return ", ".join(parts)


def _tables(results: Results, label: str, n_pairs: int, digits: int) -> str:
    summary, pairs = results["summary"], results["pairs"]
    named = summary.assign(quantity=summary["quantity"].str.replace("_", " "))
    shown = results.for_readers("summary", named, space=names(CLOUDS | SPACES))
    has_positions = "positional" in set(summary["space"])
    reason = "" if has_positions else f" {absent(label, 'positional')}"
    caution = coarse_quantiles(summary)
    note = f"Over all vectors or pairs.{reason}{' ' * bool(caution)}{caution}"
    sections = [section("Distributions", note, markdown_table(shown, digits))]
    for tokens, (name, note) in TOKEN_SETS.items():
        for order, title in ORDERS.items():
            rows = pairs[(pairs["tokens"] == tokens) & (pairs["order"] == order)][:n_pairs]
            rows = rows.assign(token_1=rows["token_1"].map(code), token_2=rows["token_2"].map(code))
            shown = results.for_readers("pairs", rows)
            exact = ["cosine"] if order == "nearest_to_zero" else []
            sections.append(section(f"{title} {name}", note, markdown_table(shown, digits, exact)))
    title = f"Norms and pairs of the learned vectors of {label}"
    return tables_page(title, "measure_similarity", *sections)
