"""Draws how far two corpora are apart by layer, from `measure_two_corpora`."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import new_figure, say_instead, sentence_case, write_beside
from embspace.draw.page.corpora_apart import (
    DEALT,
    NONE,
    WORDS,
    TablesOfPairs,
    apart_finding,
    named_layer,
    pair_beyond_words,
    pair_called,
    sizes_said,
    tables_by_pair,
)
from embspace.draw.page.direct_labels import name_lines
from embspace.draw.page.looks import GRAY, PALETTE, TEXT_POOLINGS, Look
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.saving import Results
from embspace.draw.texts.layer_lines import draw_by_layer, draw_level

STAGE = "measure_two_corpora"
MARKERS = "o^sDvPX"
NAMES = {name: look.name for name, look in TEXT_POOLINGS.items()} | {WORDS: "words alone"}
PANELS = {
    "auc": ("A text is nearer to its corpus", "AUC, by mean distance"),
    "distance": ("Energy distance{}", "energy distance, 0 to 1"),
}
BESIDE = 0.3  # layers between the last and the interval of words alone


def draw_two_corpora(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw AUC and energy distance by layer, a color for each two corpora."""
    pairs = tables_by_pair(results["csv"])
    figure, axes = new_figure(
        1,
        2,
        height_mm=height_mm,
        title=apart_finding(pairs),
        subtitle=f"{label} · {_population(pairs)}",
        stage=STAGE,
    )
    if not pairs:
        say_instead(axes, "a report on two corpora that the model reads has this figure")
        return figure, f"# Corpora apart in {label}\n\nStage `{STAGE}`.\n\n{NONE}.\n"
    for ax, (quantity, (title, ylabel)) in zip(axes, PANELS.items(), strict=True):
        _lines(ax, pairs, quantity)
        ax.set(
            title=title.format(_largest_step(pairs)),
            ylabel=ylabel,
            xlabel="layer (0: embedding output)",
        )
        ax.set_ylim(*((min(ax.get_ylim()[0], 0.4), 1.02) if quantity == "auc" else (0, None)))
        name_lines(ax, 0.06)
    return figure, _tables(results, pairs, label, digits)


def _population(pairs: TablesOfPairs) -> str:
    if not pairs:
        return "n = 0"
    pooling = TEXT_POOLINGS[next(iter(pairs.values()))["embedding"].iloc[0]].name
    p_value = max(rows["p_value"].max() for rows in pairs.values())
    return (
        f"{sizes_said(pairs)} · {pooling}, unit vectors · bands, bar: 95 % intervals over "
        "documents · labels dealt anew may fall under 0.5, as no text counts in its own mean; "
        f"b: p ≤ {p_value:.2g} against them"
    )


def _largest_step(pairs: TablesOfPairs) -> str:
    """Return the layer of the largest change of a distance, if sure, and of several pairs whose.

    That no further change is as large is not said: intervals of changes are not known.
    """
    by_pair = [_steps(rows).assign(pair=pair_called(pair)) for pair, rows in pairs.items()]
    steps = pd.concat(by_pair, ignore_index=True)
    if steps.empty:
        return ""
    step = steps.iloc[int(steps["size"].abs().to_numpy().argmax())]
    if not step["is_sure"]:
        return ""
    whose = f"\n({step['pair']})" if len(pairs) > 1 else ""
    return f" {'falls' if step['size'] < 0 else 'rises'} at layer {step['layer']:.0f}{whose}"


def _steps(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the changes of the distance from layer to layer, and whether intervals are apart."""
    layers = rows[rows["layer"].notna()].sort_values("layer").reset_index(drop=True)
    before = layers.shift()
    is_sure = (layers["distance_high"] < before["distance_low"]) | (
        layers["distance_low"] > before["distance_high"]
    )
    steps = layers[["layer"]].assign(size=layers["distance"] - before["distance"], is_sure=is_sure)
    return steps.dropna(subset=["size"])


def _lines(ax: Axes, pairs: TablesOfPairs, quantity: str) -> None:
    for number, (pair, rows) in enumerate(pairs.items()):
        color, marker = PALETTE[number % len(PALETTE)], MARKERS[number % len(MARKERS)]
        layers = rows[rows["layer"].notna()]
        if quantity == "auc":
            dealt: dict[str, Any] = {"color": GRAY, "ls": ":", "marker": marker, "ms": 3, "lw": 1}
            same = " (same marks)" if len(pairs) > 1 else ""
            name = f"_{DEALT}" if number else f"{DEALT}{same}"
            ax.plot(layers["layer"], layers["null_auc"], label=name, **dealt)
        x = layers["layer"].max() + BESIDE * (1 + number)
        for _, row in rows[rows["embedding"] == WORDS].iterrows():
            shown = f" {row[quantity]:.2f}" if quantity == "auc" else ""
            draw_level(ax, row[quantity], f"{NAMES[WORDS]}{shown}", "--", color)
            if quantity == "auc":
                ax.vlines(x, row["auc_low"], row["auc_high"], color=color, lw=1.2)
                if pair == pair_beyond_words(pairs):
                    look: dict[str, Any] = {"color": color, "ha": "center", "va": "top"}
                    write_beside(ax, "95 %", (x, row["auc_low"]), (0, -1), **look)
        name = sentence_case(pair_called(pair))
        if quantity == "auc" and pair == pair_beyond_words(pairs):
            named = named_layer(rows)
            name += f", {named['auc']:.2f} in layer {named['layer']:.0f}"
        draw_by_layer(ax, layers, quantity, Look(name, color, marker, "-"))


def _tables(results: Results, pairs: TablesOfPairs, label: str, digits: int) -> str:
    heading = (
        f"# Corpora apart in {label}\n\nStage `{STAGE}`. p is of deals of whole documents, over "
        "layers the chance that any layer has so large a distance.\n"
    )
    shown, between = results.for_readers("csv"), results.for_readers("between")
    parts = [heading]
    for pair in pairs:
        chosen, texts = _pair_rows(shown, pair), _pair_rows(between, pair)
        chosen["embedding"] = chosen["embedding"].map(NAMES)
        parts.append(section(sentence_case(pair_called(pair)), "", markdown_table(chosen, digits)))
        parts.append(
            section(
                f"Texts between {sentence_case(pair_called(pair))}",
                f"At layer {texts['layer'].iloc[0]:.0f}, of each corpus the texts that lean least "
                "to their own; below 0 a text leans to the other corpus.",
                markdown_table(texts.drop(columns="layer"), digits),
            )
        )
    return "\n".join(parts)


def _pair_rows(table: pd.DataFrame, pair: tuple[str, str]) -> pd.DataFrame:
    chosen = (table["corpus"] == pair[0]) & (table["other corpus"] == pair[1])
    return table[chosen].drop(columns=["corpus", "other corpus"])
