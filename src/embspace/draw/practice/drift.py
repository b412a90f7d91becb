"""Draws how far corpora are apart, beside halves of one, and where, from `measure_drift`.

The AUC of two corpora by layer is of `measure_two_corpora`.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    counted,
    legend_below,
    new_figure,
    say_instead,
    sentence_case,
    shade,
    write_beside,
)
from embspace.draw.page.looks import (
    BLACK,
    GRAY,
    ORANGE,
    PURPLE,
    SKY,
    TEXT_POOLINGS,
    YELLOW,
    Look,
    corpus_looks,
)
from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.saving import Results
from embspace.draw.page.sections import page_of_parts
from embspace.draw.practice.names import TablesOfPairs, words_alone

STAGE = "measure_drift"
FURTHER_RESULTS = ("conf/measure/practice/drift.yaml", "two_corpora/.csv")
MEASURED_WITH, APART = FURTHER_RESULTS[0], "two_corpora"
NONE = "Too few texts to tell two corpora apart"
SURE = 0.05
COLORS, MARKERS = (PURPLE, BLACK, SKY, ORANGE, YELLOW), "DsvPX"  # others than of corpora
N_WORDS = 3  # of a cluster, in the figure
LAYER = "layer (0: embedding output)"


def draw_drift(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the AUC of corpora and of halves by layer, clusters of one pair, and components."""
    halves, words = results["halves"], words_alone(results[APART])
    table = _of_layers(results)
    groups = table.groupby(["corpus", "other_corpus"], sort=False)
    pairs: TablesOfPairs = {(str(one), str(other)): rows for (one, other), rows in groups}
    figure, axes = new_figure(
        1,
        3,
        height_mm=height_mm,
        title=_finding(table, halves, words),
        subtitle=f"{label} · {_population(results)}",
        stage=STAGE,
    )
    text = _tables(results, label, digits)
    if not pairs:
        say_instead(axes, NONE)
        return figure, text
    looks = {
        pair: Look(_called(pair), COLORS[number % 5], MARKERS[number % 5])
        for number, pair in enumerate(pairs)
    }
    for pair, rows in pairs.items():
        look = looks[pair]
        axes[0].plot(
            rows["layer"], rows["auc"], color=look.color, marker=look.marker, ms=4, label=look.name
        )
        shade(axes[0], rows, "layer", "auc", color=look.color, alpha=0.2)
        if pair in words:
            axes[0].axhline(words[pair], color=look.color, ls=":", lw=1.2, label="words alone")
    _halves(axes[0], halves, table)
    shown = _beyond_words(table, words) or next(iter(pairs))
    last = pairs[shown].iloc[-1]
    for value in (last["auc"], *([words[shown]] if shown in words else [])):
        place = (last["layer"], value)
        write_beside(axes[0], f"{value:.2f}", place, (8, -3), color=looks[shown].color)
    _clusters(axes[1], _of_pair(results["clusters"], shown), shown)
    _components(axes[2], results["directions"], looks)
    legend_below(figure, axes[:2], ncols=3)
    return figure, text


def _of_layers(results: Results) -> pd.DataFrame:
    """Return the comparisons of two corpora by layer, at the pooling of this analysis.

    Without halves, which no corpus is large enough for, there are none.
    """
    table = results[APART]
    is_shown = (table["embedding"] == results[MEASURED_WITH]["pooling"]) & table["layer"].notna()
    return table[is_shown & (len(results["halves"]) > 0)]


def _called(pair: tuple[str, str]) -> str:
    one, other = map(corpus_called, pair)
    return f"{one} and {other}"


def _of_pair(table: pd.DataFrame, pair: tuple[str, str]) -> pd.DataFrame:
    return table[(table["corpus"] == pair[0]) & (table["other_corpus"] == pair[1])]


def _halves(ax: Axes, halves: pd.DataFrame, table: pd.DataFrame) -> None:
    bounds = halves.groupby("layer").agg({"auc_smallest": "min", "auc_largest": "max"})
    ax.fill_between(
        bounds.index,
        bounds["auc_smallest"],
        bounds["auc_largest"],
        color=GRAY,
        alpha=0.25,
        lw=0,
        label="halves of one corpus",
    )
    ax.set(title="How surely a text tells its corpus", ylabel="probability (AUC)", xlabel=LAYER)
    ax.set_ylim(min(0.5, table["auc_low"].min()) - 0.05, 1.03)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _clusters(ax: Axes, clusters: pd.DataFrame, pair: tuple[str, str]) -> None:
    """Draw the share of each corpus in clusters that words name; gray lines: no more than chance.

    Clusters without words of their own are on the page.
    """
    named = clusters[clusters["words"].fillna("") != ""]
    ax.set_title(f"Clusters with words, {len(named)} of {len(clusters)}")
    if named.empty:
        say_instead([ax], "no cluster has words of its own")
        return
    looks = corpus_looks(pd.Series(pair))
    order = named.assign(more=named["second_share"] - named["first_share"])
    order = order.sort_values("more", kind="stable").reset_index(drop=True)
    for y, (_, row) in enumerate(order.iterrows()):
        shares = [row["first_share"], row["second_share"]]
        is_sure = row["p_value"] <= SURE
        ax.plot(shares, [y, y], color="0.2" if is_sure else "0.8", lw=1, zorder=1)
        for share, corpus in zip(shares, pair, strict=True):
            look = looks[corpus]
            style: dict[str, Any] = {"color": look.color, "marker": look.marker, "ls": "None"}
            fill = look.color if is_sure else "white"
            ax.plot(share, y, ms=5, mfc=fill, label=None if y else look.name, **style)
    ax.set_yticks(
        range(len(order)), [" ".join(words.split()[:N_WORDS]) for words in order["words"]]
    )
    ax.set(ylim=(len(order) - 0.5, -0.5), xlabel="share of the corpus's texts")
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))


def _components(ax: Axes, directions: pd.DataFrame, looks: dict[tuple[str, str], Look]) -> None:
    for pair, look in looks.items():
        rows = _of_pair(directions, pair)
        style: dict[str, Any] = {"color": look.color, "marker": look.marker, "ms": 4}
        ax.plot(rows["component"], rows["size"].abs(), ls="-", lw=0.8, mfc="white", **style)
        sure = rows[rows["p_value"] <= SURE]
        ax.plot(sure["component"], sure["size"].abs(), ls="None", **style)
    ax.set(title="Where means differ", xlabel="principal component")
    ax.set_ylabel("difference in sd")
    ax.set_ylim(0, None)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _beyond_words(
    table: pd.DataFrame, words: dict[tuple[str, str], float]
) -> tuple[str, str] | None:
    """Return the pair that the last layer tells apart most beyond words alone; None without any.

    A pair that words tell apart as well shows nothing of the model.
    """
    last = table[table["layer"] == table["layer"].max()]
    pairs = zip(last["corpus"].astype(str), last["other_corpus"].astype(str), strict=True)
    beyond = {
        pair: round(auc, 2) - round(words.get(pair, 0.5), 2)
        for pair, auc in zip(pairs, last["auc"], strict=True)
    }
    return max(beyond, key=lambda pair: beyond[pair]) if beyond else None


def _finding(table: pd.DataFrame, halves: pd.DataFrame, words: dict[tuple[str, str], float]) -> str:
    """Return the title: the AUC of a pair at the last layer, beside words or else halves."""
    pair = _beyond_words(table, words)
    if pair is None:
        return NONE
    rows = _of_pair(table, pair)
    last = rows.iloc[-1]
    own = halves[(halves["layer"] == last["layer"]) & halves["corpus"].isin(pair)]
    null = f"halves of one corpus at most {own['auc_largest'].max():.2f}"
    if pair in words:
        null = f"words alone {words[pair]:.2f}"
    verdict = "not apart beyond chance" if last["p_value"] > SURE else "apart"
    named = sentence_case(_called(pair))
    return f"{named} are {verdict} at the last layer: AUC {last['auc']:.2f}, {null}"


def _population(results: Results) -> str:
    halves = results["halves"]
    if halves.empty:
        return "n = 0"
    sizes = halves.drop_duplicates("corpus").set_index("corpus")["n_texts"]
    parts = ", ".join(
        f"{corpus_called(str(name))}: {counted(n, 'text')}" for name, n in sizes.items()
    )
    pooling = TEXT_POOLINGS[results[MEASURED_WITH]["pooling"]].name
    return (
        f"{parts} · {pooling}, unit vectors · bands: 95 % intervals over documents, at most "
        f"{_most_documents(_of_layers(results)):,.0f} of a corpus · b: pair of the title · filled "
        "marks, dark lines: p ≤ 0.05 for all at once"
    )


def _most_documents(table: pd.DataFrame) -> float:
    return float(np.nanmax(table[["n_documents", "n_other_documents"]].to_numpy(), initial=0))


def _tables(results: Results, label: str, digits: int) -> str:
    parts = [
        (
            "Halves of one corpus",
            "Random halves of the documents, others at each layer.",
            results.for_readers("halves"),
        ),
        (
            "Clusters",
            "By k-means of the texts of both, with words of more documents inside than outside.",
            results.for_readers("clusters"),
        ),
        ("Principal components", "", results.for_readers("directions")),
        ("Words", "", results.for_readers("words")),
        (
            "Texts that lean most away from the other corpus",
            "",
            results.for_readers("texts"),
        ),
    ]
    return page_of_parts(f"Drift between corpora in {label}", STAGE, digits, *parts)
