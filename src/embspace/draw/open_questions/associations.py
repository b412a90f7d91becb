"""Draws effect sizes of associations between sets of words, by vectors and layer."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    counted,
    draw_line,
    legend_below,
    new_figure,
    say_instead,
    shade,
)
from embspace.draw.page.looks import BLUE, NULLS, VERMILION, Look
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results

STAGE = "measure_associations"
FURTHER_RESULTS = ("conf/measure/open_questions/associations.yaml",)
MEASURED_WITH = FURTHER_RESULTS[0]
EMBEDDING = -1  # the place of the token embeddings on the axis of layers
LOOKS = {
    "state": Look("words (WEAT)", BLUE, "o", "-"),
    "sentence": Look("sentences (SEAT)", VERMILION, "s", "--"),
}
AT_RANDOM = NULLS["random_initialization"]
N_COLUMNS = 3
DODGE = 0.1  # of a layer, so that no mark hides another
FEW = 0.1  # of the places of a test, of which a few may be present by chance


def draw_associations(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw a panel for each test; filled marks are present by the rule."""
    table, counts, settings = results["csv"], results["json"], results[MEASURED_WITH]
    tests = [*dict.fromkeys(table["test"])]
    n_rows = max(1, -(-len(tests) // N_COLUMNS))
    figure, axes = new_figure(
        n_rows,
        N_COLUMNS,
        height_mm=height_mm * n_rows,
        title=_finding(table),
        subtitle=f"{label} · {counted(counts['n_words'], 'word')} · E: token embeddings · shaded: "
        f"{100 * settings['level']:g} % intervals over words · filled: present (exact one-sided "
        f"p times layers < {settings['alpha']:g}, but not p of random weights; below 0 none is)",
        stage=STAGE,
    )
    text = _tables(results, label, digits)
    if table.empty:
        say_instead(axes, "the model reads no words")
        return figure, text
    for ax, name in zip(axes, tests, strict=False):
        _panel(ax, table[table["test"] == name], is_any="yes" in {*table["is_present"]})
        first, second, *attributes = settings["tests"].get(name, ["", "", "", ""])
        control = " (control)" if _is_control(name) else ""
        words = f"{first}, {second}{control}:\n{attributes[0]}, {attributes[1]}"
        ax.set_title(words.replace("_", " "))
    lowest = min(0, table[["effect_low", "random_weights_effect"]].min().min())
    for ax in axes[: len(tests)]:
        ax.set_ylim(lowest - 0.1, 2.1)
    for ax in axes[len(tests) :]:
        ax.set_axis_off()
    for ax in axes[::N_COLUMNS]:
        ax.set_ylabel("effect size")
    for ax in axes[max(0, len(tests) - N_COLUMNS) : len(tests)]:
        ax.set_xlabel("layer")
    legend_below(figure, axes[:1], ncols=4)
    return figure, text


def _is_control(test: str) -> bool:
    """Return whether a test compares words of one kind, as trees with further trees."""
    one, _, other = test.partition("_")
    return one == other


def _name(test: object) -> str:
    return str(test).replace("_", "-")


def _names(table: pd.DataFrame) -> pd.Series:
    return table["test"].map(_name)


def _finding(table: pd.DataFrame) -> str:
    """Return the title: the tests with an association at all layers, at some, at none.

    Words and sentences count alike, as the marks in a panel do.
    """
    if table.empty:
        return "No sets of words to compare"
    present = (table["is_present"] == "yes").groupby(table["test"]).mean()
    if not present.any():
        return f"No association is present at any layer: {', '.join(map(_name, present.index))}"
    parts = [
        f"{where}: {', '.join(map(_name, present.index[is_there]))}"
        for where, is_there in (
            ("at all layers", present == 1),
            ("at some", (present >= FEW) & (present < 1)),
            ("at few, as by chance", (present > 0) & (present < FEW)),
            ("at no layer", present == 0),
        )
        if is_there.any()
    ]
    return f"Associations are present, in words or sentences, {'; '.join(parts)}"


def _panel(ax: Axes, rows: pd.DataFrame, *, is_any: bool) -> None:
    """Draw the effects of a test; the key has filled marks if any test has."""
    ax.axhline(0, color="black", lw=0.6)
    for (vectors, look), shift in zip(LOOKS.items(), (-DODGE, DODGE), strict=True):
        kinds = ("input", vectors) if vectors == "state" else (vectors,)
        own = rows[rows["vectors"].isin(kinds)]
        own = own.assign(place=own["layer"].where(own["vectors"] != "input", EMBEDDING))
        own = own.assign(place=own["place"] + shift).sort_values("place")
        ax.plot(own["place"], own["effect"], ls=look.line, color=look.color)
        shade(ax, own, "place", "effect", color=look.color, alpha=0.12)
        for is_present, face in (("yes", look.color), ("no", "white")):
            marked = own[own["is_present"] == is_present]
            ax.plot(
                marked["place"],
                marked["effect"],
                look.marker,
                ms=4,
                color=look.color,
                markerfacecolor=face,
            )
        key = ax.plot([], [], look.marker, ls=look.line, color=look.color, ms=4, label=look.name)
        key[0].set_markerfacecolor(look.color if is_any else "white")
        random = AT_RANDOM._replace(line=look.line, name=f"{AT_RANDOM.name}, {look.name}")
        draw_line(ax, own, "place", "random_weights_effect", random, lw=0.9)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    ticks = [tick for tick in ax.get_xticks() if 0 <= tick <= rows["layer"].max()]
    ax.set_xticks([EMBEDDING, *ticks], ["E", *(f"{tick:g}" for tick in ticks)])


def _tables(results: Results, label: str, digits: int) -> str:
    effects = results.for_readers("csv", results["csv"].assign(test=_names(results["csv"])))
    last = effects[effects["layer"] == effects["layer"].max()]
    return tables_page(
        f"Associations of words in {label}",
        STAGE,
        section(
            "Effects at the last layer",
            "State: the word in frame sentences. Sentence: mean of all states of the sentences, in "
            "which words differ less than frames are alike. Present: by the rule.",
            markdown_table(last.drop(columns="layer"), digits),
        ),
        section("Effects", "All layers, and the embeddings.", markdown_table(effects, digits)),
        section(
            "Words",
            "Mean cosine with the first attribute set less the second.",
            markdown_table(
                results.for_readers(
                    "words", results["words"].assign(test=_names(results["words"]))
                ),
                digits,
            ),
        ),
        section(
            "Professions",
            "Do professions of mostly women and of mostly men, by our judgment, follow the "
            "direction from male to female words? Correlation, and the share of squared errors "
            "that a line saves for professions held out; below 0, the mean does better. Beside: "
            "values dealt anew, directions between any words of the vocabulary (a null added after "
            "results), and random weights. Professions are few.",
            markdown_table(results.for_readers("professions"), digits),
        ),
    )
