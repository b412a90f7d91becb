"""Figure and table of `compare_vocabularies`: the tokens that two models have in common."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import count, legend_below, new_figure, say_instead
from embspace.draw.page.markdown import markdown_table, section
from embspace.files.tables import Tables

RESULTS = ("csv",)
DEFINITIONS = {
    "as_listed": "as listed",
    "marked": "text, and whether a word goes on",
    "word_form": "text",
    "lower_case": "text in lower case",
}
WIDTH = 0.8


def draw_vocabularies(
    results: Tables, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Of each two models one panel: the Jaccard index by kind, by what makes tokens the same."""
    pairs = list(results["csv"].groupby(["model", "other_model"], sort=False))
    n_rows = max(len(pairs), 1)
    figure, axes = new_figure(
        n_rows,
        1,
        height_mm=row_height_mm * n_rows + 15,
        title="How many tokens do two models have in common?",
        subtitle=f"{label} · those of both over those of either",
        stage="compare_vocabularies",
    )
    if not pairs:
        say_instead(axes, "two models with tokenizers under `models` in params.yaml are needed")
    for ax, ((one, other), rows) in zip(axes, pairs, strict=False):
        _bars(ax, rows)
        whole = rows[(rows["kind"] == "all") & (rows["definition"] == "as_listed")].iloc[0]
        sizes = f"{one}, {count(whole['n'])} tokens; {other}, {count(whole['other_n'])}"
        ax.set(title=sizes, ylabel="Jaccard index", ylim=(0, 1.02))
    if pairs:
        legend_below(figure, axes[:1], ncols=2)
    return figure, _tables(results["csv"], label, digits)


def _bars(ax: Axes, rows: pd.DataFrame) -> None:
    kinds = list(dict.fromkeys(rows["kind"]))
    width = WIDTH / len(DEFINITIONS)
    for number, (definition, words) in enumerate(DEFINITIONS.items()):
        chosen = rows[rows["definition"] == definition]
        x = chosen["kind"].map(kinds.index).to_numpy(dtype=np.float64)
        place = x + width * (number - (len(DEFINITIONS) - 1) / 2)
        ax.bar(place, chosen["jaccard_index"], width, color=f"C{number}", label=words)
    ax.set_xticks(range(len(kinds)), [kind.replace("_", "\n") for kind in kinds])


def _tables(table: pd.DataFrame, label: str, digits: int) -> str:
    text = [
        f"# Vocabularies of {label}\n\nStage `compare_vocabularies`. Different tokens of each kind "
        "by what makes two the same; the share that is common, of the same kind, and the share "
        "that the other model has at all.\n"
    ]
    for (one, other), rows in table.groupby(["model", "other_model"], sort=False):
        shown = rows.drop(columns=["model", "other_model"])
        text.append(
            section(f"{one} and {other}", "By definition and kind.", markdown_table(shown, digits))
        )
    return "\n".join(text)
