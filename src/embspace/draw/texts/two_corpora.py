"""Draws how far two corpora are apart by layer, from `measure_two_corpora`."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, legend_below, new_figure, say_instead, sentence_case
from embspace.draw.page.looks import PALETTE, TEXT_POOLINGS, Look
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.saving import Results
from embspace.draw.texts.layer_lines import draw_by_layer

STAGE = "measure_two_corpora"
NONE = "No two corpora to tell apart"
WORDS = "tf_idf"
DEALT = "labels dealt anew"
NAMES = {name: look.name for name, look in TEXT_POOLINGS.items()} | {WORDS: "words alone"}
SURE = 0.05
PANELS = {
    "auc": ("How surely a text leans to its own corpus", "probability (AUC)"),
    "distance": ("How far the corpora are apart", "energy distance, 0 to 1"),
}
RowsByPair = dict[tuple[str, str], pd.DataFrame]


def draw_two_corpora(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw AUC and energy distance by layer, a color for each two corpora."""
    table = results["csv"]
    pairs: RowsByPair = {
        (str(one), str(other)): rows
        for (one, other), rows in table.groupby(["corpus", "other_corpus"], sort=False)
    }
    figure, axes = new_figure(
        1,
        2,
        height_mm=height_mm + 5 * len(pairs),
        title=_finding(pairs),
        subtitle=f"{label} · {_population(pairs)}",
        stage=STAGE,
    )
    if not pairs:
        say_instead(axes, "a report on two corpora that the model reads has this figure")
        return figure, f"# Corpora apart in {label}\n\nStage `{STAGE}`.\n\n{NONE}.\n"
    for ax, (quantity, (title, ylabel)) in zip(axes, PANELS.items(), strict=True):
        _lines(ax, pairs, quantity)
        ax.set(title=title, ylabel=ylabel, xlabel="layer (0: embedding output)", ylim=(0, 1.02))
    legend_below(figure, [axes[0]], ncols=1)
    return figure, _tables(results, pairs, label, digits)


def _called(pair: tuple[str, str]) -> str:
    one, other = map(corpus_called, pair)
    return sentence_case(f"{one} and {other}")


def _best(rows: pd.DataFrame) -> Any:
    """Return the row of the layer with the largest AUC, of equal ones the largest distance."""
    layers = rows[rows["layer"].notna()].assign(shown=rows["auc"].round(2))
    order = ["shown", "distance"]
    return layers.sort_values(order, ascending=False, kind="stable").iloc[0]


def is_apart(rows: pd.DataFrame) -> bool:
    """Return whether two corpora are apart in a layer, by the p-value over all layers."""
    return bool(rows["p_value_of_layers"].min() <= SURE)


def _finding(pairs: RowsByPair) -> str:
    """Return the title: of the pair that is most apart, layer and AUC, beside words alone."""
    if not pairs:
        return NONE
    pair = max(pairs, key=lambda name: tuple(_best(pairs[name])[["shown", "distance"]]))
    rows = pairs[pair]
    best = _best(rows)
    named = sentence_case(_called(pair))
    words = [f", words alone {value:.2f}" for value in rows.loc[rows["embedding"] == WORDS, "auc"]]
    auc = f"AUC {best['auc']:.2f}{''.join(words)}"
    place = f"layer {best['layer']:.0f}"
    if not is_apart(rows):
        return f"{named} are not clearly apart in any layer, least unlike chance at {place}: {auc}"
    return f"{named} are told apart, best at {place}: {auc}"


def _population(pairs: RowsByPair) -> str:
    if not pairs:
        return "n = 0"
    sizes = {
        name: int(n)
        for (one, other), rows in pairs.items()
        for name, n in (
            (one, rows["n_documents"].iloc[0]),
            (other, rows["n_other_documents"].iloc[0]),
        )
    }
    counts = (f"{corpus_called(name)}: {counted(n, 'document')}" for name, n in sizes.items())
    pooling = TEXT_POOLINGS[next(iter(pairs.values()))["embedding"].iloc[0]].name
    return (
        f"{', '.join(counts)} · {pooling}, unit vectors · dashed: words alone · "
        "bands: 95 % intervals over documents, not adjusted for having picked a layer"
    )


def _lines(ax: Axes, pairs: RowsByPair, quantity: str) -> None:
    for number, (pair, rows) in enumerate(pairs.items()):
        color = PALETTE[number % len(PALETTE)]
        layers = rows[rows["layer"].notna()]
        draw_by_layer(ax, layers, quantity, Look(_called(pair), color, "o", "-"))
        for value in rows.loc[rows["embedding"] == WORDS, quantity]:
            ax.axhline(value, color=color, linestyle="--", linewidth=1, label=NAMES[WORDS])
        if quantity == "auc":
            look: dict[str, Any] = {"color": color, "ls": ":", "lw": 1, "label": DEALT}
            ax.plot(layers["layer"], layers["null_auc"], **look)


def _tables(results: Results, pairs: RowsByPair, label: str, digits: int) -> str:
    heading = (
        f"# Corpora apart in {label}\n\nStage `{STAGE}`. p is of deals of whole documents, over "
        "layers the chance that any layer has so large a distance.\n"
    )
    shown, between = results.for_readers("csv"), results.for_readers("between")
    parts = [heading]
    for pair in pairs:
        chosen, texts = _of_pair(shown, pair), _of_pair(between, pair)
        chosen["embedding"] = chosen["embedding"].map(NAMES)
        parts.append(section(_called(pair), "", markdown_table(chosen, digits)))
        parts.append(
            section(
                f"Texts between {_called(pair)}",
                f"At layer {texts['layer'].iloc[0]:.0f}, of each corpus the texts that lean least "
                "to their own; below 0 a text leans to the other corpus.",
                markdown_table(texts.drop(columns="layer"), digits),
            )
        )
    return "\n".join(parts)


def _of_pair(table: pd.DataFrame, pair: tuple[str, str]) -> pd.DataFrame:
    chosen = (table["corpus"] == pair[0]) & (table["other corpus"] == pair[1])
    return table[chosen].drop(columns=["corpus", "other corpus"])
