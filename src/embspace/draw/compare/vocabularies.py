"""Figure and table of `compare_vocabularies`: the tokens that two models have in common."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import count, legend_below, new_figure, say_instead
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
WIDTH = 0.8


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
        title="How many tokens do two models have in common?",
        subtitle=f"{one} and {other} · those of both over those of either",
        stage="compare_vocabularies",
    )
    if table.empty:
        say_instead(axes, "one of the two models has no tokenizer")
    else:
        _bars(axes[0], table)
        whole = table[(table["kind"] == "all") & (table["definition"] == "as_listed")].iloc[0]
        sizes = f"{one}, {count(whole['n'])} tokens; {other}, {count(whole['other_n'])}"
        axes[0].set(title=sizes, ylabel="Jaccard index", ylim=(0, 1.02))
        legend_below(figure, axes, ncols=2)
    return figure, _tables(table, f"{one} and {other}", digits)


def _bars(ax: Axes, rows: pd.DataFrame) -> None:
    kinds = list(dict.fromkeys(rows["kind"]))
    width = WIDTH / len(DEFINITIONS)
    for number, (definition, words) in enumerate(DEFINITIONS.items()):
        chosen = rows[rows["definition"] == definition]
        x = chosen["kind"].map(kinds.index).to_numpy(dtype=np.float64)
        place = x + width * (number - (len(DEFINITIONS) - 1) / 2)
        ax.bar(place, chosen["jaccard_index"], width, color=f"C{number}", label=words)
    ax.set_xticks(range(len(kinds)), [kind.replace("_", "\n") for kind in kinds])


def _tables(table: pd.DataFrame, models: str, digits: int) -> str:
    head = (
        f"# Vocabularies of {models}\n\nStage `compare_vocabularies`. Different tokens of each "
        "kind by what makes two the same; the share that is common, of the same kind, and the "
        "share that the other model has at all.\n"
    )
    shown = markdown_table(table, digits)
    return "\n".join([head, section("Common tokens", "By definition and kind.", shown)])
