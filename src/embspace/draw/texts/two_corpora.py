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
        ax.set_ylim(*((min(ax.get_ylim()[0], 0.4), 1.02) if quantity == "auc" else (0, None)))
        name_lines(ax, 0.07)
    return figure, _tables(results, pairs, label, digits)


def _called(pair: tuple[str, str]) -> str:
    one, other = map(corpus_called, pair)
    return sentence_case(f"{one} and {other}")


def _of_layers(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of layers by AUC, the smallest first."""
    return rows[rows["layer"].notna()].sort_values("auc", kind="stable")


def _beyond_words(rows: pd.DataFrame) -> tuple[float, float]:
    """Return by how much each layer's AUC is above the one of words alone; and its distance.

    A pair that words tell apart as well shows nothing of the model.
    """
    least, words = _of_layers(rows).iloc[0], rows.loc[rows["embedding"] == WORDS, "auc"]
    return round(least["auc"], 2) - words.round(2).sum(), least["distance"]


def is_apart(rows: pd.DataFrame) -> bool:
    """Return whether two corpora are apart in a layer, by the p-value over all layers."""
    return bool(rows["p_value_of_layers"].min() <= SURE)


def _finding(pairs: RowsByPair) -> str:
    """Return the title: the AUC of the pair that vectors tell apart most beyond words."""
    if not pairs:
        return NONE
    pair = max(pairs, key=lambda name: _beyond_words(pairs[name]))
    named, layers = _called(pair), _of_layers(pairs[pair])
    words = pairs[pair].query("embedding == @WORDS")
    least, best = layers.iloc[0], layers.iloc[-1]
    if not is_apart(layers):
        return f"{named} are not clearly apart in any layer{_beside(best, words)}"
    if (layers["p_value"] > SURE).any():
        return f"{named} are told apart, best at layer {best['layer']:.0f}{_beside(best, words)}"
    return f"{named} are told apart at every layer{_beside(least, words, ' or more')}"


def _beside(row: pd.Series, words: pd.DataFrame, more: str = "") -> str:
    """Return the AUC of a layer beside that of words alone, and whether that is surely less."""
    parts = [f"AUC {row['auc']:.2f}{more}"]
    for _, alone in words.iterrows():
        is_less = alone["auc_high"] < row["auc_low"]
        parts.append(f"words alone {alone['auc']:.2f}" + ("" if is_less else ", not surely less"))
    return f": {', '.join(parts)}"


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
            shown = f" {value:.2f}" if quantity == "auc" else ""
            draw_level(ax, value, f"{NAMES[WORDS]}{shown}", "--", color)
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
