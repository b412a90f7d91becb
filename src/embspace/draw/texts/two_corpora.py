"""Draws how far two corpora are apart by layer, from `measure_two_corpora`."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, new_figure, say_instead, sentence_case
from embspace.draw.page.direct_labels import name_lines
from embspace.draw.page.looks import GRAY, PALETTE, TEXT_POOLINGS, Look
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.saving import Results
from embspace.draw.texts.layer_lines import draw_by_layer, draw_level

STAGE = "measure_two_corpora"
NONE = "No two corpora to tell apart"
WORDS = "tf_idf"
MARKERS = "o^sDvPX"
DEALT = "labels dealt anew"
NAMES = {name: look.name for name, look in TEXT_POOLINGS.items()} | {WORDS: "words alone"}
SURE = 0.05
PANELS = {
    "auc": ("A text leans to its own corpus", "probability (AUC)"),
    "distance": ("The corpora are apart", "energy distance, 0 to 1"),
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
        height_mm=height_mm,
        title=_finding(pairs),
        subtitle=f"{label} · {_population(pairs)}",
        stage=STAGE,
    )
    if not pairs:
        say_instead(axes, "a report on two corpora that the model reads has this figure")
        return figure, f"# Corpora apart in {label}\n\nStage `{STAGE}`.\n\n{NONE}.\n"
    for ax, (quantity, (title, ylabel)) in zip(axes, PANELS.items(), strict=True):
        _lines(ax, pairs, quantity)
        ax.set(title=title, ylabel=ylabel, xlabel="layer (0: embedding output)")
        ax.set_ylim(*((min(ax.get_ylim()[0], 0.4), 1.1) if quantity == "auc" else (0, None)))
        name_lines(ax, 0.07)
    return figure, _tables(results, pairs, label, digits)


def _called(pair: tuple[str, str]) -> str:
    one, other = map(corpus_called, pair)
    return sentence_case(f"{one} and {other}")


def _best(rows: pd.DataFrame) -> Any:
    """Return the row of the layer with the largest AUC, of equal ones the largest distance."""
    layers = rows[rows["layer"].notna()].assign(shown=rows["auc"].round(2))
    order = ["shown", "distance"]
    return layers.sort_values(order, ascending=False, kind="stable").iloc[0]


def _beyond_words(rows: pd.DataFrame) -> tuple[float, float]:
    """Return by how much the best layer's AUC is above the one of words alone; and its distance.

    A pair that words tell apart as well shows nothing of the model.
    """
    best, words = _best(rows), rows.loc[rows["embedding"] == WORDS, "auc"].round(2)
    return best["shown"] - words.sum(), best["distance"]


def is_apart(rows: pd.DataFrame) -> bool:
    """Return whether two corpora are apart in a layer, by the p-value over all layers."""
    return bool(rows["p_value_of_layers"].min() <= SURE)


def _finding(pairs: RowsByPair) -> str:
    """Return the title: layer and AUC of the pair that vectors tell apart most beyond words."""
    if not pairs:
        return NONE
    pair = max(pairs, key=lambda name: _beyond_words(pairs[name]))
    rows = pairs[pair]
    best = _best(rows)
    named = _called(pair)
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
        f"{', '.join(counts)} · {pooling}, unit vectors · dashed: words alone, of the "
        "pair in its color · bands: 95 % intervals over documents, not adjusted for having picked "
        "a layer"
    )


def _lines(ax: Axes, pairs: RowsByPair, quantity: str) -> None:
    for number, (pair, rows) in enumerate(pairs.items()):
        color, marker = PALETTE[number % len(PALETTE)], MARKERS[number % len(MARKERS)]
        layers = rows[rows["layer"].notna()]
        if quantity == "auc":
            dealt: dict[str, Any] = {"color": GRAY, "ls": ":", "marker": marker, "ms": 3, "lw": 1}
            name = f"_{DEALT}" if number else DEALT
            ax.plot(layers["layer"], layers["null_auc"], label=name, **dealt)
        for value in rows.loc[rows["embedding"] == WORDS, quantity]:
            draw_level(ax, value, NAMES[WORDS], "--", color)
        draw_by_layer(ax, layers, quantity, Look(_called(pair), color, marker, "-"))


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
