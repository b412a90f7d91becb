"""Draws whether clusters of sentences are meanings, by layer, and Luisto's map of groups."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, draw_line, new_figure, say_instead, write_beside
from embspace.draw.page.direct_labels import name_lines, spread
from embspace.draw.page.looks import (
    BLACK,
    BLUE,
    GREEN,
    NULLS,
    TEXT_POOLINGS,
    VERMILION,
    pooling_looks,
)
from embspace.draw.page.saving import Results
from embspace.draw.sentences.synonym_tables import BAG, last_layer, synonym_tables

STAGE = "measure_synonyms"
MEANINGS, GROUPS = "meanings", "groups"  # sentences in other words, and in nearly the same
RANDOM = NULLS["random_initialization"]
COLORS = (BLUE, VERMILION, GREEN, BLACK, "#8C510A")  # of groups; none is a pooling's
MARKERS = "o^sDv"
GAP = 0.12  # between names of groups, as a share of the map's height


def draw_synonyms(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the purity of clusters of meanings by layer, and a map of the groups of synonyms."""
    groups = results["groups"]
    title, subtitle = _finding(groups), f"{label} · {_numbers(results)}"
    figure, axes = new_figure(
        1, 2, height_mm=height_mm, title=title, subtitle=subtitle, stage=STAGE
    )
    if groups.empty:
        say_instead(axes, "the model has no tokenizer, so that it reads no sentence")
        return figure, f"# Synonyms in {label}\n\nThe model reads no text.\n"
    _purity(axes[0], groups[groups["sentences"] == MEANINGS])
    _map(axes[1], results["map"], results["json"])
    axes[1].set_title(_control(groups, results["map"]["pooling"].iloc[0]))
    return figure, synonym_tables(results, label, digits)


def _finding(groups: pd.DataFrame) -> str:
    """Return the title: how well clusters are the meanings, beside the best null."""
    if groups.empty:
        return "The model reads no sentence"
    rows = last_layer(groups[groups["sentences"] == MEANINGS]).set_index("pooling")
    named = _named(rows.index)
    own, words = float(rows["purity"][named]), float(rows["purity"][BAG])
    random = float(rows["random_weights_purity"][named])
    null, name = max((words, "counts of words"), (random, RANDOM.name))
    verb = "gathers" if own > null else "does not gather"
    return (
        f"At the last layer {_called(named)} {verb} one meaning in other words: purity of clusters "
        f"{own:.2f}, by {name} {null:.2f}"
    )


def _named(poolings: Iterable[str]) -> str:
    """Return the pooling of the title: of a decoder its last token, which has seen all others."""
    return "last" if "last" in pooling_looks(poolings) else "mean"


def _called(pooling: str) -> str:
    name = TEXT_POOLINGS[pooling].name
    return name if name.endswith("pooling") else f"the {name}"


def _control(groups: pd.DataFrame, pooling: str) -> str:
    """Return the heading of the map: the purity of groups that share nearly all words."""
    row = last_layer(groups[groups["sentences"] == GROUPS]).set_index("pooling").loc[pooling]
    return (
        f"Nearly the same words: purity {row['purity']:.2f},\n"
        f"{RANDOM.name} {row['random_weights_purity']:.2f}"
    )


def _numbers(results: Results) -> str:
    groups = results["groups"]
    if groups.empty:
        return "nothing to show"
    sets = groups.drop_duplicates("sentences").set_index("sentences")[["n", "n_groups"]]
    (n, n_meanings), (n_similar, n_groups) = sets.loc[[MEANINGS, GROUPS]].to_numpy()
    pooling = results["map"]["pooling"].iloc[0]
    at_random = TEXT_POOLINGS[_named(groups["pooling"])].name
    return (
        f"a: {counted(n, 'sentence')}, {counted(n_meanings, 'meaning')} in other words, as many "
        "clusters by average linkage; purity: share of sentences of their cluster's main meaning; "
        f"random weights: {at_random} · b: {counted(n_similar, 'sentence')} in "
        f"{counted(n_groups, 'group')}, last layer, {TEXT_POOLINGS[pooling].name}"
    )


def _purity(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw the purity of the poolings by layer, named with the last value, above the nulls."""
    for pooling, look in pooling_looks(rows["pooling"]).items():
        own = rows[rows["pooling"] == pooling]
        name = f"{look.name} {own['purity'].iloc[-1]:.2f}"
        draw_line(ax, own, "layer", "purity", look._replace(name=name), ms=6)
        if pooling == _named(rows["pooling"]):
            layers, random = own["layer"], own["random_weights_purity"]
    words = rows.loc[rows["pooling"] == BAG, "purity"].iloc[0]
    level, name = np.full(len(layers), words), f"counts of words {words:.2f}"
    ax.plot(layers, level, color=BLACK, ls="--", label=name)
    name = f"{RANDOM.name} {random.iloc[-1]:.2f}"
    ax.plot(layers, random, color=RANDOM.color, ls=RANDOM.line, label=name)
    ax.set(ylim=(0, 1.03), xlabel="layer (0: embedding output)", ylabel="purity of clusters")
    ax.set_title("One meaning in other words")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    name_lines(ax, 0.07)


def _map(ax: Axes, coordinates: pd.DataFrame, shares: dict[str, Any]) -> None:
    """Draw the groups by the first pooling, named at the right."""
    pooling = coordinates["pooling"].iloc[0]
    is_shown = (coordinates["pooling"] == pooling) & (coordinates["sentences"] == GROUPS)
    shown = coordinates[is_shown]
    places = shown.groupby("group", sort=False)[["component_1", "component_2"]]
    ends, heights = places.max()["component_1"], places.mean()["component_2"]
    gap = GAP * float(np.ptp(shown["component_2"]))
    names = zip(places, ends, spread(heights, gap), strict=True)
    for number, ((name, part), end, height) in enumerate(names):
        color = COLORS[number % len(COLORS)]
        marker = MARKERS[number % len(MARKERS)]
        ax.plot(*part.to_numpy().T, marker, color=color, ms=3.5, mew=0, alpha=0.6)
        words = str(name).replace("_", " ")
        write_beside(ax, words, (end, height), (6, 0), color=color, va="center")
    ax.set_aspect("equal", adjustable="datalim")
    for axis, number in ((ax.xaxis, 1), (ax.yaxis, 2)):
        percent = 100 * shares[f"{pooling}_{GROUPS}"][f"explained_variance_{number}"]
        axis.set_label_text(f"component {number} ({percent:.0f} %)")
