"""Draws how far corpora are apart, beside halves of one, and where, from `measure_drift`."""

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
    sentence_case,
    shade,
)
from embspace.draw.page.looks import GRAY, PALETTE, Look, corpus_looks
from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.saving import Results
from embspace.draw.page.sections import page_of_parts
from embspace.draw.practice.names import TablesOfPairs

STAGE = "measure_drift"
NONE = "Too few texts to tell two corpora apart"
SURE = 0.05
COLORS, MARKERS = PALETTE[2:], "sDvPX"  # others than of corpora
N_WORDS = 3  # of a cluster, in the figure
LAYER = "layer (0: embedding output)"


def draw_drift(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the AUC of corpora and of halves by layer, clusters and components of one pair."""
    table, halves = results["csv"], results["halves"]
    groups = table.groupby(["corpus", "other_corpus"], sort=False)
    pairs: TablesOfPairs = {(str(one), str(other)): rows for (one, other), rows in groups}
    figure, axes = new_figure(
        1,
        3,
        height_mm=height_mm,
        title=_finding(table, halves, results["directions"]),
        subtitle=f"{label} · {_population(table, halves)}",
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
    _halves(axes[0], halves)
    first = next(iter(pairs))
    _clusters(axes[1], _of_pair(results["clusters"], first), first)
    _components(axes[2], results["directions"], looks)
    legend_below(figure, axes[:2], ncols=3)
    return figure, text


def _called(pair: tuple[str, str]) -> str:
    one, other = map(corpus_called, pair)
    return f"{one} and {other}"


def _of_pair(table: pd.DataFrame, pair: tuple[str, str]) -> pd.DataFrame:
    return table[(table["corpus"] == pair[0]) & (table["other_corpus"] == pair[1])]


def _halves(ax: Axes, halves: pd.DataFrame) -> None:
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
    ax.set_ylim(0, 1.03)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _clusters(ax: Axes, clusters: pd.DataFrame, pair: tuple[str, str]) -> None:
    """Draw the share of each corpus in each cluster; gray lines differ by no more than chance."""
    looks = corpus_looks(pd.Series(pair))
    order = clusters.assign(more=clusters["second_share"] - clusters["first_share"])
    order = order.sort_values("more", kind="stable").reset_index(drop=True)
    for y, (_, row) in enumerate(order.iterrows()):
        shares = [100 * row["first_share"], 100 * row["second_share"]]
        is_sure = row["p_value"] <= SURE
        ax.plot(shares, [y, y], color="0.2" if is_sure else "0.8", lw=1, zorder=1)
        for share, corpus in zip(shares, pair, strict=True):
            look = looks[corpus]
            style: dict[str, Any] = {"color": look.color, "marker": look.marker, "ls": "None"}
            ax.plot(share, y, ms=5, label=None if y else look.name, **style)
    words = order["words"].fillna("").astype(str)
    names = [" ".join(some.split()[:N_WORDS]) or "–" for some in words]
    ax.set_yticks(range(len(names)), names)
    ax.set(ylim=(len(names) - 0.5, -0.5), xlabel="% of the corpus's texts")
    ax.set_title(f"Clusters, {_called(pair)}")


def _components(ax: Axes, directions: pd.DataFrame, looks: dict[tuple[str, str], Look]) -> None:
    for pair, look in looks.items():
        rows = _of_pair(directions, pair)
        style: dict[str, Any] = {"color": look.color, "marker": look.marker, "ms": 4}
        ax.plot(rows["component"], rows["size"].abs(), ls="-", lw=0.8, mfc="white", **style)
        sure = rows[rows["p_value"] <= SURE]
        ax.plot(sure["component"], sure["size"].abs(), ls="None", **style)
    ax.set(title="Where means differ", xlabel="principal component")
    ax.set_ylabel("difference, standard deviations")
    ax.set_ylim(0, None)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _finding(table: pd.DataFrame, halves: pd.DataFrame, directions: pd.DataFrame) -> str:
    """Return the title: AUC of the pair most apart at the last layer, beside halves."""
    if table.empty:
        return NONE
    last = table[table["layer"] == table["layer"].max()]
    most = last.iloc[int(last["auc"].to_numpy().argmax())]
    pair = (str(most["corpus"]), str(most["other_corpus"]))
    own = halves[(halves["layer"] == most["layer"]) & halves["corpus"].isin(pair)]
    values = (
        f"AUC {most['auc']:.2f}, between halves of one corpus "
        f"{own['auc_smallest'].min():.2f} to {own['auc_largest'].max():.2f}"
    )
    named = sentence_case(_called(pair))
    if most["p_value"] > SURE:
        return f"{named} are not apart beyond halves of one corpus at the last layer: {values}"
    rows = _of_pair(directions, pair)
    along = rows.iloc[int(rows["share_of_shift"].to_numpy().argmax())]
    return (
        f"{named} are apart at the last layer, {percent(along['share_of_shift'])} of the shift "
        f"along component {along['component']:.0f}: {values}"
    )


def _population(table: pd.DataFrame, halves: pd.DataFrame) -> str:
    if table.empty:
        return "n = 0"
    sizes = {
        corpus_called(str(row[name])): row[texts]
        for name, texts in (("corpus", "first_texts"), ("other_corpus", "second_texts"))
        for _, row in table.iterrows()
    }
    parts = ", ".join(f"{name}: {counted(n, 'text')}" for name, n in sizes.items())
    n_apart, n_splits = int(halves["n_apart"].sum()), int(halves["n_splits"].sum())
    return (
        f"{parts} · mean pooling, unit vectors · p ≤ {SURE} calls {n_apart} of {n_splits} pairs of "
        "halves apart · bands: 95 % intervals over documents · filled: p ≤ 0.05 for all at once"
    )


def _tables(results: Results, label: str, digits: int) -> str:
    parts = [
        (
            "Corpora apart by layer",
            "p deals documents anew between both corpora; over layers the chance that any layer "
            "has so large a distance.",
            results.for_readers("csv"),
        ),
        (
            "Halves of one corpus",
            "Random halves of the documents, others at each layer; 5 % are called apart by chance.",
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
