"""Draws how high a text ranks when its other half asks, which `measure_search` measures."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, new_figure, say_instead, sentence_case
from embspace.draw.page.direct_labels import spread
from embspace.draw.page.looks import GRAY, OWN_VECTOR, TEXT_POOLINGS, corpus_looks
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.saving import Results
from embspace.draw.texts.layer_lines import draw_by_layer

STAGE = "measure_search"
WITHOUT_LAYER = {
    "tf_idf": ("TF-IDF", "--"),
    "bm25": ("BM25", ":"),
    "sentence": (OWN_VECTOR.name, "-."),
}
PREPARATIONS = {"as_is": "Vectors as they are", "centered": "Vectors minus their mean"}
NAMED = "mean"  # pooling that the title speaks of
GAP = 0.055  # between the names of two lines
QUANTITY = "mean_reciprocal_rank"
NO_CORPUS = (
    "No corpus that the model reads has enough texts to halve: `fewest_documents` in\n"
    "conf/measure/texts/search.yaml of four sentences or more, and `halves: true` in conf/corpus/"
)


def draw_search(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the rank by layer, with one row for each corpus and one panel for each preparation."""
    corpora = {str(name): rows for name, rows in results["csv"].groupby("corpus", sort=False)}
    n_rows = max(len(corpora), 1)
    height, subtitle = row_height_mm * n_rows + 15, f"{label} · {_population(corpora)}"
    figure, axes = new_figure(
        n_rows, 2, height_mm=height, title=_finding(corpora), subtitle=subtitle, stage=STAGE
    )
    if not corpora:
        say_instead(axes, NO_CORPUS)
    for (corpus, table), left, right in zip(corpora.items(), axes[::2], axes[1::2], strict=False):
        for ax, (preparation, words) in zip((left, right), PREPARATIONS.items(), strict=True):
            _lines(ax, table, preparation)
            ax.set(title=words, xlabel="layer (0: embedding output)", ylim=(0, 1.02))
        left.set_ylabel(f"{_name(corpus)}: mean reciprocal rank")
        _name_lines(right)
    return figure, _tables(corpora, label, digits)


def _name(corpus: str) -> str:
    return corpus_looks([corpus])[corpus].name


def _finding(corpora: dict[str, pd.DataFrame]) -> str:
    """Return the title: how often mean pooling of the last layer and TF-IDF find the other half."""
    if not corpora:
        return "No text to search for"
    corpus, table = next(iter(corpora.items()))
    ranks = table.set_index(["embedding", "layer", "preparation"])[QUANTITY]
    words = ranks.xs("tf_idf", level="embedding").iloc[0]
    last = ranks[NAMED].xs("as_is", level="preparation").sort_index().iloc[-1]
    return (
        f"Mean pooling of the last layer finds the other half of {_name(corpus)} at a mean "
        f"reciprocal rank of {last:.2f}, TF-IDF at {words:.2f}"
    )


def _population(corpora: dict[str, pd.DataFrame]) -> str:
    if not corpora:
        return "no text, n = 0"
    sizes = (
        f"{_name(corpus)}: {counted(table['n_queries'].iloc[0], 'text')}"
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
        color, name = line.get_color(), str(line.get_label())
        lead = {"arrowstyle": "-", "color": color, "linewidth": 0.6, "shrinkB": 0}
        words = ax.annotate(
            name, (1, end), (1.04, place), ax.get_yaxis_transform(), arrowprops=lead
        )
        words.set(color=color, fontsize=7, va="center")


def _lines(ax: Axes, table: pd.DataFrame, preparation: str) -> None:
    for pooling, look in TEXT_POOLINGS.items():
        chosen = (table["embedding"] == pooling) & (table["preparation"] == preparation)
        if chosen.any():
            draw_by_layer(ax, table[chosen], QUANTITY, look)
    for name, (words, style) in WITHOUT_LAYER.items():
        for value in table.loc[table["embedding"] == name, QUANTITY]:
            ax.axhline(value, color="0.3", linestyle=style, linewidth=1, label=words)
    ax.axhline(table[f"null_{QUANTITY}"].iloc[0], color=GRAY, linewidth=1, label="chance level")


def _tables(corpora: dict[str, pd.DataFrame], label: str, digits: int) -> str:
    heading = (
        f"# Search in {label}\n\nStage `measure_search`. Each second half of a text is a query, "
        "all first halves are candidates.\n"
    )
    sections = [_best(_name(corpus), table, digits) for corpus, table in corpora.items()]
    return "\n".join([heading, *(sections or [f"{NO_CORPUS}.\n"])])


def _best(corpus: str, table: pd.DataFrame, digits: int) -> str:
    """Return the best layer and preparation of each embedding."""
    best = table.sort_values(QUANTITY, ascending=False, kind="stable")
    shown = best.drop_duplicates("embedding").drop(columns=["corpus"])
    names = {name: look.name for name, look in TEXT_POOLINGS.items()}
    names |= {name: words for name, (words, _) in WITHOUT_LAYER.items()}
    shown["embedding"] = shown["embedding"].map(names)
    shown["preparation"] = shown["preparation"].str.replace("_", " ")
    return section(
        sentence_case(corpus),
        f"{counted(shown['n_queries'].iloc[0], 'text')} of four sentences or more, cut in "
        "two; shorter ones take no part. The best layer and preparation of each embedding, "
        "chosen by these very numbers.",
        markdown_table(shown, digits),
    )
