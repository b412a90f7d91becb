"""Figure of `measure_sentence_similarity`: the cosines of pairs of texts, layer by layer."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import counted, new_figure
from embspace.draw.page.markdown import markdown_table, section

RESULTS = ("csv",)
POOLING_NAMES = {"cls": "first token", "mean": "mean of all tokens", "max": "maximum of all tokens"}


def draw_sentence_similarity(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    row_height_mm: PositiveFloat,
    n_named: PositiveInt,
    n_listed: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """One row of panels a corpus, one panel a pooling, one line a pair of texts.

    Up to `n_named` pairs are named; above that the lines share one color. The table has
    `n_listed` pairs a corpus and pooling.
    """
    corpora = {str(name): rows for name, rows in results["csv"].groupby("corpus", sort=False)}
    n_rows = max(len(corpora), 1)
    figure, axes = new_figure(
        n_rows,
        len(POOLING_NAMES),
        height_mm=row_height_mm * n_rows + 15,
        title="How alike the texts of a corpus are, by layer",
        subtitle=f"{label} · windows of different texts · the most similar pairs at each layer · "
        "layer 0: embedding output",
        stage="measure_sentence_similarity",
    )
    for ax, name in zip(axes, POOLING_NAMES.values(), strict=False):
        ax.set_title(name if corpora else "no corpus with two texts")
    for row, (corpus, table) in enumerate(corpora.items()):
        for column, pooling in enumerate(POOLING_NAMES):
            ax = axes[row * len(POOLING_NAMES) + column]
            _lines(ax, table[table["pooling"] == pooling], n_named, legend=column == 0)
            ax.set(xlabel="layer", ylim=(min(table["cosine"].min(), 0) - 0.02, 1.02))
            if column == 0:
                ax.set_ylabel(f"{corpus}, {counted(table['n_pairs'].iloc[0], 'pair')}\ncosine")
    return figure, _tables(corpora, label, n_listed, digits)


def _lines(ax: Axes, table: pd.DataFrame, n_named: int, *, legend: bool) -> None:
    layers = range(table["layer"].max() + 1)
    # A column a pair; one that is not listed at a layer leaves a gap there.
    cosines = table.pivot(index="layer", columns=["first", "second"], values="cosine")
    cosines = cosines.sort_index(axis="columns").reindex(layers)
    names = [cosines.columns.get_level_values(name).astype("str") for name in ("first", "second")]
    named = len(cosines.columns) <= n_named
    look: dict[str, Any] = {} if named else {"color": "C0", "alpha": 0.4}
    ax.plot(
        layers,
        cosines,
        marker=".",
        label=[", ".join(pair) for pair in zip(*names, strict=True)],
        rasterized=not named,  # hundreds of lines would make the file large
        **look,
    )
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if named and legend:
        ax.legend(loc="lower left")


def _tables(corpora: dict[str, pd.DataFrame], label: str, n_listed: int, digits: int) -> str:
    sections = [f"# Similarity of texts in {label}\n\nStage `measure_sentence_similarity`.\n"]
    if not corpora:
        sections.append("No corpus has two texts that the model reads.\n")
    for corpus, table in corpora.items():
        last = table[(table["layer"] == table["layer"].max()) & (table["rank"] <= n_listed)]
        shown = last.drop(columns=["corpus", "layer", "n_pairs"])
        note = f"The most similar pairs at the last layer, {table['layer'].max()}."
        sections.append(section(f"Corpus {corpus}", note, markdown_table(shown, digits)))
    return "\n".join(sections)
