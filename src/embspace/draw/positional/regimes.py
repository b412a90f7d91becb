"""Figure and tables of `measure_regimes`: outlying positions, regimes, Luisto's figure 14."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    QUANTITIES,
    absent,
    counted,
    new_figure,
    quantile_range,
    say_absent,
    step,
)
from embspace.draw.page.looks import SPACES
from embspace.draw.page.markdown import DISTRIBUTION, markdown_table, section

RESULTS = (
    "json",
    "positions.csv",
    "summary.csv",
    "distributions.csv",
    "histogram.csv",
    "token_distributions.csv",
    "token_histogram.csv",
    "similarity/summary.csv",
    "similarity/histogram.csv",
)
STRUCTURED = "without_unstructured"
N_NAMED = 6  # outlying positions that the title names
SUMMARY = {
    "regime": "regime",
    "first_position": "first position",
    "last_position": "last position",
    "n_outlying": "outlying",
    "mean_norm": "mean norm",
    "mean_neighbor_cosine": "neighbors' mean cosine",
    "null_bound": "bound of random vectors",
    "unstructured": "unstructured",
    "start_p_value": "p of its start",
    "next_p_value": "p of the next change",
}
OUTLYING = {
    "position": "position",
    "norm": "norm",
    "neighbor_cosine": "larger cosine with those beside it",
    "score": "under the median around, in robust deviations",
    "regime": "regime",
}


def draw_regimes(
    results: dict[str, Any], label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Neighbor cosines and norms along the axis; distributions of tokens and of positions.

    Where positions are unstructured, the distributions are of the others, as in Luisto's figure
    14, and all positions are outlined.
    """
    positions, summary, scalars = results["positions"], results["summary"], results["json"]
    figure, axes = new_figure(
        3,
        2,
        height_mm=height_mm,
        title=_finding(positions, scalars),
        subtitle=f"{label} · {_found(scalars)} · distributions from 1 to 99 %",
        stage="measure_regimes",
    )
    if positions.empty:
        say_absent(axes, label, "positional")
        return figure, _tables(results, label, digits)
    _along(axes[0], positions, summary, "neighbor_cosine", "larger neighbor cosine")
    _along(axes[1], positions, summary, "norm", "Euclidean norm")
    axes[0].hlines(
        summary["null_bound"],
        summary["first_position"],
        summary["last_position"],
        color="C6",
        linestyle="--",
        label="chance bound of the mean",
    )
    axes[0].legend(loc="center", bbox_to_anchor=(0.55, 0.4))
    for ax, quantity in zip(axes[2:], QUANTITIES, strict=True):
        _distributions(ax, results, quantity)
    figure.legend(*axes[-1].get_legend_handles_labels(), loc="outside lower left", ncols=2)
    if not scalars["n_unstructured_positions"]:
        name = "No position is unstructured: all are shown"
        axes[2].set_title(name, fontsize=7, fontweight="normal", loc="left")
    return figure, _tables(results, label, digits)


def _distributions(ax: Axes, results: dict[str, Any], quantity: str) -> None:
    """The thesis's figure 10 of one quantity, with the positions that are left."""
    left = STRUCTURED if STRUCTURED in set(results["histogram"]["positions"]) else "all"
    without = " without the unstructured" if left == STRUCTURED else ""
    tables = {
        "input": ("similarity/histogram", "similarity/summary", "space", "input"),
        "positional": ("histogram", "distributions", "positions", left),
        "token_position": ("token_histogram", "token_distributions", "positions", left),
    }
    summaries = []
    for space, (histogram, summary, column, value) in tables.items():
        name, color, *_ = SPACES[space]
        chosen = (
            rows[(rows[column] == value) & (rows["quantity"] == quantity)]
            for rows in (results[histogram], results[summary])
        )
        bins, summarized = chosen
        step(ax, bins, name if space == "input" else f"{name}{without}", color)
        summaries.append(summarized)
    if left == STRUCTURED:
        bins = results["histogram"]
        bins = bins[(bins["positions"] == "all") & (bins["quantity"] == quantity)]
        edges = [*bins["bin_left"], bins["bin_right"].iloc[-1]]
        ax.stairs(bins["density"], edges, color="0.2", linestyle=":", label="all positions")
    ax.set(xlabel=QUANTITIES[quantity], ylabel="density", ylim=(0, None))
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


def _along(
    ax: Axes, positions: pd.DataFrame, summary: pd.DataFrame, column: str, name: str
) -> None:
    apart = positions["outlying"].astype(bool)
    for row in summary.to_dict("records"):
        color = "0.93" if row["regime"] % 2 else "white"
        ax.axvspan(row["first_position"] - 0.5, row["last_position"] + 0.5, color=color, zorder=0)
    inside = positions[~apart]
    ax.plot(inside["position"], inside[column], ".", color="C1", markersize=1.5)
    outside = positions[apart]
    ax.plot(outside["position"], outside[column], "x", color="C0", markersize=4, label="outlying")
    for position, value in zip(outside["position"], outside[column], strict=True):
        ax.annotate(
            str(position), (position, value), (3, 2), textcoords="offset points", fontsize=6
        )
    ax.set(xlabel="position (bands: regimes)", ylabel=name, xlim=(-8, len(positions) + 8))
    ax.grid(visible=False, axis="x")


def _tables(results: dict[str, Any], label: str, digits: int) -> str:
    heading = f"# Regimes of the positional embeddings of {label}\n\nStage `measure_regimes`.\n"
    positions, scalars = results["positions"], results["json"]
    if positions.empty:
        return f"{heading}\n{absent(label, 'positional')}\n"
    outlying = positions[positions["outlying"].astype(bool)][[*OUTLYING]].rename(columns=OUTLYING)
    summary = results["summary"][[*SUMMARY]].rename(columns=SUMMARY)
    shown = {"positions": "positions", "quantity": "quantity", **DISTRIBUTION}
    distributions, with_tokens = (
        results[name][[*shown]].rename(columns=shown)
        for name in ("distributions", "token_distributions")
    )
    return "\n".join(
        [
            heading,
            section(
                "Outlying positions",
                "Single positions less like the ones beside them than others around are.",
                markdown_table(outlying, digits),
            ),
            section("Regimes", _reliability(scalars), markdown_table(summary, digits)),
            section(
                "Distributions",
                "Over all positions or pairs and, where some are unstructured, without these.",
                markdown_table(distributions, digits),
            ),
            section(
                "Pairs of a token and a position",
                "Of the same positions.",
                markdown_table(with_tokens, digits),
            ),
        ]
    )


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
