"""Draws vectors of weights as words: how alike the words are, which units share them, a list."""

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
    join_panels,
    legend_below,
    new_figure,
    say_instead,
    write_beside,
)
from embspace.draw.page.looks import BLACK, BLUE, GRAY, SKY, VERMILION, YELLOW, Look
from embspace.draw.page.markdown import code, markdown_table, section, tables_page
from embspace.draw.page.saving import Results
from embspace.draw.page.token_kinds import drawable
from embspace.draw.parameters.related_parameters import draw_related, most_related

STAGE = "measure_parameter_vectors"
FURTHER_RESULTS = (
    "related_parameters/pairs.csv",
    "conf/measure/parameters/related_parameters.yaml",
)
RELATED, RELATED_WITH = "related_parameters/pairs", FURTHER_RESULTS[1]
LOOKS = {
    "feed_forward_key": Look("MLP keys", BLUE, "o", "-"),
    "feed_forward_gate": Look("MLP gates", BLUE, "o", "-"),
    "feed_forward_up": Look("MLP factors", YELLOW, "P", "-"),
    "feed_forward_value": Look("MLP values", VERMILION, "s", "-"),
}
ATTENTION = Look("queries, keys, values, outputs of attention", SKY, "", "-")
GROUPS = {group: look.name for group, look in LOOKS.items()} | {
    "attention_query": "queries",
    "attention_key": "attention keys",
    "attention_value": "attention values",
    "attention_output": "attention outputs",
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
TOKENS = ("tokens", "opposite_tokens")
CARDS = ["layer", "group", "vector", "head", "reading", "chosen", "coherence", *TOKENS]
CARDS_NOTE = (
    "Numbers count from 0, heads from 1. Of all vectors, those whose words are most "
    "alike, and others at random."
)
SHOWN = ("feed_forward_key", "feed_forward_gate", "feed_forward_value", "attention_value")
BESIDE = "feed_forward_value"  # of which a vector drawn at random stands beside
MAIN = "word_embeddings"
COHERENT, AT_RANDOM = "most coherent", "at random"
LONGEST = 30  # characters of a card's words in the figure
LINE_MM = 5.0
MOST_ROWS = 12  # of the first table


def draw_parameter_vectors(
    results: Results,
    label: str,
    *,
    row_height_mm: PositiveFloat,
    most_layers: PositiveInt,
    most_tokens: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw how alike vectors' words are, which units share words; and a list.

    The list has, for every layer and group, the vector whose words are most alike.
    """
    facts, scores, cards = results["json"], results["csv"], results["cards"]
    n_lines = min(most_layers, facts.get("n_layers", 1))
    figure, axes = new_figure(
        2,
        2,
        height_mm=row_height_mm + n_lines * LINE_MM + 52,
        title=_title(facts, scores, results[RELATED], label),
        subtitle=_subtitle(results, label),
        stage=STAGE,
    )
    title = f"Vectors of {label} in words"
    if not facts["known"]:
        reason = f"{label}: the parameters of its architecture are not known here"
        say_instead(axes, reason)
        return figure, tables_page(title, STAGE, f"{reason}.\n")
    alike, related = axes[:2]
    _by_layer(alike, _coherence(scores))
    alike.set(
        title="How alike a vector's words are", ylabel="mean cosine of two words", xlabel="layer"
    )
    related.set_title("Units whose key and value share words")
    if results[RELATED].empty:
        say_instead([related], "not measured")
    else:
        draw_related(related, results[RELATED])
    legend_below(figure, [alike], ncols=5)
    grid = alike.get_gridspec()
    if grid is not None:
        grid.set_height_ratios([row_height_mm, (n_lines + 1) * LINE_MM])
    _cards(join_panels(axes[2:]), cards[cards["reading"] == MAIN], n_lines, most_tokens)
    return figure, tables_page(title, STAGE, *_tables(results, digits))


def _coherence(scores: pd.DataFrame) -> pd.DataFrame:
    return scores[(scores["reading"] == MAIN) & (scores["measure"] == "coherence")]


def _title(facts: dict[str, Any], scores: pd.DataFrame, related: pd.DataFrame, label: str) -> str:
    """Return which vectors have words most alike, beside shuffled ones, and where units share."""
    if not facts["known"]:
        return f"What the vectors of {label} read as is not known here"
    rows = _coherence(scores)
    best, shuffled = rows.nlargest(1, "value").iloc[0], rows["shuffled_largest"].max()
    where = f"Words nearest to {GROUPS[best['group']]} of layer {best['layer']}"
    is_more = best["value"] > shuffled and f"{best['value']:.2f}" != f"{shuffled:.2f}"
    verb = "are most alike" if is_more else "are no more alike than by chance"
    shared = "" if related.empty else _shared(most_related(related), best["layer"])
    return (
        f"{where} {verb}: mean cosine {best['value']:.2f} over all vectors, of shuffled ones "
        f"{shuffled:.2f} at most{shared}"
    )


def _shared(most: pd.Series, layer: int) -> str:
    """Return in which layer units share words most, if more than with partners dealt anew."""
    if not most["value"] > most["shuffled_high"]:
        return ""
    place = "there, too" if most["layer"] == layer else f"in layer {most['layer']}"
    return f"; units share words most often {place}"


def _subtitle(results: Results, label: str) -> str:
    facts, scores = results["json"], results["csv"]
    if not facts["known"]:
        return label
    related = results[RELATED_WITH]
    return (
        f"{label} · all vectors, up to {count(scores['n_vectors'].max())} a layer and group · a: "
        f"{facts['k']} top words of {count(facts['n_allowed'])} by the token embeddings; gray: "
        f"coordinates of {count(scores['n_shuffled'].max())} vectors shuffled · b: units "
        f"that share at least {100 * related['related_from']:g} % of their words"
    )


def _by_layer(ax: Axes, rows: pd.DataFrame) -> None:
    ends = rows.groupby("layer").agg({"shuffled_smallest": "min", "shuffled_largest": "max"})
    highest = f"shuffled vectors: at most {rows['shuffled_largest'].max():.2f}"
    null: dict[str, Any] = {"color": GRAY, "alpha": 0.25, "lw": 0, "label": highest}
    ax.fill_between(ends.index, ends["shuffled_smallest"], ends["shuffled_largest"], **null)
    best = rows.nlargest(1, "value").iloc[0]
    write_beside(ax, f"{best['value']:.2f}", (best["layer"], best["value"]), (5, 0), va="center")
    for group, line in rows.groupby("group", sort=False):
        look = LOOKS.get(str(group), ATTENTION)
        style: dict[str, Any] = {"color": look.color, "marker": look.marker, "ms": 3.5}
        width = 1.2 if group in LOOKS else 0.6
        ax.plot(line["layer"], line["value"], ls=look.line, lw=width, label=look.name, **style)
    ax.set_ylim(0, None)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _cards(ax: Axes, cards: pd.DataFrame, n_lines: int, most_tokens: int) -> None:
    """Write the words of the most coherent vector of each layer, a column a group."""
    ax.set_axis_off()
    groups = [(group, COHERENT) for group in SHOWN if (cards["group"] == group).any()]
    groups += [(BESIDE, AT_RANDOM)]
    layers = np.sort(cards["layer"].unique())
    layers = layers[np.unique(np.linspace(0, len(layers) - 1, n_lines).round().astype(int))]
    columns = np.linspace(0.03, 1.02, len(groups) + 1)
    place: dict[str, Any] = {"transform": ax.transAxes, "va": "top", "parse_math": False}
    ax.set_title("Of each layer the vector whose words are most alike; right: one at random")
    rows = np.linspace(0.98, 0.0, len(layers) + 2)
    for x, (group, chosen) in zip(columns, groups, strict=False):
        color = LOOKS.get(group, ATTENTION).color
        words = GROUPS[group] + (", at random" if chosen == AT_RANDOM else "")
        ax.text(x, rows[0], words, fontsize=7.5, color=color, weight="bold", **place)
    for y, layer in zip(rows[1:], layers, strict=False):
        ax.text(0, y, f"{layer}", fontsize=7.5, weight="bold", color=BLACK, **place)
        for x, (group, chosen) in zip(columns, groups, strict=False):
            is_own = (cards["layer"] == layer) & (cards["group"] == group)
            chosen_cards = cards[is_own & (cards["chosen"] == chosen)].nsmallest(1, "rank")
            for tokens in chosen_cards["tokens"].astype(str):
                words = " ".join(map(drawable, tokens.split(" ")[:most_tokens]))
                shown = shorten(words, LONGEST, placeholder=" …")
                ax.text(x, y, shown, fontsize=7, **place)


def _tables(results: Results, digits: int) -> list[str]:
    words: dict[str, Any] = {"group": GROUPS, "reading": READINGS}
    most = _coherence(results["csv"]).nlargest(MOST_ROWS, "value")
    table = markdown_table(results.for_readers("csv", most, **words), digits)
    parts = [section("Vectors whose words are most alike", NOTES["coherence"], table)]
    for measure, title in MEASURES.items():
        rows = results["csv"].query("measure == @measure")
        table = markdown_table(results.for_readers("csv", rows, **words), digits)
        parts.append(section(title, NOTES[measure], table))
    shown = results["cards"]
    shown = shown.assign(**{name: shown[name].map(_quoted) for name in TOKENS})
    cards = markdown_table(results.for_readers("cards", shown, CARDS, **words), digits)
    return [*parts, section("Cards", CARDS_NOTE, cards)]


def _quoted(tokens: object) -> object:
    return code(tokens) if isinstance(tokens, str) and tokens else tokens
