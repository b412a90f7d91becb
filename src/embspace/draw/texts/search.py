"""Figure of `measure_search`: how high a text ranks when its other half asks, by layer."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, new_figure, say_instead, shade
from embspace.draw.page.looks import POOLINGS
from embspace.draw.page.markdown import markdown_table, section
from embspace.files.tables import Tables

RESULTS = ("csv",)
WORDS = {"tf_idf": ("TF-IDF", "--"), "bm25": ("BM25", ":")}
PREPARATIONS = {"as_is": "vectors as they are", "centered": "vectors less their mean"}
QUANTITY = "mean_reciprocal_rank"
NO_CORPUS = (
    "No corpus that the model reads has texts to halve: of four sentences or more,\n"
    "and `halves: true` in conf/corpus/"
)


def draw_search(
    results: Tables, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """One row a corpus, one panel a preparation, one line a pooling; words alone as levels."""
    corpora = {str(name): rows for name, rows in results["csv"].groupby("corpus", sort=False)}
    n_rows = max(len(corpora), 1)
    figure, axes = new_figure(
        n_rows,
        len(PREPARATIONS),
        height_mm=row_height_mm * n_rows + 15,
        title="Does the second half of a text find its first half?",
        subtitle=f"{label} · by the largest cosine of windows · layer 0: embedding output · "
        "bands: 95 % intervals over queries"
        if corpora
        else label,
        stage="measure_search",
    )
    if not corpora:
        say_instead(axes, NO_CORPUS)
    for row, (corpus, table) in enumerate(corpora.items()):
        for column, (preparation, words) in enumerate(PREPARATIONS.items()):
            ax = axes[row * len(PREPARATIONS) + column]
            _lines(ax, table, preparation)
            ax.set(title=words, xlabel="layer", ylim=(0, 1.02))
            if column == 0:
                ax.set_ylabel(
                    f"{corpus}, {counted(table['n_queries'].iloc[0], 'text')}\nmean reciprocal rank"
                )
                ax.legend(loc="upper left", ncols=2)
    return figure, _tables(corpora, label, digits)


def _lines(ax: Axes, table: pd.DataFrame, preparation: str) -> None:
    for pooling, (words, color, *_) in POOLINGS.items():
        chosen = (table["embedding"] == pooling) & (table["preparation"] == preparation)
        rows = table[chosen]
        ax.plot(rows["layer"], rows[QUANTITY], color=color, marker=".", label=words)
        shade(ax, rows, "layer", QUANTITY, color=color, alpha=0.2)
    for name, (words, style) in WORDS.items():
        for value in table.loc[table["embedding"] == name, QUANTITY]:
            ax.axhline(value, color="0.3", linestyle=style, linewidth=1, label=words)
    ax.axhline(table[f"null_{QUANTITY}"].iloc[0], color="0.7", linewidth=1, label="random order")
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
        text.append(
            section(
                f"Corpus {corpus}",
                f"{counted(shown['n_queries'].iloc[0], 'text')} of four sentences or more, cut in "
                "two; shorter ones take no part. The best layer and preparation of each embedding, "
                "chosen by these very numbers.",
                markdown_table(shown, digits),
            )
        )
    return "\n".join(text)
