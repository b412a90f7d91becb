"""Draws the figure and the tables of `measure_vocabulary`: kinds and lengths of tokens."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    count,
    counted,
    join_panels,
    new_figure,
    percent,
    say_instead,
    write_beside,
)
from embspace.draw.page.direct_labels import spread
from embspace.draw.page.looks import TOKEN_KINDS, names
from embspace.draw.page.markdown import code, markdown_table, section, tables_page
from embspace.draw.page.saving import Results

KINDS = {
    kind: TOKEN_KINDS[kind]
    for kind in (
        "special",
        "unused",
        "byte",
        "ascii_character",
        "other_character",
        "subword",
        "number",
        "word",
        "other",
    )
}
HEIGHTS = [0.5, 1]  # of the rows of panels, in relation
NAME_GAP = 0.19  # between the names of two kinds, as a share of the bar
NAMED = 0.003  # share from which a kind has a name of its own
MOSTLY = 0.5  # share of words in ids that are mostly words
EARLY = 0.75  # of the change of the mean length, within the first third
LEAST_STEP = 0.5  # characters: a smaller change of the mean length is not named
DEFINITIONS = {
    "either": "the same both ways",
    "as_listed": "as listed, with the mark",
    "word_form": "as text, without the mark",
}
MARKS = {
    "continuation": "word pieces begin with {}",
    "word_start": "words begin with {}",
    "word_end": "words end with {}",
    "nothing": "word pieces are not marked",
}
SHARES_NOTE = (
    "With the mark of word pieces: of the tokens as the tokenizer lists them, as the "
    "thesis counts. Without it: of the text that they stand for."
)
NUMBERS_NOTE = (
    "Tokens of ASCII digits alone; the share is that of different ones among all that there are."
)
EXAMPLES_NOTE = "The texts stand in conf/measure/learned/vocabulary.yaml."


def draw_vocabulary(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the shares of kinds of all tokens and, by id, the kinds and mean lengths."""
    summary = results["json"]
    figure, axes = new_figure(
        2,
        2,
        height_mm=height_mm,
        title=_finding(results["id_blocks"], label),
        subtitle=f"{label} · {_protocol(summary)} · single characters are kinds of their own",
        stage="measure_vocabulary",
    )
    text = _tables(results, label, digits)
    if not summary["n"]:
        say_instead(axes, "The model has no tokenizer: no spelling is known.")
        return figure, text
    if grid := axes[0].get_gridspec():
        grid.set_height_ratios(HEIGHTS)
    _kinds(join_panels(axes[:2]), results["id_blocks"])
    _kinds_by_id(axes[2], results["id_blocks"])
    _lengths_by_id(axes[3], results["id_blocks"])
    return figure, text


def _shares(blocks: pd.DataFrame) -> dict[str, float]:
    """Return the shares of the kinds present."""
    shares = blocks[[f"n_{kind}" for kind in KINDS]].sum() / blocks["n"].sum()
    return {kind: float(shares[f"n_{kind}"]) for kind in KINDS if shares[f"n_{kind}"]}


def _finding(blocks: pd.DataFrame, label: str) -> str:
    """Return the title: how the kind beside words changes over the ids that are mostly words."""
    if blocks.empty:
        return f"{label} has no tokens that can be read"
    beside = _beside_words(blocks)
    if len(beside) < 2:
        return f"Of the tokens {percent(_shares(blocks).get('word', 0))} are words"
    second = str(beside.name)
    first, last = beside.iloc[[0, -1]]
    verb = "rise" if last > first else "fall"
    lengths = _words_get(blocks.loc[beside.index, "mean_n_characters_of_words"])
    name = KINDS[second.removeprefix("n_")].name
    return (
        f"Along the ids that are mostly words, {name} {verb} from {percent(first)} to "
        f"{percent(last)} of tokens{lengths}"
    )


def _words_get(n_characters: pd.Series) -> str:
    """Return whether words get longer along the ids, and whether mostly at first; else ""."""
    short, at_third, long = n_characters.iloc[[0, len(n_characters) // 3, -1]]
    if not abs(long - short) >= LEAST_STEP:  # of unknown lengths, too
        return ""
    is_early = (at_third - short) / (long - short) > EARLY
    return f", words get {'longer' if long > short else 'shorter'}{' at first' * is_early} (c)"


def _beside_words(blocks: pd.DataFrame) -> pd.Series:
    """Return the share of the kind most frequent beside words, in the blocks mostly of words."""
    shares = blocks[[f"n_{kind}" for kind in KINDS]].div(blocks["n"], axis=0)
    mostly = shares[shares["n_word"] >= MOSTLY].drop(columns="n_word")
    return mostly[str(mostly.sum().idxmax())]


def _protocol(summary: dict[str, Any]) -> str:
    if not summary["n"]:
        return "no tokenizer"
    marks = MARKS[summary["marks"]].format(summary["marker"])
    parts = [summary["algorithm"], counted(summary["n"], "token"), marks]
    return " · ".join(parts)


def _kinds(ax: Axes, blocks: pd.DataFrame) -> None:
    """Draw all tokens as one bar of kinds, with names and shares above and below by turns."""
    left, middles = 0.0, dict[str, float]()
    shares = _shares(blocks)
    for kind, share in shares.items():
        color = KINDS[kind].color
        ax.barh(0, share, 0.6, left, color=color, edgecolor="white", linewidth=0.5)
        if share >= NAMED:
            middles[f"{KINDS[kind].name} {percent(share)}"] = left + share / 2
        left += share
    for side, names_there in ((1, [*middles][::2]), (-1, [*middles][1::2])):
        places = [middles[name] for name in names_there]
        for name, middle, place in zip(
            names_there, places, spread(places, NAME_GAP, NAME_GAP / 2), strict=True
        ):
            lead = {"arrowstyle": "-", "color": "0.5", "linewidth": 0.6, "shrinkB": 0}
            words = ax.annotate(name, (middle, 0.3 * side), (place, 0.75 * side), arrowprops=lead)
            words.set(ha="center", va="center", fontsize=7)
    few = sum(share for share in shares.values() if share < NAMED)
    if few >= NAMED:
        ax.text(1, 0.75, f"others {percent(few)}", ha="right", va="center", fontsize=7)
    ax.set(xlim=(0, 1), ylim=(-1.1, 1.1), title="Kinds of tokens", yticks=[], xticks=[])
    ax.spines[:].set_visible(False)


def _kinds_by_id(ax: Axes, blocks: pd.DataFrame) -> None:
    """Draw a bar for each block of ids, with the kinds stacked."""
    bottom = np.zeros(len(blocks))
    beside, edges = _beside_words(blocks), [*blocks["first_id"], blocks["last_id"].max() + 1]
    for kind, look in KINDS.items():
        share = (blocks[f"n_{kind}"] / blocks["n"]).to_numpy()
        if share.any():
            style: dict[str, Any] = {"align": "edge", "color": look.color, "label": look.name}
            ax.bar(blocks["first_id"], share, blocks["n"], bottom, **style)
            ax.stairs(bottom + share, edges, baseline=None, color="white", lw=0.4)
        for number in (
            beside.index[[0, -1]] if beside.name == f"n_{kind}" and len(beside) > 1 else ()
        ):
            row, middle = blocks.loc[number], bottom[number] + share[number] / 2
            _name_share(ax, percent(share[number]), (row["first_id"] + row["n"] / 2, middle))
        bottom += share
    ax.set(title="Kinds by id", xlabel="id")
    ax.set_ylabel(f"share of {counted(blocks['n'].max(), 'token')}")
    ax.set(xlim=(0, blocks["last_id"].max() + 1), ylim=(0, 1))
    ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    ax.xaxis.set_major_formatter(lambda x, _: count(x))
    ax.grid(visible=False)


def _name_share(ax: Axes, words: str, place: tuple[float, float]) -> None:
    """Write a share above its part of a bar, with a line to it."""
    lead = {"arrowstyle": "-", "linewidth": 0.8, "color": "white", "shrinkB": 0}
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
    write_beside(ax, words, place, (0, 42), arrowprops=lead, bbox=box, ha="center")


def _lengths_by_id(ax: Axes, blocks: pd.DataFrame) -> None:
    middle = (blocks["first_id"] + blocks["last_id"]) / 2
    words, tokens = blocks["mean_n_characters_of_words"], blocks["mean_n_characters"]
    ax.plot(middle, words, "o-", ms=3, color=TOKEN_KINDS["word"].color, label="words")
    ax.plot(middle, tokens, "^--", ms=3, color="0.5", label="ordinary: neither special nor unused")
    ax.set(title="Length by id", xlabel="id", ylabel="characters, mean", ylim=(0, None))
    ax.set_xlim(0, blocks["last_id"].max() + 1)
    ax.xaxis.set_major_formatter(lambda x, _: count(x))
    ax.legend(loc="lower center")


def _tables(results: Results, label: str, digits: int) -> str:
    summary = results["json"]
    correlation = summary["id_length_correlation"]
    order = "not defined" if correlation is None else f"{correlation:.3f}"
    ids_note = (
        "Runs of one kind; short ones that stand side by side are one, mixed run. Spearman's "
        f"correlation of id and length of the {counted(summary['n_words'], 'word')}: {order}."
    )
    tables = {
        ("Shares", f"{_protocol(summary)}. {SHARES_NOTE}"): _in_percent(results["shares"]),
        ("Numbers", NUMBERS_NOTE): _in_percent(results["digits"]),
        ("Ids", ids_note): _ranges(results["id_ranges"]),
        ("Tokens of example texts", EXAMPLES_NOTE): _examples(results["examples"]),
    }
    sections = [section(*head, markdown_table(rows, digits)) for head, rows in tables.items()]
    return tables_page(f"Vocabulary of {label}", "measure_vocabulary", *sections)


def _examples(table: pd.DataFrame) -> pd.DataFrame:
    shown = table.assign(token=table["token"].astype(str).map(code))
    return shown[["text", "place", "token", "id"]]


def _in_percent(table: pd.DataFrame) -> pd.DataFrame:
    shown = table.assign(share=100 * table["share"])
    shown["definition"] = [DEFINITIONS[str(name)] for name in shown["definition"]]
    if "quantity" in shown:
        shown["quantity"] = shown["quantity"].astype("str").str.replace("_", " ")
    if "count" in shown:
        shown["count"] = shown["count"].astype("Int64")  # a missing one would make floats of them
    return shown.rename(columns={"share": "share in %"})


def _ranges(table: pd.DataFrame) -> pd.DataFrame:
    words = names(KINDS) | {"mixed": "mixed"}
    return pd.DataFrame(
        {
            "ids": [f"{a}–{b}" for a, b in zip(table["first_id"], table["last_id"], strict=True)],
            "kind": table["kind"].map(words).astype("str"),
            "from": [code(str(token)) for token in table["first_token"]],
            "to": [code(str(token)) for token in table["last_token"]],
            "n": table["n"],
            "words": table["n_word"],
            "subwords": table["n_subword"],
            "mean characters": table["mean_n_characters"].astype("float64"),
        }
    )
