"""Draws how far corpora are apart, and where, from `measure_drift`.

The AUC of two corpora by layer is of `measure_two_corpora`.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    count,
    counted,
    legend_below,
    new_figure,
    say_instead,
    shade,
)
from embspace.draw.page.corpora_apart import (
    DEALT,
    SURE,
    WORDS,
    TablesOfPairs,
    apart_finding,
    named_layer,
    pair_beyond_words,
    pair_called,
    sizes_said,
    tables_by_pair,
)
from embspace.draw.page.direct_labels import name_ends
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
from embspace.draw.practice.names import words_alone

STAGE = "measure_drift"
FURTHER_RESULTS = ("conf/measure/practice/drift.yaml", "two_corpora/.csv")
MEASURED_WITH, APART = FURTHER_RESULTS[0], "two_corpora"
NONE = "Too few texts to tell two corpora apart"
COLORS, MARKERS = (PURPLE, BLACK, SKY, ORANGE, YELLOW), "DsvPX"  # others than of corpora
BESIDE = 0.35  # layers between the last and the interval of words alone
N_WORDS = 3  # of a cluster, in the figure
LAYER = "layer (0: embedding output)"


def draw_drift(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the AUC of corpora by layer, clusters of one pair, and components."""
    pairs = _pairs(results)
    figure, axes = new_figure(
        1,
        3,
        height_mm=height_mm,
        title=apart_finding(pairs, "a") if pairs else NONE,
        subtitle=f"{label} · {_population(results, pairs)}",
        stage=STAGE,
    )
    text = _tables(results, label, digits)
    if not pairs:
        say_instead(axes, NONE)
        return figure, text
    looks = {
        pair: Look(pair_called(pair), COLORS[number % 5], MARKERS[number % 5])
        for number, pair in enumerate(pairs)
    }
    _lines(axes[0], pairs, looks)
    shown = pair_beyond_words(pairs)
    _clusters(axes[1], _pair_rows(results["clusters"], shown), shown)
    _components(axes[2], results["directions"], looks)
    legend_below(figure, axes[:2], ncols=3)
    return figure, text


def _pairs(results: Results) -> TablesOfPairs:
    """Return the rows by pair, at the pooling of this analysis and of words alone.

    None without halves, if no corpus is large enough.
    """
    table = results[APART]
    poolings = (results[MEASURED_WITH]["pooling"], WORDS)
    pairs = tables_by_pair(table[table["embedding"].isin(poolings) & (len(results["halves"]) > 0)])
    return {pair: rows for pair, rows in pairs.items() if len(_layers(rows))}


def _layers(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["layer"].notna()]


def _pair_rows(table: pd.DataFrame, pair: tuple[str, str]) -> pd.DataFrame:
    return table[(table["corpus"] == pair[0]) & (table["other_corpus"] == pair[1])]


def _lines(ax: Axes, pairs: TablesOfPairs, looks: Mapping[tuple[str, str], Look]) -> None:
    words, shown = words_alone(pd.concat([*pairs.values()])), pair_beyond_words(pairs)
    for pair, look in looks.items():
        rows = _layers(pairs[pair])
        style: dict[str, Any] = {"color": look.color, "marker": look.marker, "ms": 4}
        ax.plot(rows["layer"], rows["auc"], **style, label=look.name)
        shade(ax, rows, "layer", "auc", color=look.color, alpha=0.2)
        name = f"words alone (TF-IDF): {look.name}"
        for _, row in pairs[pair].query("embedding == @WORDS").iterrows():
            ax.axhline(row["auc"], color=look.color, ls=":", lw=1.2, label=name)
            if pair == shown:
                x = rows["layer"].max() + BESIDE
                ax.vlines(x, row["auc_low"], row["auc_high"], color=look.color, lw=1.2)
    for number, (pair, look) in enumerate(looks.items()):
        rows, name = _layers(pairs[pair]), f"_{DEALT}" if number else f"{DEALT}, mark of the pair"
        null: dict[str, Any] = {"color": GRAY, "ls": "--", "lw": 1, "zorder": 1}
        null |= {"marker": look.marker, "ms": 3, "mfc": "white"}
        ax.plot(rows["layer"], rows["null_auc"], label=name, **null)
    named = named_layer(pairs[shown])
    values = {f"layer {named['layer']:.0f}: ": named["auc"]}
    values |= {"words: ": words[shown]} if shown in words else {}
    ax.set(title="How surely a text tells its corpus", ylabel="probability (AUC)", xlabel=LAYER)
    ax.set_ylim(min(0.45, ax.get_ylim()[0]), 1.03)
    names = [f"{name}{value:.2f}" for name, value in values.items()]
    name_ends(ax, names, [*values.values()], [looks[shown].color] * len(values), 0.08)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _clusters(ax: Axes, clusters: pd.DataFrame, pair: tuple[str, str]) -> None:
    """Draw the share of every corpus in clusters named by words; surely unlike shares first.

    Clusters without words of their own are on the page.
    """
    named = clusters[clusters["words"].fillna("") != ""]
    if named.empty:
        ax.set_title(counted(len(clusters), "cluster"))
        say_instead([ax], "no cluster has words of its own")
        return
    ax.set_title(f"The {len(named)} of {len(clusters)} clusters\nthat have words of their own")
    looks = corpus_looks(pd.Series(pair))
    order = named.assign(
        is_sure=named["p_value"] <= SURE, gap=(named["second_share"] - named["first_share"]).abs()
    )
    order = order.sort_values(["is_sure", "gap"], ascending=False, kind="stable")
    for y, (_, row) in enumerate(order.iterrows()):
        shares, is_sure = [row["first_share"], row["second_share"]], row["is_sure"]
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
        rows = _pair_rows(directions, pair)
        style: dict[str, Any] = {"color": look.color, "marker": look.marker, "ms": 4}
        ax.plot(rows["component"], rows["size"].abs(), ls="-", lw=0.8, mfc="white", **style)
        sure = rows[rows["p_value"] <= SURE]
        ax.plot(sure["component"], sure["size"].abs(), ls="None", **style)
    ax.set(title="Where means differ", xlabel="principal component")
    ax.set_ylabel("difference in sd")
    ax.set_ylim(0, None)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _population(results: Results, pairs: TablesOfPairs) -> str:
    halves = results["halves"]
    if halves.empty:
        return "n = 0"
    sizes = halves.drop_duplicates("corpus").set_index("corpus")["n_texts"]
    texts = ", ".join(f"{corpus_called(str(name))} {count(n)}" for name, n in sizes.items())
    pooling = TEXT_POOLINGS[results[MEASURED_WITH]["pooling"]].name
    return (
        f"{pooling}, unit vectors · a: {sizes_said(pairs)}; bands, and bar of words alone: 95 % "
        "intervals over documents · "
        f"b: the title's pair · b, c: last layer, texts: {texts}; filled marks, dark lines: p ≤ "
        "0.05 for all at once"
    )


def _tables(results: Results, label: str, digits: int) -> str:
    parts = [
        (
            "Halves of one corpus",
            "Random halves of the documents, others at each layer; not of the sizes of the pairs.",
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
