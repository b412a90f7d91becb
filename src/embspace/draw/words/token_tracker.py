"""Draws how far content and function words drift, which `measure_token_tracker` measures."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    count,
    counted,
    legend_below,
    new_figure,
    percent,
    say_instead,
)
from embspace.draw.page.looks import BLACK, BLUE, GRAY, GREEN, NULLS, VERMILION, Look
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results

STAGE = "measure_token_tracker"
GROUPS = {
    "content": Look("content words", BLUE, "o", "-"),
    "function": Look("function words", VERMILION, "s", "-"),
}
CONTRASTS = {
    "content_function": Look("content against function words", BLACK, "D", "-"),
    "homonym_one_sense": Look("homonyms against other nouns", GREEN, "^", "-"),
}
RANDOM = "random_weights_value"
RANDOM_LINE = NULLS["random_initialization"].line
RANKS = (0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
NO_TEXT = (
    "No text with words of both lists was read, or the blocks\n"
    "of this architecture cannot be rebuilt."
)


def draw_token_tracker(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw cosine and rank of two groups of words by layer, how they differ, where they move."""
    layers = results["layers"]
    figure, axes = new_figure(
        2,
        2,
        height_mm=height_mm,
        title=_finding(layers),
        subtitle=f"{label} · {_population(layers)}",
        stage=STAGE,
    )
    if layers.empty:
        say_instead(axes, NO_TEXT)
        return figure, _tables(results, label, digits)
    rows = _at_sum(layers)
    _by_layer(axes[0], rows, "cosine")
    axes[0].set(title="Cosine with the own embedding", ylabel="mean cosine")
    _by_layer(axes[1], rows, "log_rank")
    axes[1].set(title="Nearer tokens of the vocabulary", ylabel="own rank")
    _as_ranks(axes[1])
    _contrasts(axes[2], _at_sum(results["contrasts"]))
    _movement(axes[3], results["movement"])
    for ax in axes:
        ax.set_xlabel("layer")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    legend_below(figure, axes, ncols=2)
    return figure, _tables(results, label, digits)


def _at_sum(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows at the source's point, with the vocabulary as it is."""
    points = table["point"].isin(["embedding", "attention_sum"])
    return table[points & (table["positions"] == "none")]


def _finding(layers: pd.DataFrame) -> str:
    """Return the title: how many words of each group are their own nearest at the last layer."""
    if layers.empty:
        return "No words to follow"
    last = layers["layer"].max()
    rows = _at_sum(layers[(layers["layer"] == last) & (layers["quantity"] == "nearest")])
    shares = {
        column: [float(rows.loc[rows["group"] == group, column].iloc[0]) for group in GROUPS]
        for column in ("value", RANDOM)
    }
    content, function = map(_share, shares["value"])
    return (
        f"At layer {last}, {content} of content words are still nearest to their own token, and "
        f"{function} of function words; with random weights "
        f"{' and '.join(map(_share, shares[RANDOM]))} are"
    )


def _share(value: float) -> str:
    return percent(value) if value else "0 %"


def _population(layers: pd.DataFrame) -> str:
    if layers.empty:
        return "n = 0 tokens"
    rows = layers[layers["group"].isin(GROUPS)].drop_duplicates("group")
    sizes = dict(zip(rows["group"], rows["n_tokens"], strict=True))
    parts = [counted(sizes[group], look.name.removesuffix("s")) for group, look in GROUPS.items()]
    texts = counted(int(rows["n_units"].iloc[0]), "text")
    note = (
        "after attention and residual, before LayerNorm; rank among the whole vocabulary, 0: none "
        "is nearer, on the scale of log10(1 + rank) · dashed, hollow: random weights · bands: 95 % "
        "intervals over texts, of homonyms over words"
    )
    return f"{' and '.join(parts)} in {texts} · {note}"


def _line(ax: Axes, rows: pd.DataFrame, look: Look) -> None:
    """Draw a value by layer with its interval, and in the same color, dashed, random weights."""
    ax.fill_between(rows["layer"], rows["low"], rows["high"], color=look.color, alpha=0.2, lw=0)
    line: dict[str, Any] = {"color": look.color, "marker": look.marker, "ms": 4}
    ax.plot(rows["layer"], rows["value"], ls=look.line, label=look.name, **line)
    ax.plot(rows["layer"], rows[RANDOM], ls=RANDOM_LINE, mfc="white", alpha=0.7, **line)


def _by_layer(ax: Axes, layers: pd.DataFrame, quantity: str) -> None:
    for group, look in GROUPS.items():
        _line(ax, layers[(layers["group"] == group) & (layers["quantity"] == quantity)], look)


def _as_ranks(ax: Axes) -> None:
    """Name the places of a log10(1 + rank) axis by the ranks."""
    top = ax.get_ylim()[1]
    places = [float(place) for place in np.log10(1 + np.array(RANKS)) if place <= top]
    ax.yaxis.set_major_locator(FixedLocator(places))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: count(round(10**value - 1))))


def _contrasts(ax: Axes, contrasts: pd.DataFrame) -> None:
    for name, look in CONTRASTS.items():
        rows = contrasts[(contrasts["contrast"] == name) & (contrasts["quantity"] == "larger_rank")]
        if len(rows):
            _line(ax, rows, look)
    ax.axhline(0.5, color=GRAY, lw=0.8, ls=":")
    ax.set(title="First of two has the larger own rank", ylabel="probability", ylim=(0, 1))


def _movement(ax: Axes, movement: pd.DataFrame) -> None:
    for group, look in GROUPS.items():
        rows = movement[(movement["group"] == group) & (movement["quantity"] == "share_of_cosine")]
        _line(ax, rows, look)
    ax.set(title="Share of each layer in changes of cosine", ylabel="share")
    ax.set_ylim(bottom=0)


def _tables(results: Results, label: str, digits: int) -> str:
    """Return the statistics of the claims and, behind a fold, contrasts and groups by layer."""
    statistics = section(
        "Statistics",
        "Own ranks after attention and residual, before LayerNorm; intervals over texts, of "
        "homonyms over words. What each is compared with: data/published/avery_token_tracker.yaml. "
        "Classes dealt anew: which types of words are content words and which function words, with "
        "the range of the draws and the probability of a value as large.",
        _shown(results, "summary", digits),
    )
    contrasts = section(
        "Contrasts by layer",
        "The probability that a token of the first group has the larger rank, or cosine, 0.5 if "
        "the groups are alike; and differences of the means, first less second.",
        _shown(results, "contrasts", digits),
    )
    layers = section(
        "Groups by layer",
        "Means over tokens: log10(1 + rank), cosine, distance, share whose own token is nearest.",
        _shown(results, "layers", digits),
    )
    movement = section(
        "Where tokens move",
        "Shares of the layers in the way of the block outputs, and in all changes of log rank and "
        "cosine after attention.",
        _shown(results, "movement", digits),
    )
    title = f"Drift of tokens from their own embeddings in {label}"
    return tables_page(title, STAGE, statistics, contrasts, layers, movement)


def _shown(results: Results, name: str, digits: int) -> str:
    """Return a table in Markdown, of several vocabularies the rows of the plain one."""
    table = results[name]
    plain = table[table["positions"] == "none"] if "positions" in table else table
    shown = results.for_readers(name, plain)
    named = [str(name) for name in shown if shown[name].dtype.kind in "OT"]
    spaced = shown.assign(**{name: shown[name].str.replace("_", " ") for name in named})
    return markdown_table(spaced, digits)
