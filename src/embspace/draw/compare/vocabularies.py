"""Figure and table of `compare_vocabularies`: the tokens that two models have in common."""

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import count, legend_below, new_figure, percent, say_instead
from embspace.draw.page.markdown import markdown_table, section
from embspace.files.tables import Tables
from embspace.settings.params import models_of

RESULTS = ("csv",)
DEFINITIONS = {
    "as_listed": "as listed",
    "marked": "text, and whether a word goes on",
    "word_form": "text",
    "lower_case": "text in lower case",
}


def draw_vocabularies(
    results: Tables, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the Jaccard index of two vocabularies by kind, and by what makes tokens the same.

    `label` is the name of the pair of models.
    """
    table, (one, other) = results["csv"], models_of(label)
    figure, axes = new_figure(
        1,
        1,
        height_mm=height_mm,
        title=_title(table, one, other),
        subtitle=_sizes(table, one, other),
        stage="compare_vocabularies",
    )
    if table.empty:
        say_instead(axes, "one of the two models has no tokenizer")
    else:
        _bars(axes[0], table)
        axes[0].set(ylabel="Tokens of both over those of either", ylim=(0, 1.02))
        legend_below(figure, axes, ncols=2)
    return figure, _tables(table, f"{one} and {other}", digits)


def _whole(table: pd.DataFrame) -> pd.Series:
    is_whole = (table["kind"] == "all") & (table["definition"] == "as_listed")
    return table[is_whole].iloc[0]


def _title(table: pd.DataFrame, one: str, other: str) -> str:
    """Return the share of tokens that both models have, as their vocabularies list them."""
    if table.empty:
        return f"The vocabularies of {one} and {other} cannot be compared"
    share = _whole(table)["jaccard_index"]
    if share == 1:
        return f"{one} and {other} have the same vocabulary"
    return f"{one} and {other} have {percent(share)} of their tokens in common"


def _sizes(table: pd.DataFrame, one: str, other: str) -> str:
    if table.empty:
        return f"{one} · {other}"
    whole = _whole(table)
    return f"{one}: {count(whole['n'])} tokens · {other}: {count(whole['other_n'])} tokens"


def _bars(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw bars by kind, the lighter the less has to agree."""
    kinds = [str(kind).replace("_", "\n") for kind in rows["kind"]]
    named = rows.assign(kind=kinds, definition=rows["definition"].map(DEFINITIONS))
    order = [*DEFINITIONS.values()]
    look = {"palette": "Blues_r", "errorbar": None, "legend": False, "saturation": 1}
    sns.barplot(
        named, x="kind", y="jaccard_index", hue="definition", hue_order=order, ax=ax, **look
    )
    for bars, words in zip(ax.containers, order, strict=False):
        bars.set_label(words)
    ax.set_xlabel("")


def _tables(table: pd.DataFrame, models: str, digits: int) -> str:
    head = (
        f"# Vocabularies of {models}\n\nStage `compare_vocabularies`. Different tokens of each "
        "kind by what makes two the same; the share that is common, of the same kind, and the "
        "share that the other model has at all.\n"
    )
    named = table.assign(definition=table["definition"].map(DEFINITIONS))
    shown = markdown_table(named, digits)
    return "\n".join([head, section("Common tokens", "By definition and kind.", shown)])
