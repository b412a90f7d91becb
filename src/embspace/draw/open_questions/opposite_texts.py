"""Draws how unlike a sentence a search gets, by changed words and by likelihood."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import counted, legend_below, new_figure, say_instead, shade
from embspace.draw.page.looks import BLACK, BLUE, GRAY, GREEN, NULLS, VERMILION, Look
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results

STAGE = "measure_opposite_texts"
FURTHER_RESULTS = ("conf/measure/open_questions/opposite_texts.yaml",)
MEASURED_WITH = FURTHER_RESULTS[0]
LOOKS = {
    "free": Look("any word", BLUE, "o", "-"),
    "word_pairs": Look("likely pairs of words", VERMILION, "s", "--"),
    "judged": Look("likely for the judge", GREEN, "^", "-."),
    "random_words": Look("random words", GRAY, "", ":"),
    "random_weights": NULLS["random_initialization"],
}
LEAST_ALIKE = Look("least alike sentence", BLACK, "", (0, (1, 1)))
NOT_CHECKABLE = "not checkable"
NO_JUDGE = "none"


def draw_opposite_texts(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    n_listed: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the cosine by changed words, and beside the likelihood; marks are numbers of words."""
    table, counts = results["csv"], results["json"]
    judge = "" if counts["judge"] == NO_JUDGE else counts["judge"]
    figure, axes = new_figure(
        1,
        2,
        height_mm=height_mm,
        title=_finding(results),
        subtitle=f"{label} · {counted(counts['n_sentences'], 'sentence')} · mean pooling, "
        f"last layer · judge: {judge or 'not checkable here'}",
        stage=STAGE,
    )
    text = _tables(results, label, n_listed, digits)
    if table.empty:
        say_instead(axes, "no sentence with a token a word")
        return figure, text
    for name, look in LOOKS.items():
        rows = table[table["search"] == name]
        _line(axes[0], rows, "n_changed", look)
        shade(axes[0], rows, "n_changed", "cosine", color=look.color, alpha=0.12)
    axes[0].xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    axes[0].set_xlabel("changed words")
    axes[0].set_ylabel("cosine with the sentence")
    axes[0].set_title("cosine by changed words")
    price = "judged" if judge else "word_pairs"
    for name in ("free", "word_pairs", "judged"):
        _line(axes[1], table[table["search"] == name], price, LOOKS[name])
    axes[1].axvline(counts[f"{price}_bound"], color=GRAY, lw=0.8)
    axes[1].set_xlabel(f"log-likelihood a token, {judge or 'pairs of words'}")
    share = 100 * results[MEASURED_WITH]["quantile"]
    axes[1].set_title(f"cosine by likelihood; gray: {share:g} % less likely")
    for ax in axes:
        ax.axhline(0, color="black", lw=0.6)
        ax.axhline(
            counts["corpus_cosine"],
            color=LEAST_ALIKE.color,
            ls=LEAST_ALIKE.line,
            lw=1,
            label=LEAST_ALIKE.name,
        )
    legend_below(figure, axes[:1], ncols=3)
    return figure, text


def _line(ax: Axes, rows: pd.DataFrame, x: str, look: Look) -> None:
    if len(rows):
        ax.plot(
            rows[x],
            rows["cosine"],
            color=look.color,
            ls=look.line,
            marker=look.marker,
            ms=4,
            label=look.name,
        )


def _finding(results: Results) -> str:
    """Return the title: how far the search gets, and how far with fluent texts."""
    rows = results["searches"].set_index("search")
    if rows.empty:
        return "No sentence to search from"
    free, judged = rows.loc["free"], rows.loc["judged"]
    n_changed = results["csv"].query("search == 'free'")["n_changed"].max()
    reached = f"{counted(n_changed, 'changed word')} lower the cosine to {free['smallest']:.2f}"
    opposites = "Opposites are found" if free["finds_opposites"] == "yes" else "No opposites"
    fluency = (
        "whether texts are fluent is not checkable here"
        if judged["finds_opposites"] == NOT_CHECKABLE
        else f"with fluent texts to {judged['smallest']:.2f}"
    )
    return f"{opposites}: {reached}; {fluency}".replace("-0", "−0")


def _tables(results: Results, label: str, n_listed: int, digits: int) -> str:
    texts = results.for_readers("texts")
    listed = texts[texts["number"] <= n_listed] if len(texts) else texts
    return tables_page(
        f"Opposite texts of {label}",
        STAGE,
        section(
            "Searches",
            "Opposites: a mean smallest cosine of at most -0.5; stranger: below the least alike "
            "sentence of the corpora; both beyond random words, and not at random weights.",
            markdown_table(results.for_readers("searches"), digits),
        ),
        section(
            "Texts",
            "Without a search: the sentence. Corpus: the least alike sentence.",
            markdown_table(listed, digits),
        ),
        section(
            "Steps", "Means over sentences.", markdown_table(results.for_readers("csv"), digits)
        ),
    )
