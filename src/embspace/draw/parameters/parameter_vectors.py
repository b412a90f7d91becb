"""Figure and tables of `measure_parameter_vectors`: vectors of each layer as words."""

from textwrap import shorten
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import (
    count,
    counted,
    join_panels,
    legend_below,
    new_figure,
    say_instead,
)
from embspace.draw.page.looks import (
    BLACK,
    BLUE,
    GRAY,
    GREEN,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    YELLOW,
    Look,
)
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.saving import Results
from embspace.draw.page.token_kinds import drawable

GROUPS = {
    "feed_forward_key": Look("MLP keys", BLUE, "o", "-"),
    "feed_forward_gate": Look("MLP gates", BLUE, "o", "-"),
    "feed_forward_up": Look("MLP factors", YELLOW, "P", "-"),
    "feed_forward_value": Look("MLP values", VERMILION, "s", "--"),
    "attention_query": Look("queries", SKY, "^", "-."),
    "attention_key": Look("attention keys", GREEN, "v", ":"),
    "attention_value": Look("attention values", PURPLE, "D", (0, (5, 1))),
    "attention_output": Look("attention outputs", ORANGE, "X", (0, (3, 1, 1, 1))),
}
READINGS = {
    "word_embeddings": "token embeddings",
    "pseudo_inverse": "pseudo-inverse of the embeddings",
    "norm_scale": "token embeddings, with the gain of the norm",
    "masked_head": "through the masked head",
}
MEASURES = {
    "coherence": "How alike the words of a vector are",
    "first_token_deviations": "How far its first word stands out",
}
NOTES = {
    "coherence": "The mean cosine of two of a vector's words, their embeddings less the mean one.",
    "first_token_deviations": "By how many standard deviations over tokens the highest score is "
    "above the mean.",
}
CARDS = ["layer", "group", "vector", "head", "reading", "chosen", "coherence", "tokens"]
CARDS += ["opposite_tokens"]
CARDS_NOTE = (
    "Numbers count from 0, heads from 1. Of all vectors, those whose words are most "
    "alike, and others at random."
)
UNITS = {"coherence": "Mean cosine of two words", "first_token_deviations": "Standard deviations"}
SHOWN = ("feed_forward_key", "feed_forward_gate", "feed_forward_value", "attention_value")
MAIN = "word_embeddings"
COHERENT = "most coherent"
LONGEST = 32  # characters of a card's words in the figure
LINE_MM = 8.2


def draw_parameter_vectors(
    results: Results,
    label: str,
    *,
    row_height_mm: PositiveFloat,
    most_layers: PositiveInt,
    most_tokens: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw both measures by layer and group beside shuffled vectors, and cards of words by layer.

    Cards are of the vector whose words are most alike, of all of a layer and group.
    """
    facts, scores, cards = results["json"], results["csv"], results["cards"]
    heading = f"# Vectors of {label} in words\n\nStage `measure_parameter_vectors`.\n"
    n_lines = min(most_layers, facts.get("n_layers", 1))
    figure, axes = new_figure(
        2,
        2,
        height_mm=min(row_height_mm + n_lines * LINE_MM + 52, 200),
        title=_title(facts, scores, label),
        subtitle=_subtitle(facts, scores, label),
        stage="measure_parameter_vectors",
    )
    if not facts["known"]:
        reason = f"{label}: the parameters of its architecture are not known here"
        say_instead(axes, reason)
        return figure, f"{heading}\n{reason}.\n"
    main = scores[scores["reading"] == MAIN]
    for ax, (measure, words) in zip(axes, MEASURES.items(), strict=False):
        _by_layer(ax, main[main["measure"] == measure])
        ax.set(title=words, ylabel=UNITS[measure], xlabel="Layer")
    legend_below(figure, axes[:1], fontsize=7, ncols=4)
    _cards(join_panels(axes[2:]), cards[cards["reading"] == MAIN], n_lines, most_tokens)
    return figure, "\n".join([heading, *_tables(results, digits)])


def _title(facts: dict[str, Any], scores: pd.DataFrame, label: str) -> str:
    """Return how many layers and groups have words more alike than those of shuffled vectors."""
    if not facts["known"]:
        return f"What the vectors of {label} read as is not known here"
    rows = scores[(scores["reading"] == MAIN) & (scores["measure"] == "coherence")]
    above = rows[rows["value"] > rows["shuffled_largest"]]
    best = rows.nlargest(1, "value").iloc[0]
    return (
        f"In {count(len(above))} of {count(len(rows))} layers and kinds of vectors of {label} "
        f"the words of one are more alike than at random; most among "
        f"{GROUPS[best['group']].name} of layer {best['layer']}: cosine {best['value']:.2f}, "
        f"{best['shuffled_mean']:.2f} shuffled"
    )


def _subtitle(facts: dict[str, Any], scores: pd.DataFrame, label: str) -> str:
    if not facts["known"]:
        return label
    most = count(scores["n_vectors"].max())
    return (
        f"{label} · all vectors, up to {most} a layer and group · {facts['k']} words of highest "
        f"score among {count(facts['n_allowed'])} tokens, by the token embeddings · gray: "
        f"coordinates of {count(scores['n_shuffled'].max())} vectors shuffled, "
        f"{counted(facts['n_shuffles'], 'draw')} of each layer and group"
    )


def _by_layer(ax: Axes, rows: pd.DataFrame) -> None:
    low, high = rows["shuffled_smallest"].min(), rows["shuffled_largest"].max()
    ax.axhspan(low, high, color=GRAY, alpha=0.3, lw=0, label="shuffled: range")
    for group, look in GROUPS.items():
        line = rows[rows["group"] == group]
        if line.empty:
            continue
        style: dict[str, Any] = {"color": look.color, "marker": look.marker, "ms": 3.5, "lw": 1.2}
        ax.plot(line["layer"], line["value"], linestyle=look.line, label=look.name, **style)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _cards(ax: Axes, cards: pd.DataFrame, n_lines: int, most_tokens: int) -> None:
    """Write the words of the most coherent vector of each layer, a column a group."""
    ax.set_axis_off()
    groups = [group for group in SHOWN if (cards["group"] == group).any()]
    layers = np.sort(cards["layer"].unique())
    layers = layers[np.unique(np.linspace(0, len(layers) - 1, n_lines).round().astype(int))]
    columns = np.linspace(0.03, 1.02, len(groups) + 1)
    place: dict[str, Any] = {"transform": ax.transAxes, "va": "top", "parse_math": False}
    ax.set_title("The vector whose words are most alike, of each layer")
    rows = np.linspace(0.98, 0.0, len(layers) + 2)
    for x, group in zip(columns, groups, strict=False):
        words = GROUPS[group].name
        ax.text(x, rows[0], words, fontsize=7.5, color=GROUPS[group].color, weight="bold", **place)
    for y, layer in zip(rows[1:], layers, strict=False):
        ax.text(0, y, f"{layer}", fontsize=7.5, weight="bold", color=BLACK, **place)
        for x, group in zip(columns, groups, strict=False):
            chosen = cards[(cards["layer"] == layer) & (cards["group"] == group)]
            chosen = chosen[chosen["chosen"] == COHERENT].nlargest(1, "coherence")
            for card in chosen.to_dict("records"):
                words = " ".join(map(drawable, str(card["tokens"]).split(" ")[:most_tokens]))
                where = f"{card['vector']}"
                if not np.isnan(card["head"]):
                    where += f", head {card['head']:.0f}"
                shown = f"{shorten(words, LONGEST, placeholder=' …')}\n"
                ax.text(x, y, f"{shown}  ({where})", fontsize=7, linespacing=1.15, **place)


def _tables(results: Results, digits: int) -> list[str]:
    words: dict[str, Any] = {
        "group": {group: look.name for group, look in GROUPS.items()},
        "reading": READINGS,
    }
    parts = []
    for measure, title in MEASURES.items():
        rows = results["csv"].query("measure == @measure")
        table = markdown_table(results.for_readers("csv", rows, **words), digits)
        parts.append(section(title, NOTES[measure], table))
    cards = markdown_table(results.for_readers("cards", columns=CARDS, **words), digits)
    return [*parts, folded(section("Cards", CARDS_NOTE, cards))]
