"""Draws how unlike a sentence a search gets by changed words, with the texts of an example."""

from textwrap import fill

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import (
    counted,
    draw_line,
    legend_below,
    new_figure,
    say_instead,
    sentence_case,
    write_beside,
)
from embspace.draw.page.looks import BLACK, BLUE, GRAY, GREEN, NULLS, VERMILION, Look
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results
from embspace.draw.page.wording import numeral

STAGE = "measure_opposite_texts"
LOOKS = {
    "free": Look("chosen from all words", BLUE, "o", "-"),
    "word_pairs": Look("chosen, likely pairs of neighbors", VERMILION, "s", "--"),
    "judged": Look("chosen, likely for the judge", GREEN, "^", "-."),
    "random_words": Look("words drawn at random", GRAY, "", ":"),
    "random_weights": NULLS["random_initialization"]._replace(name="chosen, random weights"),
}
LEAST_ALIKE = Look("least alike sentence of the corpora", BLACK, "", "-")
LEAST_ALIKE_AT_RANDOM = Look("least alike, random weights", GRAY, "", "-")
SHOWN = {  # texts of one sentence
    "": Look("sentence", BLACK, ""),
    **{name: LOOKS[name] for name in ("free", "word_pairs", "judged")},
    "corpus": LEAST_ALIKE,
}
OPPOSITE = -0.5  # mean smallest cosine of opposites, at most
LETTERS = 52  # of a line of a text
LINE_HEIGHT = 0.075  # of a text, as a share of the panel
NOT_CHECKABLE = "not checkable"


def draw_opposite_texts(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    n_listed: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the cosine by changed words, and write a sentence beside the texts of the searches."""
    table, counts = results["csv"], results["json"]
    figure, axes = new_figure(
        1,
        2,
        height_mm=height_mm,
        title=_finding(results),
        subtitle=f"{label} · means over {counted(counts['n_sentences'], 'sentence')} · mean "
        "pooling, last layer · chosen: each word is the one that lowers the cosine most; "
        "likely: as nearly all sentences of the corpora are · bands: 95 % intervals"
        + (f" · judge: {counts['judge']}" if counts["judge"] != "none" else ""),
        stage=STAGE,
    )
    text = _tables(results, label, n_listed, digits)
    if table.empty:
        say_instead(axes, "no sentence with a token a word")
        return figure, text
    for name, look in LOOKS.items():
        rows = table[table["search"] == name]
        if len(rows):
            draw_line(axes[0], rows, "n_changed", "cosine", look, band=0.12)
    _levels(axes[0], results)
    axes[0].xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    axes[0].set(
        title="Cosine by number of changed words",
        xlabel="changed words",
        ylabel="cosine with the sentence",
    )
    axes[0].set_ylim(axes[0].get_ylim()[0] - 0.08, None)
    for search in ("free", "random_weights"):
        for _, last in table[table["search"] == search].tail(1).iterrows():
            place = (last["n_changed"], last["cosine"])
            write_beside(axes[0], numeral(last["cosine"], 2), place, (0, -11), ha="center")
    _sentence(axes[1], results["texts"])
    legend_below(figure, axes[:1], ncols=3)
    return figure, text


def _levels(ax: Axes, results: Results) -> None:
    """Draw the least alike sentences, and the bound of opposites, with their cosines."""
    cosines = {LEAST_ALIKE: results["json"]["corpus_cosine"]}
    cosines[LEAST_ALIKE_AT_RANDOM] = _at_random(results)
    for look, cosine in cosines.items():
        named = f"{look.name}, {numeral(cosine, 2)}"
        ax.axhline(cosine, lw=1, color=look.color, ls=look.line, label=named)
    bound = f"bound of opposites, \N{MINUS SIGN}{-OPPOSITE:g}"
    ax.axhline(OPPOSITE, lw=1, color=BLACK, ls=(0, (1, 1)), label=bound)


def _sentence(ax: Axes, texts: pd.DataFrame) -> None:
    """Write the sentence whose search by any word ends nearest the mean, and the texts found."""
    free = texts[texts["search"] == "free"]
    far = (free["own_cosine"] - free["own_cosine"].mean()).abs()
    shown = texts[texts["sentence"] == free["sentence"].iloc[int(far.to_numpy().argmin())]]
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    ax.set_title("An example: one sentence and its texts")
    rows = [(look, shown[shown["search"].fillna("") == name]) for name, look in SHOWN.items()]
    rows = [(look, row.iloc[0]) for look, row in rows if len(row)]
    y = 0.98
    for look, row in rows:
        head = f"{sentence_case(look.name)}, cosine {numeral(row['own_cosine'], 2)}"
        ax.text(0, y, head, color=look.color, va="top", fontweight="bold", fontsize=7)
        words = fill(str(row["text"]), LETTERS)
        ax.text(0, y - LINE_HEIGHT, words, va="top", fontsize=7)
        y -= LINE_HEIGHT * (words.count("\n") + 3)


def _at_random(results: Results) -> float:
    """Return the sentences' mean cosine with the least similar sentence, at random weights."""
    row = results["searches"].set_index("search").loc["random_weights"]
    return float(row["smallest"] - row["beyond_corpus"])


def _finding(results: Results) -> str:
    """Return the title: how far the search gets, beside the corpora and random weights.

    With a judge it is of fluent texts. If no text is an opposite, no fluent text is an opposite. If
    some texts are opposites, their fluency may not be checkable.
    """
    rows = results["searches"].set_index("search")
    if rows.empty:
        return "No sentence to search from"
    free, judged = rows.loc["free"], rows.loc["judged"]
    is_judged = judged["finds_opposites"] != NOT_CHECKABLE
    row, words = (judged, "fluent texts") if is_judged else (free, "words")
    reached = f"{words} chosen by a search lower the cosine to {numeral(row['smallest'], 2)}"
    corpus = f"the least alike sentence ({numeral(results['json']['corpus_cosine'], 2)})"
    if row["beyond_corpus_high"] < 0:
        reached += f", below {corpus}"
        if not is_judged and rows.loc["random_weights", "finds_strangers"] == "yes":
            reached += "; at random weights it ends below the least alike, too (dashed)"
    elif is_judged:
        reached += f": {'above' if row['beyond_corpus_low'] > 0 else 'not surely below'} {corpus}"
    if row["finds_opposites"] != "yes":
        is_any = is_judged and free["finds_opposites"] == "yes"
        return f"No {'fluent ' if is_any else ''}opposites: {reached}"
    unsaid = "" if is_judged else "; whether texts are fluent is not checkable here"
    return f"Opposites are found: {reached}{unsaid}"


def _tables(results: Results, label: str, n_listed: int, digits: int) -> str:
    named = results["texts"]["search"].fillna("none: the sentence")
    texts = results.for_readers("texts", results["texts"].assign(search=named))
    listed = texts[texts["number"] <= n_listed] if len(texts) else texts
    return tables_page(
        f"Opposite texts of {label}",
        STAGE,
        section(
            "Searches",
            f"Opposites: a mean smallest cosine of at most {OPPOSITE:g}; stranger: below the "
            "least alike sentence of the corpora; both beyond random words. Where a search at "
            "random weights gets as far, its row says yes, and those of the model say no.",
            markdown_table(results.for_readers("searches"), digits),
        ),
        section(
            "Texts",
            "Corpus: the least alike sentence.",
            markdown_table(listed, digits),
        ),
        section(
            "Steps", "Means over sentences.", markdown_table(results.for_readers("csv"), digits)
        ),
    )
