"""Draws figure and table of `compare_vocabularies`: the tokens that two models have in common."""

from textwrap import fill
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    count,
    join_panels,
    legend_below,
    new_figure,
    percent,
    say_instead,
    write_beside,
)
from embspace.draw.page.looks import BLUE, TOKEN_KINDS, VERMILION, names
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.saving import Results
from embspace.settings.params import models_of

DEFINITIONS = {
    "as_listed": "as listed",
    "marked": "text and start of word",
    "word_form": "text",
    "lower_case": "lower case",
}
LOOSEST = "lower_case"
COUNTED = ("marked", "as_listed")  # tokens of a kind are counted by the first that has the kind
ALL = {"all": "all tokens"}
ROOM = {True: 1.1, False: 1.5}  # times the longest bar, for its numbers, if all are the same


def draw_vocabularies(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the tokens of each kind that two models share, and the shares by what has to agree.

    Vocabularies that are the same have one panel, of their kinds. `label` is the name of the pair.
    """
    table, (one, other) = results["csv"], models_of(label)
    figure, axes = new_figure(
        1,
        2,
        height_mm=height_mm,
        title=_title(table, one, other),
        subtitle=_subtitle(table, one, other),
        stage="compare_vocabularies",
    )
    if table.empty:
        say_instead(axes, "one of the two models has no tokenizer")
    elif _is_same(table):
        _counts(join_panels(axes), table, one, other)
    else:
        _counts(axes[0], table, one, other)
        _shares(axes[1], table)
        legend_below(figure, axes, ncols=3)
    return figure, _tables(results, f"{one} and {other}", digits)


def _is_same(table: pd.DataFrame) -> bool:
    return bool((table["jaccard_index"] == 1).all())


def _all_tokens(table: pd.DataFrame, definition: str) -> pd.Series:
    return table[(table["kind"] == "all") & (table["definition"] == definition)].iloc[0]


def _title(table: pd.DataFrame, one: str, other: str) -> str:
    """Return the share of tokens that both models have, by the strictest and the loosest rule."""
    if table.empty:
        return f"The vocabularies of {one} and {other} cannot be compared"
    as_listed, loosest = (_all_tokens(table, each) for each in ("as_listed", LOOSEST))
    if _is_same(table):
        return f"{one} and {other} have the same {count(as_listed['n'])} tokens"
    return (
        f"{one} and {other} share {percent(as_listed['jaccard_index'])} of their tokens as listed, "
        f"{percent(loosest['jaccard_index'])} as lower-case text"
    )


def _subtitle(table: pd.DataFrame, one: str, other: str) -> str:
    if table.empty:
        return f"{one} · {other}"
    whole = _all_tokens(table, "as_listed")
    sizes = f"{one}: {count(whole['n'])} tokens · {other}: {count(whole['other_n'])} tokens"
    if _is_same(table):
        return f"{sizes} · bars: kinds of the common tokens"
    return f"{sizes} · shares: tokens of both over tokens of either, of the same kind"


def _kinds(table: pd.DataFrame) -> list[str]:
    """Return the kinds that either model has, all tokens first and then the most frequent."""
    sizes = table.groupby("kind")[["n", "other_n"]].max().max(axis=1)
    found = sizes[sizes > 0].sort_values(ascending=False, kind="stable").index
    return ["all", *(str(kind) for kind in found if kind != "all")]


def _counts(ax: Axes, table: pd.DataFrame, one: str, other: str) -> None:
    """Draw the tokens of each kind: those of both models, then those of one alone."""
    by_definition = [table[table["definition"] == each].set_index("kind") for each in COUNTED]
    kinds = _kinds(table)
    rows = by_definition[0].combine_first(by_definition[1]).loc[kinds]
    parts = {
        "in both": (rows["n_common"], {"color": "0.4"}),
        f"{one} alone": (rows["n"] - rows["n_common"], {"color": BLUE, "hatch": "////"}),
        f"{other} alone": (rows["other_n"] - rows["n_common"], {"color": VERMILION}),
    }
    left, places = 0 * rows["n"], range(len(rows))
    for words, (numbers, look) in parts.items():
        style: dict[str, Any] = {"edgecolor": "white", "linewidth": 0, "label": words, **look}
        ax.barh(places, numbers, left=left, height=0.7, **style)
        left = left + numbers
    for place, common, either in zip(places, rows["n_common"], left, strict=True):
        words = count(either) if common == either else f"{count(common)} of {count(either)}"
        write_beside(ax, words, (either, place), (3, 0), va="center_baseline")
    ax.set(xlim=(0, ROOM[_is_same(table)] * left.max()), ylim=(len(rows) - 0.5, -0.5))
    ax.set_xlabel("different tokens")
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.set_yticks(places, [(names(TOKEN_KINDS) | ALL)[kind] for kind in kinds])
    ax.grid(visible=False, axis="y")
    ax.set_title("" if _is_same(table) else "Tokens in both models")


def _shares(ax: Axes, table: pd.DataFrame) -> None:
    """Draw the Jaccard index of each kind by what has to agree, as a map in the rows of counts."""
    import seaborn as sns

    wide = table.pivot(index="kind", columns="definition", values="jaccard_index")
    wide = wide.loc[_kinds(table), [*DEFINITIONS]].rename(columns=DEFINITIONS)
    words = wide.map(lambda share: "" if share != share else percent(share))
    look = {"cmap": "Greys", "vmin": 0, "vmax": 1.2, "linewidths": 0.5, "cbar": False}
    numbers = {"annot": words, "fmt": "", "annot_kws": {"fontsize": 7}}
    sns.heatmap(wide, ax=ax, yticklabels=False, **look, **numbers)
    ax.set(xlabel="tokens are the same if they agree in", ylabel="", title="Share in common")
    ax.set_xticks(ax.get_xticks(), [fill(each, 9) for each in DEFINITIONS.values()])
    ax.tick_params(length=0, rotation=0)
    ax.grid(visible=False)


def _tables(results: Results, models: str, digits: int) -> str:
    head = (
        f"# Vocabularies of {models}\n\nStage `compare_vocabularies`. Different tokens of each "
        "kind by what makes two the same; the share that is common, of the same kind, and the "
        "share that the other model has at all.\n"
    )
    shown = markdown_table(results.for_readers("csv", definition=DEFINITIONS), digits)
    return "\n".join([head, section("Common tokens", "By definition and kind.", shown)])
