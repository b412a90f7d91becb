"""Draws how many texts of a corpus lie far from another corpus, from `measure_outliers`."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    counted,
    new_figure,
    percent,
    say_instead,
)
from embspace.draw.page.corpora_apart import TablesOfPairs
from embspace.draw.page.direct_labels import name_lines
from embspace.draw.page.looks import GRAY, TEXT_POOLINGS, corpus_looks
from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.saving import Results
from embspace.draw.page.sections import page_of_parts

STAGE = "measure_outliers"
FURTHER_RESULTS = ("conf/measure/practice/outliers.yaml",)
MEASURED_WITH = FURTHER_RESULTS[0]
NONE = "Too few texts to tell outliers"
LAYER = "layer (0: embedding output)"


def draw_outliers(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw shares of small p against a second corpus by layer, and distances at the last layer.

    For a single corpus, shares of outliers within the corpus.
    """
    table = results["csv"]
    groups = table.groupby(["corpus", "among"], sort=False)
    pairs: TablesOfPairs = {(str(one), str(other)): rows for (one, other), rows in groups}
    across = {pair: rows for pair, rows in pairs.items() if pair[0] != pair[1]}
    figure, axes = new_figure(
        1,
        2,
        height_mm=height_mm,
        title=_finding(table),
        subtitle=f"{label} · {_population(results, has_pairs=bool(across))}",
        stage=STAGE,
    )
    text = _tables(results, label, digits)
    if table.empty:
        say_instead(axes, NONE)
        return figure, text
    if across:
        _lines(axes[0], across, "share_below", "halves of a corpus, at most")
        axes[0].set(title="Farther than 95 % of the other corpus", ylabel="% of texts")
    else:
        _lines(axes[0], pairs, "share", "Gaussian clouds, at most")
        axes[0].set(title="Outliers in their own corpus", ylabel="% of texts")
    _distances(axes[1], results["distances"])
    return figure, text


def _called(pair: tuple[str, str]) -> str:
    texts, among = map(corpus_called, pair)
    return f"{texts} among themselves" if texts == among else f"{texts} among {among}"


def _lines(ax: Axes, pairs: TablesOfPairs, column: str, null: str) -> None:
    """Draw a line per pair, in the color of the texts and the dashes of the reference corpus.

    Below the gray line lie all nulls.
    """
    looks = corpus_looks(sorted({name for pair in pairs for name in pair}))
    for pair, rows in pairs.items():
        own, among = (looks[name] for name in pair)
        style: dict[str, Any] = {"color": own.color, "marker": own.marker, "ls": among.line}
        name = f"{_called(pair)} {percent(rows[column].iloc[-1])}"
        ax.plot(rows["layer"], 100 * rows[column], ms=4, label=name, **style)
    high = pd.concat([*pairs.values()]).groupby("layer")[f"null_{column}_high"].max()
    ax.plot(high.index, 100 * high, color=GRAY, lw=0.8, label=null)
    ax.fill_between(high.index, 0, 100 * high, color=GRAY, alpha=0.25, lw=0)
    ax.set(ylim=(-3, 103), xlabel=LAYER)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    name_lines(ax, 0.08)


def _distances(ax: Axes, table: pd.DataFrame) -> None:
    """Draw median, middle half and 90 % of the distances, grouped by what gives the scale."""
    order = table.assign(is_other=table["corpus"] != table["among"])
    order = order.sort_values(["among", "is_other", "corpus"], kind="stable")
    looks = corpus_looks(sorted({*order["corpus"]}))
    for y, (_, row) in enumerate(order.iterrows()):
        color = looks[row["corpus"]].color
        ax.plot([row["quantile_0.05"], row["quantile_0.95"]], [y, y], color=color, lw=1)
        ax.plot([row["quantile_0.25"], row["quantile_0.75"]], [y, y], color=color, lw=4, alpha=0.6)
        ax.plot(row["quantile_0.5"], y, color="white", marker="|", ms=6, mew=1.5)
    names = [
        f"{corpus_called(row['corpus'])} among {corpus_called(row['among'])}"
        if row["is_other"]
        else f"{corpus_called(row['corpus'])}, own"
        for _, row in order.iterrows()
    ]
    ax.set_yticks(range(len(names)), names)
    ax.set(ylim=(len(names) - 0.5, -0.5), xlabel="distance to 10 nearest")
    ax.set_title("Distances, last layer")


def _finding(table: pd.DataFrame) -> str:
    """Return the title: the pair with the largest growth from layer 0, else outliers at home.

    With outliers at layer 0 too, texts differ in words or length, and layers add nothing.
    """
    if table.empty:
        return NONE
    last = table[table["layer"] == table["layer"].max()]
    across = last[last["corpus"] != last["among"]]
    own = last[last["corpus"] == last["among"]]
    named = [_own(row) for _, row in own.iterrows() if row["share"] > row["null_share_high"]]
    if across.empty:
        start = "At the last layer no text is an outlier in its own corpus, beyond chance"
        return f"At the last layer {' and '.join(named)}" if named else start
    sure = across[across["share_below"] > across["null_share_below_high"]]
    if sure.empty:
        return "At the last layer no corpus lies farther from another than its halves"
    pair, column = ["corpus", "among"], "share_below"
    first = table.loc[table["layer"] == table["layer"].min(), [*pair, column]]
    sure = sure.merge(first, how="left", on=pair, suffixes=("", "_before"))
    row = sure.iloc[int((sure[column] - sure[f"{column}_before"]).to_numpy().argmax())]
    texts, among = corpus_called(str(row["corpus"])), corpus_called(str(row["among"]))
    return (
        f"At the last layer {percent(row[column])} of {texts} lie farther from {among} than 95 % "
        f"of {among} do"
    )


def _own(row: pd.Series) -> str:
    n = round(row["share"] * row["n"])
    name = corpus_called(str(row["corpus"]))
    return f"{counted(n, 'text')} of {name} {'is an outlier' if n == 1 else 'are outliers'} there"


def _population(results: Results, *, has_pairs: bool) -> str:
    table = results["csv"]
    if table.empty:
        return "n = 0"
    sizes = table.groupby("corpus", sort=False)["n"].max()
    parts = [f"{corpus_called(str(name))}: {counted(n, 'text')}" for name, n in sizes.items()]
    pooling = TEXT_POOLINGS[results[MEASURED_WITH]["pooling"]].name
    how = "" if has_pairs else "p by the tail of distances, false discovery rate 5 %"
    return " · ".join(
        part
        for part in (
            ", ".join(parts),
            f"{pooling}, 10 nearest by cosine",
            how,
            "bars: 50 and 90 % of texts",
        )
        if part
    )


def _tables(results: Results, label: str, digits: int) -> str:
    shares, distances = results.for_readers("csv"), results.for_readers("distances")
    texts, kinds = results.for_readers("texts"), results.for_readers("kinds")
    parts = [
        (
            "Outliers by layer",
            "Texts held against their own corpus by the tail of all distances (by chance: Gaussian "
            "clouds), against another by conformal p (by chance: its halves). With few documents "
            "p cannot be small; without outliers stand corpora that would need a crowd of them.",
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
