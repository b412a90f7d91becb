"""Draws islands of texts on a map, and how much labels of the texts say about them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    HALO,
    count,
    counted,
    new_figure,
    percent,
    say_instead,
    sentence_case,
    without_axes,
)
from embspace.draw.page.looks import (
    BLACK,
    GRAY,
    NULLS,
    ORANGE,
    POOLINGS,
    PREPARATIONS,
    PURPLE,
    SKY,
    corpus_looks,
)
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results

STAGE = "measure_text_islands"
FURTHER_RESULTS = ("conf/measure/open_questions/text_islands.yaml",)
MEASURED_WITH = FURTHER_RESULTS[0]
POINTS = "data/measured/text_islands.parquet"
MAP, SPACE = "tsne", "space"
TRAINED, RANDOM = "trained", "random"
ISLANDS = (PURPLE, ORANGE, BLACK, SKY)  # the largest of a map, unlike to the color-blind, too
MARKERS = ("o", "s", "^", "D")
LABELS = {name: name for name in ("source", "domain", "subject", "document", "length")}
LABELS |= {"domain": "domain (broad topic)", "subject": "subject (narrow topic)"}
LABELS |= {"document": "same document", "place": "place in the document"}
BELOW: dict[str, Any] = {"loc": "upper left", "fontsize": 7, "frameon": False}  # of a panel
MOST_MAPS = 2
MOST = 0.5  # share of an island's texts beyond which a subject or source names the island
INK = 2500.0  # area of all dots, in square points
N_WORDS = 3
AT_RANDOM = NULLS["random_initialization"]
HOLLOW = {"color": AT_RANDOM.color, "markerfacecolor": "white"}
# Method and weights -> name, look, and how far below the row of a label.
MARKS: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {
    (MAP, TRAINED): ("on the map", {"marker": "^", "color": BLACK, "y": -0.3}),
    (MAP, RANDOM): (f"on the map, {AT_RANDOM.name}", {"marker": "^", **HOLLOW, "y": -0.1}),
    (SPACE, TRAINED): ("in space", {"marker": "D", "color": BLACK, "y": 0.1}),
    (SPACE, RANDOM): (f"in space, {AT_RANDOM.name}", {"marker": "D", **HOLLOW, "y": 0.3}),
}
DEALT = "largest of labels dealt (not drawn: less)"
UNDECIDED = "undecided"
STABILITY = {
    "all stand": "all islands stand",
    "none stands": "no island stands",
    "no islands": "no island",
    UNDECIDED: "not decidable",
}
FAMILIES = {
    "sources": "the sources",
    "topics": "topics",
    "lengths": "lengths of texts",
    "places": "places in a document",
}


def draw_text_islands(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw a row per map: the islands, and the information shared with every label.

    Without any island there is no information, and no panel for it.
    """
    table, labels = results["csv"], results["labels"]
    maps = [*dict.fromkeys(table["map"])][:MOST_MAPS]
    n_rows = max(1, len(maps))
    n_columns = 2 if labels["information"].notna().any() else 1
    figure, axes = new_figure(
        n_rows,
        n_columns,
        height_mm=row_height_mm * n_rows + 18,
        title=_finding(results, maps),
        subtitle=_population(results, maps, label),
        stage=STAGE,
    )
    text = _tables(results, label, digits)
    if not maps:
        say_instead(axes, "no map of texts that this model reads")
        return figure, text
    points, islands = results[POINTS], results["islands"]
    for name, ax in zip(maps, axes[::n_columns], strict=True):
        _map(ax, points[points["map"] == name], _of(islands, name, MAP), _nulls(table, name))
        ax.set_title(_heading(table, name))
    if n_columns == 2:
        _draw_labels(axes[1::2], labels, maps)
    return figure, text


def _draw_labels(axes: Sequence[Axes], labels: pd.DataFrame, maps: Sequence[str]) -> None:
    """Draw the information shared by islands and labels, a panel per map, with a key."""
    for name, ax in zip(maps, axes, strict=True):
        _shared(ax, labels[labels["map"] == name])
        heading = sentence_case(f"{_called(name)}, islands and labels on the map:")
        ax.set_title(f"{heading}\n{_most_like(labels, name)}")
    marks = dict(zip(*reversed(axes[0].get_legend_handles_labels()), strict=True))
    under: dict[str, Any] = {"bbox_to_anchor": (-0.65, 0), "borderaxespad": 4.6, "columnspacing": 1}
    axes[0].legend(marks.values(), marks.keys(), ncols=2, **BELOW, **under)


def _called(name: str) -> str:
    return name.replace("_", " ")


def _of(table: pd.DataFrame, name: str, method: str) -> pd.DataFrame:
    return table[(table["map"] == name) & (table["method"] == method)]


def _last(table: pd.DataFrame, name: str, method: str, weights: str) -> pd.DataFrame:
    """Return the rows of the last space at its last layer."""
    own = _of(table, name, method)
    own = own[own["weights"] == weights]
    if own.empty:
        return own
    keys = ["pooling", "preparation", "layer"]
    return own[(own[keys] == own[keys].iloc[-1]).all(axis=1)]


def _finding(results: Results, maps: Sequence[str]) -> str:
    """Return the title: the family of every map's islands, and whether the islands hold."""
    last = {name: _last_of_weights(results["csv"], name) for name in maps}
    if last and not any(seen["n_standing"] for seen, _ in last.values()):
        return _none_stands(last)
    parts = [f"{_called(name)}: {_said(*rows)}" for name, rows in last.items()]
    return sentence_case("; ".join(parts)) or "No map of texts"


def _last_of_weights(table: pd.DataFrame, name: str) -> tuple[pd.Series, pd.Series]:
    """Return the rows of the islands on a map, trained and at random weights."""
    seen, at_random = (_last(table, name, MAP, weights).iloc[-1] for weights in (TRAINED, RANDOM))
    return seen, at_random


def _none_stands(last: dict[str, tuple[pd.Series, pd.Series]]) -> str:
    """Return the title for maps without a standing island."""
    where = f"on the t-SNE map{'s' * (len(last) > 1)}"
    if not any(row["n_islands"] for rows in last.values() for row in rows):
        return f"No islands of texts {where}, nor with {AT_RANDOM.name}"
    undecided = [name for name, (seen, _) in last.items() if seen["stability"] == UNDECIDED]
    standing = {name: int(row["n_standing"]) for name, (_, row) in last.items()}
    which = f" ({', '.join(map(_called, undecided))})" if len(undecided) < len(last) else ""
    why = f": Gaussian clouds have as stable ones{which}" if undecided else ""
    at_random = [
        f"{n} stand{'s' * (n == 1)} ({_called(name)})" for name, n in standing.items() if n
    ]
    beside = f"; {AT_RANDOM.name}: {', '.join(at_random)}" if at_random else ""
    return f"No island of texts stands {where}{why}{beside}"


def _said(seen: pd.Series, at_random: pd.Series) -> str:
    n, standing = int(seen["n_islands"]), int(seen["n_standing"])
    n_random = int(at_random["n_standing"])
    beside = f" (random weights: {n_random})" if n_random else ""
    if standing:
        which = "islands" if standing == n else f"{standing} of {n} islands stand, and all"
        if n_random and at_random["verdict"] == seen["verdict"]:
            beside = ", as with random weights"
        family = FAMILIES.get(seen["verdict"], "of no one family")
        return f"{which} are {family}{beside or '; with random weights none stands'}"
    if seen["stability"] == UNDECIDED:
        return "islands not decidable, Gaussian clouds have as stable ones"
    return f"no island stands on the t-SNE map{beside}"


def _heading(table: pd.DataFrame, name: str) -> str:
    seen = _last(table, name, MAP, TRAINED).iloc[-1]
    stability = STABILITY.get(seen["stability"], f"{seen['n_standing']} stand")
    texts = f"t-SNE map of {counted(seen['n_texts'], 'text')}"
    return f"{sentence_case(_called(name))}, {texts}: {stability}"


def _most_like(labels: pd.DataFrame, name: str) -> str:
    """Return the label nearest to the islands on the map, beside random weights."""
    own, at_random = (
        _last(labels, name, MAP, weights).set_index("label") for weights in (TRAINED, RANDOM)
    )
    beyond = own.loc[own["information"] > own["null_largest"], "information"]
    if beyond.empty:
        return "none beyond chance" if own["information"].notna().any() else "no island there"
    label = str(beyond.idxmax())
    there = at_random["information"].get(label, np.nan)
    beside = "" if pd.isna(there) else f" (random weights {there:.2f})"
    return f"{LABELS[label].partition(' (')[0]} {beyond[label]:.2f}{beside}"


def _population(results: Results, maps: Sequence[str], label: str) -> str:
    table, settings = results["csv"], results[MEASURED_WITH]
    if not maps:
        return f"{label} · no text"
    seen = _last(table, maps[0], MAP, TRAINED).iloc[-1]
    corpora = results[POINTS].groupby("map")["corpus"].unique()
    some = [name for name in maps if len(corpora[name]) < results[POINTS]["corpus"].nunique()]
    looks = {name: corpus_looks(corpora[name]).values() for name in some}
    named = [f"{_called(name)}: {', '.join(look.name for look in looks[name])}" for name in some]
    space = f"{POOLINGS[seen['pooling']].name}, {PREPARATIONS[seen['preparation']]}"
    return " · ".join(
        [
            f"{label} · layer {seen['layer']} · {space}",
            *named,
            f"island: a cluster by HDBSCAN, stands if {percent(settings['share'])} of "
            f"{settings['n_half_samples']} half-samples and another seed's map have it (Jaccard "
            f"index above {settings['jaccard']}), none of {settings['n_clouds']} Gaussian clouds",
            "brackets: typical words",
        ]
    )


def _nulls(table: pd.DataFrame, name: str) -> str:
    """Return how often an island of Gaussian clouds comes again, and how many stand untrained."""
    seen, at_random = _last_of_weights(table, name)
    share = seen["null_largest_matched"]
    again = "not sought" if pd.isna(share) else f"again in up to {percent(share)}"
    clouds = f"the model's Gaussian clouds: {again}\n" if seen["n_islands"] else ""
    stand = f"{at_random['n_standing']:.0f} of {at_random['n_islands']:.0f} stand"
    stand = stand if at_random["n_islands"] else "no island"
    stand = "not decidable either" if at_random["stability"] == UNDECIDED else stand
    return f"{clouds}{AT_RANDOM.name}: {stand}; gray: no island"


def _map(ax: Axes, points: pd.DataFrame, islands: pd.DataFrame, nulls: str) -> None:
    area = float(np.clip(INK / max(len(points), 1), 0.8, 6.0))
    look: dict[str, Any] = {"linewidths": 0, "rasterized": True}
    none = points[points["island"] == 0]
    ax.scatter(none["x"], none["y"], s=area, color="0.75", **look)
    marks = []
    written: dict[str, Any] = {"fontsize": 7, "fontweight": "bold", "path_effects": HALO}
    for (_, island), color, marker in zip(islands.iterrows(), ISLANDS, MARKERS, strict=False):
        own = points[points["island"] == island["island"]]
        ax.scatter(own["x"], own["y"], s=1.5 * area, color=color, marker=marker, **look)
        marks.append(Line2D([], [], color=color, marker=marker, ls="", ms=4, label=_name(island)))
        place = (own["x"].median(), own["y"].max())
        number = count(island["n_texts"])
        ax.annotate(number, place, (0, 3), textcoords="offset points", ha="center", **written)
    without_axes(ax)
    marks.append(Line2D([], [], ls="", label=nulls))
    ax.legend(handles=marks, bbox_to_anchor=(0, 0), **BELOW)


def _name(island: pd.Series) -> str:
    """Return the subject or source of most texts, and the island's words."""
    corpus = corpus_looks([island["corpus"]])[island["corpus"]].name
    what = f"{percent(island['corpus_share'])} {corpus}"
    if island["subject_share"] > MOST:
        what = f"{percent(island['subject_share'])} {island['subject']}"
    # Texts without a word in common have an empty cell.
    words = [] if pd.isna(island["words"]) else str(island["words"]).split()[:N_WORDS]
    named = f" ({', '.join(words)})" if words else ""
    again = "" if pd.isna(island["matched"]) else f", again in {percent(island['matched'])}"
    return f"{counted(island['n_texts'], 'text')}, {what}{named}{again}"


def _shared(ax: Axes, labels: pd.DataFrame) -> None:
    """Draw the information shared by islands and labels, on the map and in space."""
    places = {name: y for y, name in enumerate(LABELS)}
    for (method, weights), (name, marks) in MARKS.items():
        own = _last(labels, str(labels["map"].iloc[0]), method, weights)
        y = own["label"].map(places) + marks["y"]
        look = {key: value for key, value in marks.items() if key != "y"}
        beyond = own["information"].where(own["information"] > own["null_largest"])
        ax.plot(beyond, y, ls="", ms=5, label=name, **look)
        ax.plot(own["null_largest"], y, "|", color=GRAY, ms=7, label=DEALT)
    ax.axvline(0, color="black", lw=0.6)
    ax.set_yticks([*places.values()], [*LABELS.values()])
    ax.set(ylim=(len(LABELS) - 0.4, -0.6), xlim=(-0.08, 1.05))
    ax.set_xlabel("adjusted mutual information: 0 chance, 1 the same")


def _tables(results: Results, label: str, digits: int) -> str:
    table = results.for_readers("csv")
    return tables_page(
        f"Islands of texts in {label}",
        STAGE,
        section(
            "Islands by map, space and layer",
            "Which islands stand, and of which family they are, by the rules beside the settings. "
            "Families are of all islands of a row, also where none stands. Inside a source: labels "
            "compared within each source. Islands of maps of Gaussian clouds are sought as often "
            "as it takes to see that none stands.",
            markdown_table(table, digits),
        ),
        section(
            "Islands at the layer of the maps",
            "With the most frequent labels, and words that tell an island's texts from others.",
            markdown_table(results.for_readers("islands"), digits),
        ),
        section(
            "Labels",
            "Adjusted mutual information is 0 by chance and 1 where labels and islands agree.",
            markdown_table(results.for_readers("labels"), digits),
        ),
    )
