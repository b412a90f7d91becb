"""Draws the groups and pairs of `measure_synonyms`: Luisto's figure 23, and its controls."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    count,
    counted,
    join_panels,
    new_figure,
    say_instead,
    sentence_case,
)
from embspace.draw.page.looks import (
    BLACK,
    BLUE,
    GRAY,
    GREEN,
    MODELS,
    TEXT_POOLINGS,
    VERMILION,
    Look,
    pooling_looks,
)
from embspace.draw.page.saving import Results
from embspace.draw.page.wording import side_by_side
from embspace.draw.sentences.synonym_tables import BAG, frame_of, last_layer, synonym_tables

STAGE = "measure_synonyms"
SENTENCES = {"groups": "Groups of synonyms", "groups_and_random": "With random sentences"}
"""Groups of sentences on each of the two maps, which have principal components of their own."""
KINDS = {
    "unrelated": "unrelated",
    "paraphrase": "paraphrases",
    "negation": "negation,\nsame words",
    "swapped_roles": "swapped roles,\nsame words",
}
# One for each group, and none of a pooling's colors.
COLORS = (BLUE, VERMILION, GREEN, BLACK, "#8C510A", "0.65", GRAY)
MARKERS = "o^sDvPX"
DODGE = 0.2  # between two poolings, where two kinds or counts are 1 apart
SHORT = {pooling: look.name for pooling, look in TEXT_POOLINGS.items()}


def draw_synonyms(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw maps of groups, cosines of kinds of pairs, and distances by words replaced."""
    groups, contrasts = results["groups"], results["contrasts"]
    title, subtitle = _finding(contrasts), f"{label} · {_numbers(results)}"
    figure, axes = new_figure(
        2, 3, height_mm=height_mm, title=title, subtitle=subtitle, stage=STAGE
    )
    if groups.empty:
        say_instead(axes, "the model has no tokenizer, so that it reads no sentence")
        return figure, f"# Synonyms in {label}\n\nThe model reads no text.\n"
    for ax, sentences in zip(axes, SENTENCES, strict=False):
        handles = _map(ax, results["map"], results["json"], sentences)
    axes[2].set_axis_off()
    axes[2].legend(handles=handles, loc="center left", title="Groups", alignment="left")
    _pairs(join_panels(axes[3:5]), last_layer(contrasts))
    _changed(axes[5], last_layer(results["slots"]))
    figure.legend(handles=_marks(groups), loc="outside lower left", ncols=5, columnspacing=1)
    return figure, synonym_tables(results, label, digits)


def _finding(contrasts: pd.DataFrame) -> str:
    """Return the title: whether a paraphrase or a negation is more like its sentence."""
    rows = contrasts[contrasts["pooling"].isin([*TEXT_POOLINGS])] if len(contrasts) else contrasts
    if rows.empty:
        return "The model reads no sentence"
    rows = last_layer(rows)
    cosines = rows.pivot(index="pooling", columns="kind", values="cosine")
    closer = cosines["negation"] > cosines["paraphrase"]
    pooling = str((cosines["negation"] - cosines["paraphrase"]).abs().idxmax())
    both = cosines.loc[[pooling], ["paraphrase", "negation"]].to_numpy()[0].tolist()
    one, other = side_by_side(both, 2, differ=False)
    if one == other:
        return (
            f"A sentence is as much like its paraphrase ({one}) as like its negation ({other}): "
            f"mean cosines of {SHORT[pooling]}, where they differ most{_at_random(rows, pooling)}"
        )
    is_closer = bool(closer[pooling])
    n_like, n = int((closer == is_closer).sum()), len(closer)
    how_many = f"all {n}" if n_like == n else f"{n_like} of {n}"
    return (
        f"A sentence is {'less' if is_closer else 'more'} like its paraphrase ({one}) than "
        f"like its negation ({other}): {SHORT[pooling]}, and so in {how_many} poolings"
        f"{_at_random(rows, pooling)}"
    )


def _at_random(rows: pd.DataFrame, pooling: str) -> str:
    """Return both cosines at random weights, which share the words; empty if unknown."""
    of_pooling = rows[rows["pooling"] == pooling].set_index("kind")["random_weights_cosine"]
    both = of_pooling[["paraphrase", "negation"]].tolist()
    if np.isnan(both).any():
        return ""
    return f"; random weights {', '.join(side_by_side(both, 2, differ=False))}"


def _numbers(results: Results) -> str:
    groups, contrasts = results["groups"], results["contrasts"]
    if groups.empty:
        return "nothing to show"
    sets = groups.drop_duplicates("sentences").set_index("sentences")[["n", "n_groups"]]
    sentences, meanings = sets.loc[["groups_and_random", "meanings"]].to_numpy().tolist()
    pairs = contrasts.drop_duplicates("kind").set_index("kind")["n_pairs"]
    shown = SHORT[results["map"]["pooling"].iloc[0]]
    n_controls = pairs.drop(["paraphrase", "unrelated"]).sum()
    return (
        f"{counted(sentences[0], 'sentence')} in {counted(sentences[1], 'group')} · "
        f"{counted(meanings[1], 'meaning')} in {counted(meanings[0], 'sentence')} · "
        f"{counted(n_controls, 'control')} · last layer, a and b: {shown} · bars: 95 % "
        "intervals · marks in d: each template of a sentence, line: their mean"
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


def _marks(groups: pd.DataFrame) -> list[Line2D]:
    """Return a legend handle for each pooling, random weights and the bag of words."""
    looks = [*pooling_looks(groups["pooling"]).values()]
    looks += [MODELS["random"], Look("bag of words", BLACK, "|")]
    return [
        Line2D([], [], ls="none", color=look.color, marker=look.marker, ms=5, label=look.name)
        for look in looks
    ]


def _pairs(ax: Axes, contrasts: pd.DataFrame) -> None:
    """Draw the mean cosine of each kind of pair in a row, with one mark for each pooling."""
    random = MODELS["random"]
    looks = pooling_looks(contrasts["pooling"]).items()
    by_kind = contrasts.set_index(["pooling", "kind"]).reindex(columns=contrasts.columns)
    rows = np.arange(len(KINDS))
    for shift, (pooling, look) in zip((-DODGE, 0, DODGE), looks, strict=True):
        own = by_kind.loc[pooling].loc[[*KINDS]]
        y = rows + shift
        ax.plot(own["random_weights_cosine"], y, random.marker, color=random.color, markersize=4)
        ax.hlines(y, own["cosine_low"], own["cosine_high"], color=look.color)
        ax.plot(own["cosine"], y, look.marker, color=look.color, markersize=5)
    bag = by_kind.loc[BAG].loc[[*KINDS], "cosine"]
    ax.vlines(bag, rows - 1.8 * DODGE, rows + 1.8 * DODGE, color=BLACK)
    n = by_kind.loc[BAG]["n_pairs"]
    names = [f"{sentence_case(words)} ({count(n[kind])})" for kind, words in KINDS.items()]
    ax.set_yticks(rows, names)
    ax.set(xlabel="mean cosine", title="Pairs of sentences (n pairs)")
    ax.set_ylim(len(KINDS) - 0.5, -0.5)
    ax.grid(visible=False, axis="y")


def _changed(ax: Axes, slots: pd.DataFrame) -> None:
    """Draw distances by the number of words replaced: marks for frames, a line for their mean."""
    random, frame = MODELS["random"], frame_of(slots)
    changed = slots[slots["n_changed"] > 0]
    looks = pooling_looks(slots["pooling"]).items()
    for shift, (pooling, look) in zip((-DODGE, 0, DODGE), looks, strict=True):
        own = changed[changed["pooling"] == pooling]
        mean, frames = own[own["group"] == frame], own[own["group"] != frame]
        x, of_random = mean["n_changed"] + shift, mean["random_weights_relative_distance"]
        ax.plot(x, mean["relative_distance"], color=look.color)
        dots = frames["n_changed"] + shift, frames["relative_distance"]
        ax.plot(*dots, look.marker, color=look.color, markersize=3.5)
        ax.plot(x, of_random, random.marker, color=random.color, markersize=4)
    bag = changed[(changed["pooling"] == BAG) & (changed["group"] == frame)]
    ends = bag["n_changed"] - 1.8 * DODGE, bag["n_changed"] + 1.8 * DODGE
    ax.hlines(bag["relative_distance"], *ends, color=BLACK)
    ax.set(title="Words replaced", xlabel="number of words replaced", ylim=(0, None))
    ax.set(ylabel="distance / that of two templates", xticks=np.unique(changed["n_changed"]))
