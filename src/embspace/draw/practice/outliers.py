"""Draws how many texts of a corpus lie far from another corpus, from `measure_outliers`."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    counted,
    legend_below,
    new_figure,
    percent,
    say_instead,
)
from embspace.draw.page.looks import GRAY, PALETTE, Line, Look, corpus_looks
from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.saving import Results
from embspace.draw.page.sections import page_of_parts
from embspace.draw.practice.names import TablesOfPairs

STAGE = "measure_outliers"
NONE = "Too few texts to tell outliers"
ALONE = "one corpus alone"
MARKERS = "o^sDvPX"
LINES: tuple[Line, ...] = ("-", "--", "-.", ":")
LAYER = "layer (0: embedding output)"


def draw_outliers(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw shares of outliers and of small p by layer, and distances at the last layer."""
    table = results["csv"]
    groups = table.groupby(["corpus", "among"], sort=False)
    pairs: TablesOfPairs = {(str(one), str(other)): rows for (one, other), rows in groups}
    across = {pair: rows for pair, rows in pairs.items() if pair[0] != pair[1]}
    figure, axes = new_figure(
        1,
        3,
        height_mm=height_mm,
        title=_finding(table),
        subtitle=f"{label} · {_population(table)}",
        stage=STAGE,
    )
    text = _tables(results, label, digits)
    if table.empty:
        say_instead(axes, NONE)
        return figure, text
    shown = across or pairs
    _lines(axes[0], shown, "share")
    axes[0].set(title="Outliers", ylabel="% of texts")
    if across:
        _lines(axes[1], across, "share_below")
        axes[1].axhline(5, color=GRAY, linewidth=0.8, linestyle=":")
    else:
        say_instead([axes[1]], ALONE)
    axes[1].set(title="Texts with p up to 0.05", ylabel="% of texts")
    _distances(axes[2], results["distances"])
    legend_below(figure, [axes[0]], ncols=3)
    return figure, text


def _called(pair: tuple[str, str]) -> str:
    texts, among = map(corpus_called, pair)
    return f"{texts} among themselves" if texts == among else f"{texts} among {among}"


def _lines(ax: Axes, pairs: TablesOfPairs, column: str) -> None:
    """Draw a line a pair, and beside it in gray what halves or Gaussian clouds give."""
    for number, (pair, rows) in enumerate(pairs.items()):
        look = Look(_called(pair), PALETTE[number % 7], MARKERS[number % 7], LINES[number % 4])
        style: dict[str, Any] = {"color": look.color, "marker": look.marker, "ls": look.line}
        ax.plot(rows["layer"], 100 * rows[column], ms=4, label=look.name, **style)
        chance = "by chance" if number == 0 else None
        null = 100 * rows[f"null_{column}"]
        ax.plot(rows["layer"], null, color=GRAY, marker="_", ls="None", ms=7, label=chance)
    ax.set(ylim=(-3, 103), xlabel=LAYER)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _distances(ax: Axes, table: pd.DataFrame) -> None:
    """Draw median, middle half and 90 % of the distances, grouped by what gives the scale."""
    order = table.assign(is_other=table["corpus"] != table["among"])
    order = order.sort_values(["among", "is_other", "corpus"], kind="stable")
    looks = corpus_looks(order["corpus"])
    for y, (_, row) in enumerate(order.iterrows()):
        color = looks[row["corpus"]].color
        ax.plot([row["quantile_0.05"], row["quantile_0.95"]], [y, y], color=color, lw=1)
        ax.plot([row["quantile_0.25"], row["quantile_0.75"]], [y, y], color=color, lw=4, alpha=0.6)
        ax.plot(row["quantile_0.5"], y, color="white", marker="|", ms=6, mew=1.5)
    names = [
        f"{corpus_called(row['corpus'])} in {corpus_called(row['among'])}"
        if row["is_other"]
        else f"{corpus_called(row['corpus'])}, own"
        for _, row in order.iterrows()
    ]
    ax.set_yticks(range(len(names)), names)
    ax.set(ylim=(len(names) - 0.5, -0.5), xlabel="distance to 10 nearest")
    ax.set_title("Distances, last layer")


def _finding(table: pd.DataFrame) -> str:
    """Return the title: the most outliers of a corpus among another, else in itself."""
    if table.empty:
        return NONE
    last = table[table["layer"] == table["layer"].max()]
    across = last[last["corpus"] != last["among"]]
    own = last[last["corpus"] == last["among"]]
    named = [_own(row) for _, row in own.iterrows() if row["share"] > row["null_share_high"]]
    if across.empty:
        start = "At the last layer no text is an outlier in its own corpus, beyond chance"
        return f"At the last layer {' and '.join(named)}" if named else start
    most = across.iloc[int(across["share"].to_numpy().argmax())]
    if most["share"] <= most["null_share_high"]:
        return "At the last layer no corpus has texts that are outliers in another, beyond chance"
    pair = str(most["corpus"]), str(most["among"])
    texts, among = map(corpus_called, pair)
    return (
        f"At the last layer {percent(most['share'])} of {texts} are outliers among {among}, of one "
        f"half of {among} among the other {percent(most['null_share'])}"
    )


def _own(row: pd.Series) -> str:
    n = round(row["share"] * row["n"])
    name = corpus_called(str(row["corpus"]))
    return f"{counted(n, 'text')} of {name} {'is an outlier' if n == 1 else 'are outliers'} there"


def _population(table: pd.DataFrame) -> str:
    if table.empty:
        return "n = 0"
    sizes = table.groupby("corpus", sort=False)["n"].max()
    parts = [f"{corpus_called(str(name))}: {counted(n, 'text')}" for name, n in sizes.items()]
    return (
        f"{', '.join(parts)} · mean pooling, 10 nearest by cosine · conformal p, false discovery "
        "rate 5 % · gray: halves of the second corpus · bars: 50 and 90 % of texts"
    )


def _tables(results: Results, label: str, digits: int) -> str:
    shares, distances = results.for_readers("csv"), results.for_readers("distances")
    texts, kinds = results.for_readers("texts"), results.for_readers("kinds")
    parts = [
        (
            "Outliers by layer",
            "Texts held against their own corpus by the tail of all distances (by chance: Gaussian "
            "clouds), against another by conformal p (by chance: its halves).",
            shares,
        ),
        (
            "Distances at the last layer",
            "Mean of 1 - cosine to the ten nearest texts of further documents.",
            distances,
        ),
        ("Farthest texts", "At the last layer.", texts),
        (
            "What outliers are",
            "Medians and shares at the last layer, where some texts are outliers and some are not.",
            kinds,
        ),
    ]
    return page_of_parts(f"Texts off a corpus in {label}", STAGE, digits, *parts)
