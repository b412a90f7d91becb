"""Draws the groups of `measure_synonyms` on a map: Luisto's figure 23."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, new_figure, say_instead
from embspace.draw.page.looks import BLACK, BLUE, GRAY, GREEN, TEXT_POOLINGS, VERMILION
from embspace.draw.page.saving import Results
from embspace.draw.page.wording import side_by_side
from embspace.draw.sentences.synonym_tables import BAG, last_layer, synonym_tables

STAGE = "measure_synonyms"
DIFFERENCE = "paraphrase_minus_kind_cosine"  # of the mean cosines, with its interval
SENTENCES = {"groups": "Groups of synonyms", "groups_and_random": "With random sentences"}
"""Groups of sentences on each of the two maps, which have principal components of their own."""
# One for each group, and none of a pooling's colors.
COLORS = (BLUE, VERMILION, GREEN, BLACK, "#8C510A", "0.65", GRAY)
MARKERS = "o^sDvPX"
SHORT = {pooling: look.name for pooling, look in TEXT_POOLINGS.items()}


def draw_synonyms(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the groups on a map of their own, and with random sentences."""
    groups = results["groups"]
    title, subtitle = _finding(groups, results["map"]), f"{label} · {_numbers(results)}"
    figure, axes = new_figure(
        1, 3, height_mm=height_mm, title=title, subtitle=subtitle, stage=STAGE
    )
    if groups.empty:
        say_instead(axes, "the model has no tokenizer, so that it reads no sentence")
        return figure, f"# Synonyms in {label}\n\nThe model reads no text.\n"
    for ax, sentences in zip(axes, SENTENCES, strict=False):
        handles = _map(ax, results["map"], results["json"], sentences)
    for place, (of, purity) in zip((0.12, 0.03), _purities(groups, results["map"]), strict=True):
        words = f"purity of clusters, {of}: {purity:.2f}"
        axes[0].text(0.98, place, words, transform=axes[0].transAxes, fontsize=7, ha="right")
    axes[2].set_axis_off()
    axes[2].legend(handles=handles, loc="center left", title="Groups", alignment="left")
    return figure, synonym_tables(results, label, digits)


def _purities(groups: pd.DataFrame, coordinates: pd.DataFrame) -> list[tuple[str, float]]:
    """Return the purity of clusters of groups by the vectors of the map, and by words."""
    pooling = coordinates["pooling"].iloc[0]
    own = last_layer(groups[groups["sentences"] == "groups"]).set_index("pooling")["purity"]
    return [(SHORT[pooling], float(own[pooling])), ("counts of words", float(own[BAG]))]


def _finding(groups: pd.DataFrame, coordinates: pd.DataFrame) -> str:
    """Return the title: how well clusters are the groups, beside clusters of words."""
    if groups.empty:
        return "The model reads no sentence"
    (name, own), (_, words) = _purities(groups, coordinates)
    verb = "beyond" if own > words else "no better than"
    return (
        f"Groups of synonyms part by {name}, {verb} counts of their words: clusters of purity "
        f"{own:.2f} against {words:.2f}"
    )


def meaning_or_wording(contrasts: pd.DataFrame) -> str:
    """Return whether a paraphrase or a negation is more like its sentence, by mean pooling.

    One is if the interval of the difference leaves out zero.

    Args:
        contrasts: The rows of the last layer.
    """
    rows = contrasts[contrasts["pooling"] == "mean"] if len(contrasts) else contrasts
    if rows.empty:
        return "The model reads no sentence"
    by_kind = rows.set_index("kind")
    values = by_kind["cosine"].loc[["paraphrase", "negation"]]
    one, other = side_by_side(values.tolist(), 2, differ=False)
    low, high = (by_kind[f"{DIFFERENCE}_{end}"].loc["negation"] for end in ("low", "high"))
    if not (low > 0 or high < 0):
        return (
            f"A sentence is not surely more or less like its paraphrase ({one}) than like its "
            f"negation ({other})"
        )
    return (
        f"A sentence is {'more' if low > 0 else 'less'} like its paraphrase ({one}) than like its "
        f"negation ({other})"
    )


def _numbers(results: Results) -> str:
    groups = results["groups"]
    if groups.empty:
        return "nothing to show"
    sets = groups.drop_duplicates("sentences").set_index("sentences")[["n", "n_groups"]]
    n_sentences, n_groups = sets.loc["groups_and_random"].tolist()
    shown = SHORT[results["map"]["pooling"].iloc[0]]
    return (
        f"{counted(n_sentences, 'sentence')} in {counted(n_groups, 'group')} · last layer, {shown} "
        "· clusters of average linkage, as many as groups"
    )


def _map(
    ax: Axes, coordinates: pd.DataFrame, shares: dict[str, Any], sentences: str
) -> list[Line2D]:
    """Draw a map by the first pooling, and return a legend handle for each group."""
    pooling = coordinates["pooling"].iloc[0]
    names = list(dict.fromkeys(coordinates["group"]))
    is_shown = (coordinates["pooling"] == pooling) & (coordinates["sentences"] == sentences)
    for number, name in enumerate(names):
        part = coordinates[is_shown & (coordinates["group"] == name)]
        if len(part):
            ax.plot(part["component_1"], part["component_2"], **_group_look(number))
    ax.set_title(SENTENCES[sentences])
    ax.set_aspect("equal", adjustable="datalim")
    for axis, number in ((ax.xaxis, 1), (ax.yaxis, 2)):
        percent = 100 * shares[f"{pooling}_{sentences}"][f"explained_variance_{number}"]
        axis.set_label_text(f"component {number} ({percent:.0f} %)")
    return [
        Line2D([], [], label=name.replace("_", " "), **_group_look(number))
        for number, name in enumerate(names)
    ]


def _group_look(number: int) -> dict[str, Any]:
    return {
        "linestyle": "none",
        "color": COLORS[number % len(COLORS)],
        "marker": MARKERS[number % len(MARKERS)],
        "markersize": 3.5,
        "markeredgewidth": 0,
        "alpha": 0.6,
    }
