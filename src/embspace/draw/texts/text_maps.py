"""Draws the maps of `project_text_maps`, Luisto's figure 25, beside neighbors in space."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    count,
    legend_below,
    new_figure,
    say_instead,
    sentence_case,
    without_axes,
)
from embspace.draw.page.looks import (
    GRAY,
    MAP_METHODS,
    POOLINGS,
    PREPARATIONS,
    Look,
    corpus_looks,
)
from embspace.draw.page.maps.quality import QUALITY, QUALITY_NOTE
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.saving import Results

STAGE = "project_text_maps"
SPACE = ["pooling", "preparation"]
SHARE, CHANCE = "same_corpus_share", "chance_same_corpus_share"
INK, SMALLEST, LARGEST = 2500.0, 0.8, 5.0  # area of all dots and of one, in square points
# Four contours of a density, of which a share `thresh` lies outside of all.
CONTOURS: dict[str, Any] = {"levels": 4, "thresh": 0.2, "gridsize": 100, "linewidths": 0.9}
FEWEST = 30  # points of a kind that has contours; those of fewer reach far beyond the points
FEW, OF_FEW = 150, 14.0  # points of a map whose dots are larger than others, and their area
MOST_SUBJECTS = 7  # subjects of a single corpus that have a look: as many as there are looks
OTHERS = "other texts"
# Titles of what has two corpora or more on no map, by whether there is a single one.
NO_FINDINGS = ("No two corpora to tell apart", "The texts of one corpus")
LONGEST = 18  # characters of a kind's name on a map
LINE = 0.075  # height of a line of words below a map, as a share of the map's
OF_MAPS = {"map": "map", "space": "vectors", "method": "method", **QUALITY}
FIRST = {
    "map": "map",
    "space": "vectors",
    "corpus": "corpus",
    "n": "n",
    SHARE: "same corpus",
    CHANCE: "chance of same corpus",
}
NEIGHBORS = {
    **FIRST,
    "method": "neighbors in",
    "same_domain_share": "same domain",
    "chance_same_domain_share": "chance of same domain",
    "same_document_share": "same document",
    "chance_same_document_share": "chance of same document",
    "mean_k_occurrence": "k-occurrence",
}


def draw_text_maps(
    results: Results,
    label: str,
    *,
    method: Literal["pca", "tsne", "umap"],
    row_height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the first map by every method; then maps, a row for each choice of texts; neighbors.

    The first row is of the first choice of texts and space. Below it a column is a space.

    Texts of a single corpus have the colors of their subjects, where these are known.

    Args:
        results: Coordinates, quality of the maps, and neighbors.
        label: The model's name.
        method: The method of the maps below the first row; the tables have all.
        row_height_mm: The height of a row of maps.
        digits: The digits after the point in the tables.
    """
    coordinates, neighbors = results["parquet"], results["neighbors"]
    coordinates = coordinates.assign(kind=_kinds(coordinates))
    maps, spaces = list(coordinates["map"].unique()), _of(coordinates, SPACE)
    compared = neighbors[neighbors.groupby("map")["corpus"].transform("nunique") > 1]
    methods = list(coordinates["method"].unique())
    n_rows = 1 + max(len(maps), 1) + (not compared.empty)
    n_columns = max(len(spaces), len(methods), 1)
    height, title = row_height_mm * n_rows + 16, _finding(compared, set(coordinates["corpus"]))
    subtitle = f"{label} · {_population(neighbors, has_shares=not compared.empty)}"
    if coordinates.groupby(["map", "kind", *SPACE, "method"]).size().max() < FEWEST:
        subtitle = subtitle.replace(" with contours of density", "")
    figure, axes = new_figure(
        n_rows, n_columns, height_mm=height, title=title, subtitle=subtitle, stage=STAGE
    )
    if not maps:
        say_instead(axes, "no corpus has enough texts that this model reads")
        return figure, _tables(neighbors, results["quality"], label, digits)
    looks = _looks(coordinates["kind"])
    rows = np.reshape(np.array(axes, dtype=object), (n_rows, n_columns))
    for ax in [*rows[0, len(methods) :], *rows[1:, len(spaces) :].ravel()]:
        ax.remove()
    chosen = [dict(zip(["map", *SPACE], (maps[0], *spaces[0]), strict=True))] * len(methods)
    by_method = [each | {"method": name} for each, name in zip(chosen, methods, strict=True)]
    by_space = [
        dict(zip(["map", *SPACE, "method"], (name, *space, method), strict=True))
        for name, space in product(maps, spaces)
    ]
    below = rows[1 : 1 + len(maps), : len(spaces)].ravel()
    for ax, about in zip([*rows[0, : len(methods)], *below], by_method + by_space, strict=True):
        points = _where(coordinates, **about)
        _map(ax, points, looks)
        _name_kinds(ax, points, _where(compared, **about), looks)
    _title(rows, methods, maps, spaces, method)
    if not compared.empty:
        _shares(list(rows[-1, : len(spaces)]), compared, spaces)
        legend_below(figure, [rows[-1, len(spaces) - 1]], ncols=5)
    return figure, _tables(neighbors, results["quality"], label, digits)


def _title(
    rows: Any, methods: list[str], maps: list[str], spaces: list[tuple[str, str]], method: str
) -> None:
    """Name the methods of the first row, the spaces of the next ones, and the texts of all."""
    first = f"{POOLINGS[spaces[0][0]].name}, {PREPARATIONS[spaces[0][1]]}"
    for ax, name in zip(rows[0], methods, strict=False):
        ax.set_title(MAP_METHODS[name].name)
    rows[0, 0].set_ylabel(f"{_words(maps[0])}\n{first}")
    for ax, (pooling, preparation) in zip(rows[1], spaces, strict=False):
        ax.set_title(f"{sentence_case(POOLINGS[pooling].name)}\n{PREPARATIONS[preparation]}")
    for ax, name in zip(rows[1:, 0], maps, strict=False):
        ax.set_ylabel(f"{_words(name)}\n{MAP_METHODS[method].name}")


def _of(table: pd.DataFrame, columns: list[str]) -> list[Any]:
    """Return the distinct rows of some columns in their order."""
    return list(table[columns].drop_duplicates().itertuples(index=False, name=None))


def _where(table: pd.DataFrame, **values: str) -> pd.DataFrame:
    return table[(table[[*values]] == pd.Series(values)).all(axis=1)]


def _space_name(space: tuple[str, str]) -> str:
    pooling, preparation = space
    return f"{POOLINGS[pooling].name} ({PREPARATIONS[preparation]})"


def _finding(compared: pd.DataFrame, corpora: set[str]) -> str:
    """Return the title: the corpus whose neighbors depend most on the space, and its shares."""
    in_space = compared[compared["method"] == "space"]
    if in_space.empty:
        return NO_FINDINGS[len(corpora) == 1]
    shares = in_space.groupby(["map", "corpus"], sort=False)[SHARE]
    ranges = (shares.max() - shares.min()).reset_index().sort_values(SHARE, kind="stable")
    name, corpus = map(str, ranges[["map", "corpus"]].iloc[-1])
    rows = _where(in_space, map=name, corpus=corpus).sort_values(SHARE, ascending=False)
    shown = rows.iloc[[0, -1] if len(rows) > 1 else [0]][[*SPACE, SHARE]]
    said = [
        f"{_percent(share)} by {_space_name((pooling, preparation))}"
        for pooling, preparation, share in shown.itertuples(index=False)
    ]
    source = corpus_looks([corpus])[corpus].name
    joined = ", and " if rows[SHARE].map(_percent).nunique() == 1 else ", but "
    chance = _percent(rows[CHANCE].iloc[0])
    return f"Of the texts nearest to {source}, {source} are {joined.join(said)}; chance {chance}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _population(neighbors: pd.DataFrame, *, has_shares: bool) -> str:
    if neighbors.empty:
        return "no text, n = 0"
    parts = []
    for name, rows in neighbors.groupby("map", sort=False):
        sizes = rows.drop_duplicates("corpus")[["corpus", "n"]].itertuples(index=False)
        texts = ", ".join(f"{count(n)} {corpus_looks([each])[each].name}" for each, n in sizes)
        parts.append(f"{_words(str(name))}: {texts}")
    maps = "maps with contours of density"
    if has_shares:
        maps += (
            f"; below each, the share of the {neighbors['k'].max()} nearest on the map that are "
        )
        maps += "of the same source"
    return " · ".join([f"layer {neighbors['layer'].iloc[0]}", *parts, maps])


def _words(name: str) -> str:
    return name.replace("_", " ")


def _kinds(coordinates: pd.DataFrame) -> pd.Series:
    """Return each point's kind: its corpus, or its subject if there is one corpus."""
    subjects = coordinates["subject"]
    if coordinates["corpus"].nunique() > 1 or subjects.nunique() < 2:
        return coordinates["corpus"]
    frequent = subjects[subjects != ""].value_counts().index[:MOST_SUBJECTS]
    return subjects.where(subjects.isin(frequent), OTHERS)


def _looks(kinds: pd.Series) -> dict[str, Look]:
    """Return the look of each kind in the order of the points; all others come last, in gray."""
    named = corpus_looks(kind for kind in kinds if kind != OTHERS)
    return named | ({OTHERS: Look(OTHERS, "0.75", ".")} if OTHERS in set(kinds) else {})


def _map(ax: Axes, points: pd.DataFrame, looks: Mapping[str, Look]) -> None:
    """Draw one dot for each text, the largest kind at the back, and the density of each kind."""
    import seaborn as sns

    is_few = len(points) < FEW
    area = OF_FEW if is_few else float(np.clip(INK / len(points), SMALLEST, LARGEST))
    sizes = points["kind"].value_counts().reindex(list(looks)).dropna()
    for kind in sizes.sort_values(ascending=False, kind="stable").index:
        look, (x, y) = looks[kind], points.loc[points["kind"] == kind, ["x", "y"]].to_numpy().T
        dots: dict[str, Any] = {"color": look.color, "marker": look.marker, "linewidths": 0}
        ax.scatter(x, y, s=area, alpha=0.8 if is_few else 0.5, rasterized=True, **dots)
    middle = (points[["x", "y"]].max() + points[["x", "y"]].min()) / 2
    half = 0.54 * float(np.ptp(points[["x", "y"]], axis=0).max()) or 1.0
    for kind in sizes.index:
        rows, look = points[points["kind"] == kind], looks[kind]
        if len(rows) >= FEWEST and np.linalg.matrix_rank(np.cov(rows[["x", "y"]].T)) == 2:
            line: dict[str, Any] = {"color": look.color, "linestyles": [look.line], "alpha": 0.9}
            sns.kdeplot(rows, x="x", y="y", ax=ax, **line, **CONTOURS)
    without_axes(ax)
    limits = {f"{each}lim": (middle[each] - half, middle[each] + half) for each in "xy"}
    ax.set(xlabel="", ylabel="", adjustable="box", **limits)


def _name_kinds(
    ax: Axes, points: pd.DataFrame, shares: pd.DataFrame, looks: Mapping[str, Look]
) -> None:
    """Name the kinds below a map, each with the share of neighbors that are of the same source."""
    found = shares.set_index("corpus")[SHARE]
    for line, kind in enumerate(kind for kind in looks if kind in set(points["kind"])):
        name = looks[kind].name
        name = name if len(name) <= LONGEST else f"{name[:LONGEST]}…"
        words = f"{name} {_percent(found[kind])}" if kind in found else name
        shown = ax.text(0.02, -LINE * (line + 0.2), words, transform=ax.transAxes, va="top")
        shown.set(color=looks[kind].color, fontsize=7, fontweight="bold")


def _shares(
    axes: Sequence[Axes], compared: pd.DataFrame, spaces: Sequence[tuple[str, str]]
) -> None:
    """Draw the share of neighbors of the same kind, in each space and on its maps."""
    places = _of(compared, ["map", "corpus"])
    names = [f"{_words(name)}: {corpus_looks([each])[each].name}" for name, each in places]
    for number, (ax, (pooling, preparation)) in enumerate(zip(axes, spaces, strict=True)):
        rows = _where(compared, pooling=pooling, preparation=preparation)
        rows = rows.assign(y=[*map(places.index, zip(rows["map"], rows["corpus"], strict=True))])
        for method, look in MAP_METHODS.items():
            own, face = _where(rows, method=method), look.color if method == "space" else "none"
            marks: dict[str, Any] = {"color": look.color, "markerfacecolor": face, "ms": 5}
            ax.plot(own[SHARE], own["y"], look.marker, label=look.name, **marks)
        chance: dict[str, Any] = {"color": GRAY, "ms": 11, "mew": 2, "zorder": 1}
        ax.plot(rows[CHANCE], rows["y"], "|", label="chance level", **chance)
        ax.set(xlim=(-0.04, 1.04), xlabel="share of the same source")
        ax.set_ylim(len(places) - 0.5, -0.5)
        ax.set_yticks(range(len(places)), names if number == 0 else [""] * len(places))
        ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))


def _tables(neighbors: pd.DataFrame, quality: pd.DataFrame, label: str, digits: int) -> str:
    in_space = neighbors[neighbors["method"] == "space"]
    first = section(
        "Neighbors of the same corpus",
        "In the space, before any map.",
        markdown_table(_readable(in_space, FIRST), digits),
    )
    every = section(
        "All shares, in the space and on its maps",
        "The share of a vector's nearest that are of its own corpus, domain or document; chance "
        "is any others. k-occurrence: how often a vector of the corpus is among the nearest, k on "
        "average; far more are hubs.",
        markdown_table(_readable(neighbors, NEIGHBORS), digits),
    )
    judged = markdown_table(_readable(quality, OF_MAPS), digits, ["chance"])
    more = folded(f"{every}\n{section('Quality of the maps', QUALITY_NOTE, judged)}")
    return f"# Maps of texts in {label}\n\nStage `project_text_maps`.\n\n{first}\n{more}"


def _readable(table: pd.DataFrame, columns: dict[str, str]) -> pd.DataFrame:
    """Return columns under readers' names, with those of maps, spaces and methods."""
    spaces = [_space_name(space) for space in table[SPACE].itertuples(index=False)]
    methods = [MAP_METHODS[method].name for method in table["method"]]
    shown = table.assign(map=table["map"].map(_words), space=spaces, method=methods)
    return shown.reindex(columns=[*columns]).rename(columns=columns)
