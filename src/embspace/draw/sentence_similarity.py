"""Figure of `measure_sentence_similarity`: the cosines of pairs of texts, layer by layer."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.canvas import new_figure
from embspace.draw.markdown import markdown_table, section

RESULTS = ("csv",)
POOLINGS = {"cls": "[CLS]", "mean": "mean of tokens", "max": "maximum of tokens"}


def draw_sentence_similarity(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    row_height_mm: PositiveFloat,
    n_named: PositiveInt,
    n_pairs: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """One row of panels a corpus, one panel a pooling, one line a pair of texts.

    Up to `n_named` pairs are named; above that the lines share one colour.
    """
    corpora = {str(name): rows for name, rows in results["csv"].groupby("corpus", sort=False)}
    figure, axes = new_figure(
        len(corpora),
        len(POOLINGS),
        height_mm=row_height_mm * len(corpora) + 15,
        title="How alike the texts of a corpus are, by layer",
        subtitle=f"{label} · the most similar pairs of text windows at each layer; "
        "layer 0 is the embedding output",
        stage="measure_sentence_similarity",
    )
    for row, (corpus, table) in enumerate(corpora.items()):
        lowest = table["cosine"].min()
        for column, (pooling, name) in enumerate(POOLINGS.items()):
            ax = axes[row * len(POOLINGS) + column]
            _lines(ax, table[table["pooling"] == pooling], n_named, legend=column == 0)
            ax.set(
                title=name if row == 0 else "", xlabel="layer", ylim=(min(lowest, 0) - 0.02, 1.02)
            )
            if column == 0:
                ax.set_ylabel(f"{corpus}\ncosine")
    return figure, _tables(corpora, label, n_pairs, digits)


def _lines(ax: Axes, table: pd.DataFrame, n_named: int, *, legend: bool) -> None:
    pairs = list(table.groupby(["first", "second"], sort=True))
    named = len(pairs) <= n_named
    for number, ((first, second), rows) in enumerate(pairs):
        ax.plot(
            rows["layer"],
            rows["cosine"],
            marker=".",
            color=f"C{number}" if named else "C0",
            alpha=1.0 if named else 0.4,
            label=f"{first}, {second}",
        )
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if named and legend:
        ax.legend(loc="lower left")


def _tables(corpora: dict[str, pd.DataFrame], label: str, n_pairs: int, digits: int) -> str:
    sections = [f"# Similarity of texts in {label}\n\nStage `measure_sentence_similarity`.\n"]
    for corpus, table in corpora.items():
        last = table[(table["layer"] == table["layer"].max()) & (table["rank"] <= n_pairs)]
        shown = last.drop(columns=["corpus", "layer"])
        note = f"The most similar pairs at the last layer, {table['layer'].max()}."
        sections.append(section(f"Corpus {corpus}", note, markdown_table(shown, digits)))
    return "\n".join(sections)
