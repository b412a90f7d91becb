"""Draws the figure and the tables of `measure_vocabulary`: kinds and lengths of tokens."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import count, counted, legend_below, new_figure, percent, say_instead
from embspace.draw.page.looks import ORANGE, TOKEN_KINDS, names
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
N_BESIDE_LEGEND, FREE = 3, 0.33  # lowest bars of the shares, and how long they may be
DEFINITIONS = {
    "either": ("the same both ways", "0.35", 0.0),
    "as_listed": ("as listed, with the mark", "0.75", -0.2),
    "word_form": ("as text, without the mark", ORANGE, 0.2),
}
MARKS = {
    "continuation": "word pieces begin with {}",
    "word_start": "words begin with {}",
    "word_end": "words end with {}",
    "nothing": "word pieces are not marked",
}
# Shares in the figure; the table has all.
SHOWN = {
    "unused": "unused tokens",
    "subword": "word pieces",
    "alphanumeric": "letters and digits",
    "alphabetic": "letters alone",
    "numeric": "digits alone",
    "not_alphanumeric": "with other signs",
    "single_character": "single characters",
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
    """Draw the shares of kinds and the lengths of tokens, of all and in the order of the ids."""
    summary = results["json"]
    figure, axes = new_figure(
        2,
        2,
        height_mm=height_mm,
        title=_finding(results["id_blocks"], label),
        subtitle=f"{label} · {_protocol(summary)}",
        stage="measure_vocabulary",
    )
    text = _tables(results, label, digits)
    if not summary["n"]:
        say_instead(axes, "The model has no tokenizer: no spelling is known.")
        return figure, text
    _shares(axes[0], results["shares"])
    _lengths(axes[1], results["lengths"])
    _kinds_by_id(axes[2], results["id_blocks"])
    _lengths_by_id(axes[3], results["id_blocks"])
    legend_below(figure, axes[2:3], ncols=5)
    return figure, text


def _finding(blocks: pd.DataFrame, label: str) -> str:
    """Return the title: the shares of the three most frequent kinds."""
    if blocks.empty:
        return f"{label} has no tokens that can be read"
    shares = blocks[[f"n_{kind}" for kind in KINDS]].sum().nlargest(3) / blocks["n"].sum()
    parts = [
        f"{percent(share)} {'are ' * (not place)}{KINDS[str(name).removeprefix('n_')].name}"
        for place, (name, share) in enumerate(shares.items())
        if share
    ]
    return f"Of the tokens {', '.join(parts)}"


def _protocol(summary: dict[str, Any]) -> str:
    if not summary["n"]:
        return "no tokenizer"
    marks = MARKS[summary["marks"]].format(summary["marker"])
    parts = [summary["algorithm"], counted(summary["n"], "token"), marks]
    return " · ".join([*parts, "one kind per token, except in panel a"])


def _shares(ax: Axes, table: pd.DataFrame) -> None:
    """Draw one numbered bar for each share, and one for each definition if they differ."""
    places = {quantity: place for place, quantity in enumerate(SHOWN)}
    for definition, (name, color, shift) in DEFINITIONS.items():
        rows = table[(table["definition"] == definition) & table["quantity"].isin(SHOWN)]
        y = rows["quantity"].map(places) + shift
        bars = ax.barh(y, rows["share"], height=0.36, color=color, label=name)
        ax.bar_label(bars, [percent(share) for share in rows["share"]], padding=2, fontsize=7)
    ax.set_yticks(range(len(SHOWN)), [*SHOWN.values()])
    lowest = table["quantity"].isin([*SHOWN][-N_BESIDE_LEGEND:])
    is_free = not table.loc[lowest, "share"].max() > FREE
    ax.set(title="Shares of all tokens, which may overlap", xlim=(0, 1.25 if is_free else 2.0))
    ax.set(ylim=(len(SHOWN) - 0.5, -0.5), xticks=[0, 0.25, 0.5, 0.75, 1])
    ax.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    ax.grid(visible=False, axis="y")
    ax.legend(loc="lower right", title="word pieces", alignment="left")


def _lengths(ax: Axes, table: pd.DataFrame) -> None:
    """Draw the number of tokens by number of characters, with word pieces apart."""
    rows = table[table["definition"] == "word_form"]
    listed = table[table["definition"] == "as_listed"]
    x, pieces = rows["n_characters"], rows["n_subwords"]
    others = rows["count"] - pieces
    ax.bar(x, others, color=TOKEN_KINDS["word"].color, label="all but word pieces")
    color = TOKEN_KINDS["subword"].color
    ax.bar(x, pieces, bottom=others, color=color, label="word pieces, without the mark")
    ax.plot(listed["n_characters"], listed["count"], ".:", color="0.3", label="all, with the mark")
    ax.set(title="Length", xlabel="characters", ylabel="ordinary tokens")
    ax.set_ylim(0, 1.4 * table["count"].max())  # the legend lies above
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_formatter(lambda y, _: count(y))
    ax.legend(loc="upper right")


def _kinds_by_id(ax: Axes, blocks: pd.DataFrame) -> None:
    """Draw a bar for each block of ids, with the kinds stacked."""
    bottom = np.zeros(len(blocks))
    for kind, look in KINDS.items():
        share = (blocks[f"n_{kind}"] / blocks["n"]).to_numpy()
        if share.any():
            style: dict[str, Any] = {"align": "edge", "color": look.color, "label": look.name}
            ax.bar(blocks["first_id"], share, blocks["n"], bottom, **style)
        bottom += share
    ax.set(title="Kinds by id", xlabel="id")
    ax.set_ylabel(f"share of {counted(blocks['n'].max(), 'token')}")
    ax.set(xlim=(0, blocks["last_id"].max() + 1), ylim=(0, 1))
    ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    ax.xaxis.set_major_formatter(lambda x, _: count(x))
    ax.grid(visible=False)


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
    of_ids = (
        "Runs of one kind; short ones that stand side by side are one, mixed run. Spearman's "
        f"correlation of id and length of the {counted(summary['n_words'], 'word')}: {order}."
    )
    tables = {
        ("Shares", f"{_protocol(summary)}. {SHARES_NOTE}"): _in_percent(results["shares"]),
        ("Numbers", NUMBERS_NOTE): _in_percent(results["digits"]),
        ("Ids", of_ids): _ranges(results["id_ranges"]),
        ("Tokens of example texts", EXAMPLES_NOTE): _examples(results["examples"]),
    }
    sections = [section(*head, markdown_table(rows, digits)) for head, rows in tables.items()]
    return tables_page(f"Vocabulary of {label}", "measure_vocabulary", *sections)


def _examples(table: pd.DataFrame) -> pd.DataFrame:
    shown = table.assign(token=table["token"].astype(str).map(code))
    return shown[["text", "place", "token", "id"]]


def _in_percent(table: pd.DataFrame) -> pd.DataFrame:
    shown = table.assign(share=100 * table["share"])
    shown["definition"] = [DEFINITIONS[str(name)][0] for name in shown["definition"]]
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
