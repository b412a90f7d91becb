"""Draws how high a text ranks when its other half asks, which `measure_search` measures."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, new_figure, say_instead, sentence_case, shade
from embspace.draw.page.direct_labels import spread
from embspace.draw.page.looks import GRAY, POOLINGS, corpus_looks
from embspace.draw.page.markdown import markdown_table, section
from embspace.files.tables import Tables

RESULTS = ("csv",)
WORDS = {"tf_idf": ("TF-IDF", "--"), "bm25": ("BM25", ":")}
PREPARATIONS = {"as_is": "Vectors as they are", "centered": "Vectors less their mean"}
NAMED = "mean"  # pooling that the title speaks of
GAP = 0.055  # between the names of two lines
QUANTITY = "mean_reciprocal_rank"
NO_CORPUS = (
    "No corpus that the model reads has texts to halve: of four sentences or more,\n"
    "and `halves: true` in conf/corpus/"
)


def draw_search(
    results: Tables, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the rank by layer, with one row for each corpus and one panel for each preparation."""
    corpora = {str(name): rows for name, rows in results["csv"].groupby("corpus", sort=False)}
    n_rows = max(len(corpora), 1)
    figure, axes = new_figure(
        n_rows,
        len(PREPARATIONS),
        height_mm=row_height_mm * n_rows + 15,
        title=_finding(corpora),
        subtitle=f"{label} · {_population(corpora)}",
        stage="measure_search",
    )
    if not corpora:
        say_instead(axes, NO_CORPUS)
    for row, (corpus, table) in enumerate(corpora.items()):
        for column, (preparation, words) in enumerate(PREPARATIONS.items()):
            ax = axes[row * len(PREPARATIONS) + column]
            _lines(ax, table, preparation)
            ax.set(title=words, xlabel="layer (0: embedding output)", ylim=(0, 1.02))
            if column == 0:
                ax.set_ylabel(f"{corpus_looks([corpus])[corpus].name}: mean reciprocal rank")
            else:
                _name_lines(ax)
    return figure, _tables(corpora, label, digits)


def _finding(corpora: dict[str, pd.DataFrame]) -> str:
    """Return the title: how often mean pooling of the last layer and TF-IDF find the other half."""
    if not corpora:
        return "No text to search for"
    corpus, table = next(iter(corpora.items()))
    found = table.set_index(["embedding", "layer", "preparation"])["recall_at_1"]
    words = found.xs("tf_idf", level="embedding").iloc[0]
    last = found[NAMED].xs("as_is", level="preparation").sort_index().iloc[-1]
    return (
        f"Mean pooling of the last layer ranks the other half first for {100 * last:.0f} % of "
        f"{corpus_looks([corpus])[corpus].name}, TF-IDF for {100 * words:.0f} %"
    )


def _population(corpora: dict[str, pd.DataFrame]) -> str:
    if not corpora:
        return "no text, n = 0"
    sizes = (
        f"{corpus_looks([corpus])[corpus].name}: {counted(table['n_queries'].iloc[0], 'text')}"
        for corpus, table in corpora.items()
    )
    return (
        f"{', '.join(sizes)}, each second half a query for its first half among all · by the "
        "largest cosine of windows · bands: 95 % intervals over queries"
    )


def _name_lines(ax: Axes) -> None:
    """Name the lines of a panel at its right edge."""
    ends = [float(np.asarray(line.get_ydata())[-1]) for line in ax.lines]
    for line, end, place in zip(ax.lines, ends, spread(ends, GAP), strict=True):
        lead: dict[str, Any] = {
            "arrowstyle": "-",
            "color": line.get_color(),
            "linewidth": 0.6,
            "shrinkB": 0,
        }
        words = ax.annotate(
            str(line.get_label()),
            (1, end),
            (1.04, place),
            ax.get_yaxis_transform(),
            arrowprops=lead,
        )
        words.set(color=line.get_color(), fontsize=7, va="center")


def _lines(ax: Axes, table: pd.DataFrame, preparation: str) -> None:
    for pooling, look in POOLINGS.items():
        chosen = (table["embedding"] == pooling) & (table["preparation"] == preparation)
        rows = table[chosen]
        line: dict[str, Any] = {
            "color": look.color,
            "marker": look.marker,
            "ms": 4,
            "label": look.name,
        }
        ax.plot(rows["layer"], rows[QUANTITY], **line)
        shade(ax, rows, "layer", QUANTITY, color=look.color, alpha=0.2)
    for name, (words, style) in WORDS.items():
        for value in table.loc[table["embedding"] == name, QUANTITY]:
            ax.axhline(value, color="0.3", linestyle=style, linewidth=1, label=words)
    ax.axhline(table[f"null_{QUANTITY}"].iloc[0], color=GRAY, linewidth=1, label="chance level")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _tables(corpora: dict[str, pd.DataFrame], label: str, digits: int) -> str:
    text = [
        f"# Search in {label}\n\nStage `measure_search`. Each second half of a text is a query, "
        "all first halves are candidates.\n"
    ]
    if not corpora:
        text.append(f"{NO_CORPUS}.\n")
    for corpus, table in corpora.items():
        best = table.sort_values(QUANTITY, ascending=False, kind="stable")
        shown = best.drop_duplicates("embedding").drop(columns=["corpus"])
        names = {name: look.name for name, look in POOLINGS.items()}
        names |= {name: words for name, (words, _) in WORDS.items()}
        shown["embedding"] = shown["embedding"].map(names)
        shown["preparation"] = shown["preparation"].str.replace("_", " ")
        text.append(
            section(
                sentence_case(corpus_looks([corpus])[corpus].name),
                f"{counted(shown['n_queries'].iloc[0], 'text')} of four sentences or more, cut in "
                "two; shorter ones take no part. The best layer and preparation of each embedding, "
                "chosen by these very numbers.",
                markdown_table(shown, digits),
            )
        )
    return "\n".join(text)
