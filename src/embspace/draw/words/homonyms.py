"""Draws the senses of homonyms that `measure_homonyms` told apart: Luisto's question 2."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import (
    counted,
    draw_line,
    join_panels,
    new_figure,
    percent,
    say_instead,
)
from embspace.draw.page.direct_labels import name_lines
from embspace.draw.page.looks import GRAY, NULLS, SENSES, Look
from embspace.draw.page.markdown import folded, interval, markdown_table, p_value, same, section
from embspace.draw.page.saving import Results
from embspace.draw.page.wording import numeral

STAGE = "measure_homonyms"
HEIGHTS = [1, 1.5]  # of the rows of panels, in relation
FURTHER_RESULTS = ("conf/measure/words/homonyms.yaml",)
MEASURED_WITH = FURTHER_RESULTS[0]
RAW, CENTRED = ("raw", "cosine"), ("centered", "cosine")
RANDOM = "random_weights_"
RANDOM_LOOK = NULLS["random_initialization"]
# The columns of the tables, with readers' names.
KEYS = {"layer": "layer", "preparation": "states", "quantity": "measure"}
P, AT_RANDOM = {"p_value": "p"}, "random weights"
APART = {
    **KEYS,
    **same("within", "between"),
    "between_words": "between words",
    **interval("difference", "difference"),
    **interval("null_difference", "senses shuffled"),
    **P,
    "ratio": "ratio",
    "relative_difference": "relative difference",
    "share_apart": "words apart",
    f"{RANDOM}difference": AT_RANDOM,
}
TOLD = {
    **KEYS,
    **interval("accuracy", "accuracy"),
    **P,
    "context_accuracy": "accuracy by context",
    **interval("context_gain", "difference from context"),
    f"{RANDOM}accuracy": AT_RANDOM,
}
DRIFT = {
    "preparation": "states",
    "quantity": "measure",
    "statistic": "slope of",
    "first_layer": "from layer",
    **interval("slope", "slope"),
    **interval("null_slope", "senses shuffled"),
    **P,
    f"{RANDOM}slope": AT_RANDOM,
    "largest_layer": "largest at layer",
}
WORDS = ["rank", "word", "senses", "within", "between", "difference", "ratio", "accuracy"]


def draw_homonyms(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    n_words: PositiveInt,
    n_listed: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw how far the senses lie apart, how often the sense is found, and words at both ends.

    Up to `n_words` words have a bar, in the order of the last layer.
    """
    counts, layers = results["json"], results["layers"]
    subtitle = (
        f"{label} · stimuli: homonyms · {counted(counts['n_words'], 'word')}, "
        f"{counted(counts['n_sentences'], 'sentence')} · layer 0: embeddings · shaded: "
        f"{100 * results[MEASURED_WITH]['level']:g} % intervals over words"
    )
    title = _finding(layers, results["recovery"])
    figure, axes = new_figure(
        2, 2, height_mm=height_mm, title=title, subtitle=subtitle, stage=STAGE
    )
    if layers.empty:
        say_instead(axes, "No word has tokens in two sentences of two senses.")
        return figure, _tables(results, label, n_listed, digits)
    if grid := axes[0].get_gridspec():
        grid.set_height_ratios(HEIGHTS)
    _differences(axes[0], layers)
    _recovery(axes[1], results["recovery"], counts)
    for ax in axes[:2]:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_xlabel("layer")
        name_lines(ax, 0.075)
    words = _rows_of(results["words"], CENTRED)
    _words(join_panels(axes[2:]), words, n_words)
    return figure, _tables(results, label, n_listed, digits)


def _finding(layers: pd.DataFrame, recovery: pd.DataFrame) -> str:
    """Return the title: the layer from which senses lie apart, and the accuracy at the last."""
    if layers.empty:
        return "No homonym to follow"
    rows = _rows_of(layers, CENTRED).sort_values("layer")
    is_sure = (rows["difference_low"] > 0).to_numpy()
    apart = rows.loc[np.logical_and.accumulate(is_sure[::-1])[::-1], "layer"]
    last = _rows_of(recovery, CENTRED).sort_values("layer").iloc[-1]
    how = "no better" if last["context_gain_low"] <= 0 <= last["context_gain_high"] else "better"
    how = "worse" if last["context_gain_high"] < 0 else how
    is_chance = last["accuracy_low"] <= last["null_accuracy"]
    than = "no better than by chance" if is_chance else f"{how} than by the other tokens"
    recovery_words = (
        f"in the end {percent(last['accuracy'])} of sentences are nearest to one of the same "
        f"sense, {than}"
    )
    if apart.empty:
        return f"On average senses do not surely lie apart at the last layer; {recovery_words}"
    return f"On average senses lie apart from layer {apart.iloc[0]} on; {recovery_words}"


def _rows_of(table: pd.DataFrame, measure: tuple[str, str]) -> pd.DataFrame:
    preparation, quantity = measure
    return table[(table["preparation"] == preparation) & (table["quantity"] == quantity)]


def _line(ax: Axes, rows: pd.DataFrame, name: str, look: Look) -> None:
    draw_line(ax, rows, "layer", name, look, band=0 if look is RANDOM_LOOK else 0.15)


def _differences(ax: Axes, layers: pd.DataFrame) -> None:
    """Draw the cosine within a sense minus that between senses, beside shuffled senses."""
    for measure in (RAW, CENTRED):
        rows = _rows_of(layers, measure)
        _line(ax, rows, "difference", SENSES[measure[0]])
    _line(ax, rows, f"{RANDOM}difference", RANDOM_LOOK)
    ends = rows["null_difference_low"], rows["null_difference_high"]
    ax.fill_between(rows["layer"], *ends, color="0.8", lw=0)
    ax.plot(rows["layer"], (ends[0] + ends[1]) / 2, color="0.5", ls="None", label="senses shuffled")
    ax.axhline(0, color="black", linewidth=0.6)
    ax.set(title="Senses lie apart", ylabel="same-sense minus\ndifferent-sense cosine")


def _recovery(ax: Axes, recovery: pd.DataFrame, counts: dict[str, Any]) -> None:
    """Draw the share of sentences whose nearest sentence with the word has the same sense."""
    rows = _rows_of(recovery, CENTRED)
    for name, sense in (("accuracy", "word"), ("context_accuracy", "context")):
        look = SENSES[sense]
        _line(ax, rows, name, look._replace(name=f"{look.name}, {percent(rows[name].iloc[-1])}"))
    _line(ax, rows, f"{RANDOM}accuracy", RANDOM_LOOK)
    bag = counts["bag_of_words"]
    if bag["accuracy"] is not None:
        look = SENSES["bag_of_words"]
        ax.axhline(bag["accuracy"], color=look.color, linestyle=look.line, label=look.name)
    chance = counts["chance_accuracy"]
    ax.axhline(chance, color=GRAY, linestyle=":", label=f"chance level, {percent(chance)}")
    ax.set(title="Nearest sentence has same sense", ylabel="share of sentences")
    ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    ax.set_ylim(0, 1.02)


def _words(ax: Axes, words: pd.DataFrame, n_words: int) -> None:
    """Draw a bar per word, with the senses: half are the words most apart, half the least."""
    last = words[words["layer"] == words["layer"].max()].sort_values("rank")
    shown = last
    n_first = (n_words + 1) // 2
    if len(last) > n_words:
        shown = pd.concat([last.head(n_first), last.tail(n_words // 2)])
        ax.axhline(n_first - 0.5, color=GRAY, linestyle=":", linewidth=0.8)
    names = [f"{row.word}: {row.senses.replace('_', ' ')}" for row in shown.itertuples()]
    bars = ax.barh(names, shown["difference"], color=SENSES["centered"].color, height=0.6)
    values = shown["difference"].map(lambda value: numeral(value, 2))
    ax.bar_label(bars, values.where(shown["difference"].notna(), ""), padding=2)
    ax.tick_params("y", labelsize=7)
    ax.invert_yaxis()
    ax.margins(x=0.14 if (shown["difference"] < 0).any() else 0.08)  # a minus takes room
    ax.grid(visible=False, axis="y")
    left_out = f": the {n_first} most and the {n_words // 2} least apart, of {len(last)}"
    ax.set(
        title=f"Words at the last layer{left_out if len(shown) < len(last) else ''}",
        xlabel="difference of centered cosines, as in a",
    )


def _tables(results: Results, label: str, n_listed: int, digits: int) -> str:
    """Return the last layer and the words at both ends and, behind a fold, each layer."""
    words, n_draws = results["words"], results[MEASURED_WITH]["n_draws"]
    last = _rows_of(words[words["layer"] == words["layer"].max()], CENTRED)
    ends = last[(last["rank"] <= n_listed) | (last["rank"] > len(last) - n_listed)]
    apart, recovery, drift = (
        _readable(results[name], columns, n_draws)
        for name, columns in (("layers", APART), ("recovery", TOLD), ("drift", DRIFT))
    )
    heading = f"# Homonyms in {label}\n\nStage `measure_homonyms`. {_population(results['json'])}\n"
    at_last = section(
        "Within and between senses",
        "Means over words at the last layer. The difference is positive where senses lie "
        "apart, its interval is over words, its null shuffles the senses of each word "
        f"{n_draws:,} times. The ratio is between over within, and the relative difference is "
        "over the distance of different words: all of distances, 1 - cosine for a cosine.",
        markdown_table(apart[apart["layer"] == apart["layer"].max()], digits),
    )
    at_ends = section(
        "Words",
        "Centered cosines at the last layer; those apart most and least.",
        markdown_table(_spaced(ends[WORDS]), digits),
    )
    every = section("Each layer", "The same means.", markdown_table(apart, digits))
    sense = section(
        "Telling the sense",
        "Share of sentences whose nearest one of the same word has the same sense. The "
        "context is the mean state of the other tokens. " + _bag(results["json"], digits),
        markdown_table(recovery, digits),
    )
    slopes = section(
        "Drift",
        "Slope over the layers, per layer, from the first layer on that is named.",
        markdown_table(drift, digits + 1),
    )
    return "\n".join([heading, at_last, at_ends, folded("\n".join([every, sense, slopes]))])


def _readable(table: pd.DataFrame, columns: dict[str, str], n_draws: int) -> pd.DataFrame:
    """Return the columns under readers' names, with p-values as text and no identifier."""
    p_values = ["–" if np.isnan(p) else p_value(p, n_draws) for p in table["p_value"]]
    shown = _spaced(table[[*columns]]).assign(p_value=pd.Series(p_values, table.index, "str"))
    return shown.rename(columns=columns)


def _spaced(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with spaces in the place of underscores."""
    named = [str(name) for name in table if table[name].dtype.kind == "O"]
    return table.assign(**{name: table[name].str.replace("_", " ") for name in named})


def _population(counts: dict[str, Any]) -> str:
    lost = f" Lost: {counts['lost_words']}." if counts["n_lost_words"] else ""
    return (
        f"{counted(counts['n_words'], 'word')} in {counted(counts['n_sentences'], 'sentence')}, "
        f"{counts['n_words_of_several_tokens']} of several tokens.{lost}"
    )


def _bag(counts: dict[str, Any], digits: int) -> str:
    bag, chance = counts.get("bag_of_words"), counts["chance_accuracy"]
    if bag is None or bag["accuracy"] is None or chance is None:
        return ""
    low, high = (bag[f"accuracy_{end}"] for end in ("low", "high"))
    interval = "" if low is None else f" ({low:.{digits}f} to {high:.{digits}f})"
    return (
        f"By chance {chance:.{digits}f}; by counts of the other tokens "
        f"{bag['accuracy']:.{digits}f}{interval}."
    )
