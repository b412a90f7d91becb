"""Figure and tables of `measure_synonyms`: Luisto's figure 23, and whether meaning is behind it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, new_figure, say_instead, shade
from embspace.draw.page.looks import POOLINGS
from embspace.draw.sentences.synonym_tables import BAG, frame_of, last_layer, synonym_tables

RESULTS = ("json", "groups.csv", "group_pairs.csv", "slots.csv", "contrasts.csv", "map.csv")
MAPS = {"groups": "Groups, last layer", "groups_and_random": "With random sentences"}
COSINES = {"within_cosine": ("within groups", "C0"), "between_cosine": ("between groups", "C1")}
KINDS = {
    "swapped_roles": ("same words, swapped", "C3"),
    "negation": ("same words, negated", "C1"),
    "paraphrase": ("paraphrases", "C0"),
    "unrelated": ("unrelated", "C2"),
}

SHORT = {"cls": "first token", "mean": "mean pooling", "max": "maximum"}


def draw_synonyms(
    results: dict[str, Any], label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Maps, cosines by layer of groups and of contrasts, meanings found again, changed words."""
    groups, slots, contrasts = results["groups"], results["slots"], results["contrasts"]
    figure, axes = new_figure(
        4,
        3,
        height_mm=height_mm,
        title=_finding(contrasts),
        subtitle=f"{label} · {_numbers(groups, contrasts)} · layer 0: embedding output",
        stage="measure_synonyms",
    )
    if groups.empty:
        say_instead(axes, "the model has no tokenizer, so that it reads no sentence")
        return figure, f"# Synonyms in {label}\n\nThe model reads no text.\n"
    handles = _maps(axes, results["map"], results["json"])
    _key(axes[2], handles)
    for ax, pooling in zip(axes[3:6], POOLINGS, strict=True):
        rows = groups[groups["sentences"] == "groups"]
        for quantity, (words, color) in COSINES.items():
            _by_layer(ax, rows, pooling, quantity, words, color)
        ax.set(title=f"Groups, {SHORT[pooling]}", xlabel="layer", ylim=(-0.08, 1.04))
    for ax, pooling in zip(axes[6:9], POOLINGS, strict=True):
        for kind, (words, color) in KINDS.items():
            _by_layer(ax, contrasts[contrasts["kind"] == kind], pooling, "cosine", words, color)
        ax.set(title=f"Pairs, {SHORT[pooling]}", xlabel="layer", ylim=(-0.08, 1.04))
    for ax in (axes[3], axes[6]):
        ax.set_ylabel("mean cosine")
        # Over the lines of the bag of words, under the nearly equal first tokens.
        ax.legend(loc="center left", bbox_to_anchor=(0, 0.58), labelspacing=0.3)
    _relative(axes[9], contrasts)
    _found_again(axes[10], groups)
    _changed(axes[11], slots)
    return figure, synonym_tables(results, label, digits)


def _finding(contrasts: pd.DataFrame) -> str:
    """Whether paraphrases or negations are more alike at the last layer, in each pooling."""
    rows = contrasts[contrasts["pooling"].isin([*POOLINGS])] if len(contrasts) else contrasts
    if rows.empty:
        return "The model reads no sentence"
    cosines = last_layer(rows).pivot(index="pooling", columns="kind", values="cosine")
    closer = cosines["negation"] > cosines["paraphrase"]
    pooling = str((cosines["negation"] - cosines["paraphrase"]).abs().idxmax())
    one, other = cosines.loc[pooling, ["paraphrase", "negation"]]
    is_closer = bool(closer[pooling])
    return (
        f"A sentence is {'less' if is_closer else 'more'} like its paraphrase ({one:.2f}) than "
        f"like its negation ({other:.2f}): mean cosines of {SHORT[pooling]}, last layer; so in "
        f"{int((closer == is_closer).sum())} of {len(closer)} poolings"
    )


def _numbers(groups: pd.DataFrame, contrasts: pd.DataFrame) -> str:
    if groups.empty:
        return "nothing to show"
    sets = groups.drop_duplicates("sentences").set_index("sentences")[["n", "n_groups"]]
    sentences, meanings = sets.loc[["groups_and_random", "meanings"]].to_numpy().tolist()
    pairs = contrasts.drop_duplicates("kind").set_index("kind")["n_pairs"]
    n_controls = pairs.drop(["paraphrase", "unrelated"]).sum()
    return (
        f"{counted(sentences[0], 'sentence')} in {counted(sentences[1], 'group')} · "
        f"{counted(meanings[1], 'meaning')} in {counted(meanings[0], 'sentence')} · "
        f"{counted(n_controls, 'control')}"
    )


def _maps(axes: Sequence[Axes], coordinates: pd.DataFrame, shares: dict[str, Any]) -> list[Line2D]:
    """The maps of the first pooling; what stands for each group."""
    pooling = coordinates["pooling"].iloc[0]
    names = list(dict.fromkeys(coordinates["group"]))
    rows = coordinates[coordinates["pooling"] == pooling]
    for ax, (sentences, title) in zip(axes, MAPS.items(), strict=False):
        for number, name in enumerate(names):
            part = rows[(rows["sentences"] == sentences) & (rows["group"] == name)]
            ax.plot(part["component_1"], part["component_2"], ".", color=f"C{number}", alpha=0.7)
        share = shares[f"{pooling}_{sentences}"]
        ax.set_title(title)
        ax.set_aspect("equal", adjustable="datalim")
        for axis, number in ((ax.xaxis, 1), (ax.yaxis, 2)):
            percent = 100 * share[f"explained_variance_{number}"]
            axis.set_label_text(f"component {number} ({percent:.0f} %)")
    return [
        Line2D(
            [],
            [],
            linestyle="none",
            marker=".",
            color=f"C{number}",
            label=str(name).replace("_", " "),
        )
        for number, name in enumerate(names)
    ]


def _key(ax: Axes, groups: list[Line2D]) -> None:
    """In a panel of its own: what points and lines of all panels are."""
    ax.set_axis_off()
    style = {"alignment": "left", "borderaxespad": 0}
    ax.add_artist(
        ax.legend(handles=groups, loc="upper left", title="Maps", handlelength=0.8, **style)
    )
    lines: list[Line2D | Patch] = [
        Line2D([], [], color="0.3", label="trained"),
        Patch(color="0.3", alpha=0.2, linewidth=0, label="its interval"),
        Line2D([], [], color="0.3", linestyle="--", linewidth=0.9, label="random weights"),
        Line2D([], [], color="0.3", linestyle=":", label="bag of words"),
    ]
    ax.legend(handles=lines, loc="upper right", title="Lines", **style)


def _by_layer(
    ax: Axes, rows: pd.DataFrame, pooling: str, quantity: str, words: str, color: str
) -> None:
    """A quantity by layer; the bag of words, which has none, across all."""
    own, bag = rows[rows["pooling"] == pooling], rows[rows["pooling"] == BAG]
    _lines(ax, own, "layer", quantity, words, color)
    for value in bag[quantity]:
        ax.axhline(value, color=color, linestyle=":")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _lines(ax: Axes, rows: pd.DataFrame, x: str, quantity: str, words: str, color: str) -> None:
    shade(ax, rows, x, quantity, color=color, alpha=0.2)
    ax.plot(rows[x], rows[quantity], marker=".", color=color, label=words)
    random = rows[f"random_weights_{quantity}"]
    ax.plot(rows[x], random, color=color, linestyle="--", linewidth=0.9)


def _of_poolings(ax: Axes, rows: pd.DataFrame, quantity: str) -> None:
    """A quantity by layer, a line a pooling."""
    for pooling, (name, color, *_) in POOLINGS.items():
        _lines(ax, rows[rows["pooling"] == pooling], "layer", quantity, name, color)
    for value in rows.loc[rows["pooling"] == BAG, quantity]:
        ax.axhline(value, color="black", linestyle=":")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("layer")


def _relative(ax: Axes, contrasts: pd.DataFrame) -> None:
    _of_poolings(ax, contrasts[contrasts["kind"] == "negation"], "relative_similarity")
    ax.set(title="Paraphrases", ylabel="unrelated (0) to negation (1)", ylim=(-0.08, 1.04))
    ax.legend(loc="upper left")


def _found_again(ax: Axes, groups: pd.DataFrame) -> None:
    _of_poolings(ax, groups[groups["sentences"] == "meanings"], "nearest_in_group")
    ax.set(title="Nearest of same meaning", ylabel="share of sentences", ylim=(-0.08, 1.04))


def _changed(ax: Axes, slots: pd.DataFrame) -> None:
    """Of the last layer: distance by the number of changed words."""
    rows = last_layer(slots[slots["group"] == frame_of(slots)])
    for pooling, (name, color, *_) in POOLINGS.items():
        _lines(ax, rows[rows["pooling"] == pooling], "n_changed", "relative_distance", name, color)
    bag = rows[rows["pooling"] == BAG]
    ax.plot(bag["n_changed"], bag["relative_distance"], color="black", linestyle=":")
    ax.set(title="Words replaced", xlabel="words replaced, last layer", ylim=(0, None))
    ax.set(ylabel="relative distance", xticks=np.unique(rows["n_changed"]))
