"""Draws which words of the texts have two uses, from `measure_word_uses`."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, new_figure, say_instead
from embspace.draw.page.direct_labels import name_lines
from embspace.draw.page.looks import BLUE, GRAY, VERMILION
from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.saving import Results
from embspace.draw.page.sections import page_of_parts

MOST_NAMED = 3  # words of the title
STAGE = "measure_word_uses"
TWO, NOT_TOLD = "two uses", "not told"
NONE = "Too few words of one token stand in many texts to seek two uses"
N_BARS, N_ROWS = 12, 25  # words in the figure and in the table; the CSV has all
PIECE = "##"  # begins a token that continues a word
USES = {1: (BLUE, "o"), 2: (VERMILION, "^")}


def draw_word_uses(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw how well known uses are told apart by layer, the words most apart, and an example."""
    table, layers = results["csv"], results["layers"]
    figure, axes = new_figure(
        1,
        3,
        height_mm=height_mm,
        title=_finding(table),
        subtitle=f"{label} · {_population(results)}",
        stage=STAGE,
    )
    text = _tables(results, label, digits)
    if table.empty:
        say_instead(axes, NONE)
        return figure, text
    tested = int(layers.loc[layers["tested"] == "yes", "layer"].iloc[0])
    _known(axes[0], layers, tested)
    _words(axes[1], table, tested)
    _word(axes[2], results)
    return figure, text


def _known(ax: Axes, layers: pd.DataFrame, tested: int) -> None:
    """Draw the purity of known uses by layer."""
    x = layers["layer"]
    ax.plot(x, layers["purity"], color=BLUE, marker="o", ms=4, label="the model")
    ax.fill_between(x, layers["purity_low"], layers["purity_high"], color=BLUE, alpha=0.2, lw=0)
    random = layers["random_weights_purity"]
    ax.plot(x, random, color=GRAY, marker="s", ms=3, label="random weights")
    low, high = (layers[f"dealt_purity_{end}"] for end in ("low", "high"))
    ax.fill_between(x, low, high, color=GRAY, alpha=0.25, lw=0)
    best = float(layers["purity"].iloc[tested])
    ax.plot(tested, best, marker="o", ms=9, mfc="none", mec=BLUE, ls="none", label="_tested")
    ax.annotate(f"{best:.2f}", (tested, best), (0, 7), textcoords="offset points", ha="center")
    ax.set(title="Known uses kept apart", ylabel="purity", ylim=(0.48, 1.02))
    ax.set_xlabel("layer (0: embedding output)")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    name_lines(ax, 0.08)


def _words(ax: Axes, table: pd.DataFrame, layer: int) -> None:
    """Draw the words whose parts lie farthest apart, above both nulls."""
    shown = table.head(N_BARS).iloc[::-1]
    y = np.arange(len(shown))
    ax.barh(y, shown["null_separation_high"], color=GRAY, alpha=0.25, height=0.8)
    ax.plot(shown["random_weights_separation"], y, "s", color=GRAY, ms=3)
    is_two = (shown["verdict"] == TWO).to_numpy()
    ax.plot(shown["separation"], y, "o", color=BLUE, mfc="none", ms=5)
    ax.plot(shown["separation"][is_two], y[is_two], "o", color=BLUE, ms=5)
    ax.set_yticks(y, shown["word"])
    n_two = int((table["verdict"] == TWO).sum())
    ax.set_title(f"{n_two} of {counted(len(table), 'word')} at layer {layer}")
    ax.set(xlabel="share of variance between uses", xlim=(0, None), ylim=(-0.6, len(y) - 0.4))


def _word(ax: Axes, results: Results) -> None:
    """Draw the occurrences of the first word, with an example of either use."""
    places, uses = results["places"], results["uses"]
    word = str(results["csv"]["word"].iloc[0])
    for use, (color, marker) in USES.items():
        own = places[(places["word"] == word) & (places["use"] == use)]
        ax.plot(own["first"], own["second"], marker, color=color, ms=4, ls="none")
    examples = uses[uses["number"] == 1].set_index("use")["examples"]
    for use, (color, _) in USES.items():
        ax.text(0.02, 1 - 0.075 * use, _short(examples[use]), color=color, transform=ax.transAxes)
    low, high = ax.get_ylim()
    ax.set_ylim(low, high + 0.3 * (high - low))
    ax.set(title=f"Occurrences of “{word}”", xlabel="first component", ylabel="second component")
    ax.set(xticks=[], yticks=[])


def _short(examples: str) -> str:
    """Return the first of several examples, with two whole words on each side of the word."""
    tokens = examples.split(" … ")[0].split()
    whole = " ".join(tokens).replace(f" {PIECE}", "").split()
    whole = whole[tokens[0].startswith(PIECE) : len(whole) - tokens[-1].startswith(PIECE)]
    place = next(number for number, token in enumerate(whole) if token.startswith("["))
    return " ".join(whole[max(0, place - 2) : place + 3])


def _finding(table: pd.DataFrame) -> str:
    if table.empty:
        return NONE
    if (table["verdict"] == NOT_TOLD).all():
        return "Known uses of words are not told apart beyond random weights, so no word's uses are"
    two = table[table["verdict"] == TWO]
    if two.empty:
        return (
            f"None of {counted(len(table), 'word')} has two uses beyond chance and random weights"
        )
    verb = "has" if len(two) == 1 else "have"
    named = ", ".join(f"“{word}”" for word in two["word"].head(MOST_NAMED))
    return (
        f"{len(two)} of {counted(len(table), 'word')} {verb} two uses beyond chance and "
        f"random weights: {named}{', …' * (len(two) > MOST_NAMED)}"
    )


def _population(results: Results) -> str:
    about = results["json"]
    if results["csv"].empty:
        return "n = 0"
    n_pairs = results["layers"]["n_pairs"].iloc[0]
    return (
        f"{corpus_called(about['corpus'])}, {counted(about['n_documents'], 'document')}; ring: "
        f"layer of b, c; {counted(results['csv']['n'].max(), 'occurrence')} of a word; known uses: "
        f"a word in the places of two, {counted(n_pairs, 'pair')} (blue: 95 % interval, gray: "
        "labels dealt anew); bars: clouds and curves of the same covariance, 95 %; squares: random "
        "weights; filled: two "
        f"uses, p corrected for {counted(len(results['csv']), 'word')}; b: the {N_BARS} of "
        "smallest p"
    )


def _tables(results: Results, label: str, digits: int) -> str:
    unshown = ["rank by texts", "p", "p at random weights"]
    words = results.for_readers("csv").drop(columns=unshown)
    parts = [
        (
            "Words",
            "Split by 2-means of one occurrence a text, with as many tokens around each; a split "
            "counts beyond Gaussian clouds and curves of the same covariance (adjusted p), and "
            f"beyond random weights. The first {N_ROWS}.",
            words.head(N_ROWS),
        ),
        (
            "Two uses of the first words",
            "Words that stand near more of this use than of the other (Fisher's test, all words "
            "near at once), and occurrences nearest to its mean.",
            results.for_readers("uses"),
        ),
        (
            "Known uses",
            "Wherever the second of two words stands, the first is put in its place: how pure the "
            "two parts of its states are, and in what share of pairs they are told apart.",
            results.for_readers("layers"),
        ),
    ]
    return page_of_parts(f"Words with two uses in {label}", STAGE, digits, *parts)
