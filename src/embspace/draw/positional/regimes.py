"""Draws the figure and the tables of `measure_regimes`, after Luisto's figure 14."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    QUANTITIES,
    absent,
    counted,
    join_panels,
    legend_below,
    new_figure,
    quantile_range,
    say_absent,
    sentence_case,
    step,
    write_beside,
)
from embspace.draw.page.looks import BLACK, GRAY, SPACES
from embspace.draw.page.markdown import markdown_table, p_value, section, tables_page
from embspace.draw.page.saving import Results

FURTHER_RESULTS = ("similarity/summary.csv", "similarity/histogram.csv")
STRUCTURED = "without_unstructured"
N_NAMED = 6  # outlying positions that the title names
OUTLYING_NOTE = "Single positions less like the ones beside them than others around are."
DISTRIBUTIONS_NOTE = "Over all positions or pairs and, where some are unstructured, without these."


def draw_regimes(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the cosines with the neighbors and the norms by position, with changes of regime.

    If positions are unstructured, a third row has the distributions of tokens and of the other
    positions, as in Luisto's figure 14, and an outline of all positions.
    """
    positions, summary, scalars = results["positions"], results["summary"], results["json"]
    is_compared = STRUCTURED in set(results["histogram"]["positions"])
    figure, axes = new_figure(
        2 + is_compared,
        len(QUANTITIES),
        height_mm=row_height_mm * (2 + is_compared) + 20,
        title=_finding(positions, scalars),
        subtitle=f"{label} · {_found(scalars)}"
        + (" · distributions from 1 to 99 %" if is_compared else ""),
        stage="measure_regimes",
    )
    if positions.empty:
        say_absent(axes, label, "positional")
        return figure, _tables(results, label, digits)
    n = len(QUANTITIES)
    cosines, norms = (join_panels(row) for row in (axes[:n], axes[n : 2 * n]))
    _along(cosines, positions, summary, "neighbor_cosine")
    cosines.set_ylabel("cosine")
    cosines.set_title("Larger cosine with an adjacent position (line: mean of all adjacent pairs)")
    _along(norms, positions, summary, "norm")
    norms.set(title="Euclidean norm", xlabel="position (bands: regimes)", ylabel="norm")
    _chance(cosines, summary)
    _changes(norms, summary, scalars)
    if is_compared:
        for ax, quantity in zip(axes[2 * n :], QUANTITIES, strict=True):
            _distributions(ax, results, quantity)
        axes[2 * n].set_ylabel("density")
        legend_below(figure, axes[-1:], ncols=2)  # norms have no pairs
    return figure, _tables(results, label, digits)


def _chance(ax: Axes, summary: pd.DataFrame) -> None:
    """Draw the bound of each regime, which its mean cosine rarely exceeds by chance."""
    ends = summary["first_position"], summary["last_position"]
    ax.hlines(summary["null_bound"], *ends, color=GRAY, linestyle="--")
    place = (summary["last_position"].iloc[-1], summary["null_bound"].iloc[-1])
    write_beside(
        ax, "random vectors: upper bound of the mean", place, (0, 3), ha="right", color=GRAY
    )


def _changes(ax: Axes, summary: pd.DataFrame, scalars: dict[str, Any]) -> None:
    """Write the position and the p-value of each change of regime upright at its edge."""
    changes = summary[summary["start_p_value"].notna()]
    for start, p in zip(changes["first_position"], changes["start_p_value"], strict=True):
        shown = p_value(p, scalars["n_simulations"])
        ax.text(
            start + 2,
            0.5,
            f"{start}, p {shown if shown.startswith('<') else f'= {shown}'}",
            rotation=90,
            va="center",
            fontsize=7,
            transform=ax.get_xaxis_transform(),
        )


def _distributions(ax: Axes, results: Results, quantity: str) -> None:
    """Draw the distributions of one quantity by space, without unstructured positions."""
    tables = {
        "input": ("similarity/histogram", "similarity/summary", "space", "input"),
        "positional": ("histogram", "distributions", "positions", STRUCTURED),
        "token_position": ("token_histogram", "token_distributions", "positions", STRUCTURED),
    }
    summaries = []
    for space, (histogram, summary, column, value) in tables.items():
        name, color, _, line = SPACES[space]
        chosen = (
            rows[(rows[column] == value) & (rows["quantity"] == quantity)]
            for rows in (results[histogram], results[summary])
        )
        bins, summarized = chosen
        step(
            ax, bins, name if space == "input" else f"{name} without the unstructured", color, line
        )
        summaries.append(summarized)
    bins = results["histogram"]
    bins = bins[(bins["positions"] == "all") & (bins["quantity"] == quantity)]
    edges = [*bins["bin_left"], bins["bin_right"].iloc[-1]]
    ax.stairs(bins["density"], edges, color="0.2", linestyle=":", label="all positions")
    ax.set(title=sentence_case(QUANTITIES[quantity]), ylim=(0, None))
    ax.set_xlim(*quantile_range(pd.concat(summaries)))


def _finding(positions: pd.DataFrame, scalars: dict[str, Any]) -> str:
    if positions.empty:
        return "There are no position embeddings to look at"
    outlying = positions.loc[positions["outlying"].astype(bool), "position"]
    named = f" ({', '.join(map(str, outlying))})" if 0 < len(outlying) <= N_NAMED else ""
    changes = counted(scalars["n_changes"], "change")
    lie = "lies" if len(outlying) == 1 else "lie"
    return (
        f"{counted(len(outlying), 'position')} of {len(positions)} {lie} "
        f"apart{named}; {changes} of regime along the others"
    )


def _found(scalars: dict[str, Any]) -> str:
    if not scalars["n_positions"]:
        return "nothing to show"
    named = "named " if scalars["unstructured_named"] else ""
    unstructured = (
        f"{counted(scalars['n_unstructured_positions'], 'position')} {named}unstructured"
        if scalars["n_unstructured_positions"]
        else "unstructured: none found"
    )
    return (
        f"{counted(scalars['n_positions'], 'position')} · outlying: {scalars['n_outlying']} · "
        f"changes of regime: {scalars['n_changes']} · {unstructured}"
    )


def _along(ax: Axes, positions: pd.DataFrame, summary: pd.DataFrame, column: str) -> None:
    apart = positions["outlying"].astype(bool)
    for row in summary.to_dict("records"):
        color = "0.93" if row["regime"] % 2 else "white"
        ax.axvspan(row["first_position"] - 0.5, row["last_position"] + 0.5, color=color, zorder=0)
    ends = summary["first_position"], summary["last_position"]
    ax.hlines(summary[f"mean_{column}"], *ends, color=BLACK, linewidth=1, zorder=3)
    inside = positions[~apart]
    ax.plot(inside["position"], inside[column], ".", color=SPACES["positional"].color, markersize=2)
    outside = positions[apart]
    ax.plot(outside["position"], outside[column], "x", color=BLACK, markersize=4)
    for position, value in zip(outside["position"], outside[column], strict=True):
        write_beside(ax, str(position), (position, value), (3, 2))
    ax.set_xlim(-8, len(positions) + 8)
    ax.grid(visible=False, axis="x")


def _tables(results: Results, label: str, digits: int) -> str:
    title, positions = f"Regimes of the position embeddings of {label}", results["positions"]
    if positions.empty:
        return tables_page(title, "measure_regimes", f"{absent(label, 'positional')}\n")
    outlying = results.for_readers("positions", positions[positions["outlying"].astype(bool)])
    tables = {
        ("Outlying positions", OUTLYING_NOTE): outlying,
        ("Regimes", _reliability(results["json"])): results.for_readers("summary"),
        ("Distributions", DISTRIBUTIONS_NOTE): results.for_readers("distributions"),
        ("Pairs of a token and a position", "Of the same positions."): results.for_readers(
            "token_distributions"
        ),
    }
    sections = [section(*head, markdown_table(rows, digits)) for head, rows in tables.items()]
    return tables_page(title, "measure_regimes", "\n".join(sections))


def _reliability(scalars: dict[str, Any]) -> str:
    if "penalty" not in scalars:
        return "Too few positions to look for changes."
    return (
        f"A change must lower the sum of squares by {scalars['penalty']:.4g}. Of "
        f"{counted(scalars['n_simulations'], 'simulated stationary table')}, "
        f"{100 * scalars['false_alarm_rate']:.1f} % had a change "
        f"(95 % interval {100 * scalars['false_alarm_rate_low']:.1f} to "
        f"{100 * scalars['false_alarm_rate_high']:.1f} %). Each regime was tested again by "
        "itself; p is the share of its stationary tables with as large a change."
    )
