"""Draws the maps of `project_text_maps`, Luisto's figure 25, beside neighbors in space."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    count,
    join_panels,
    new_figure,
    percent,
    say_instead,
    sentence_case,
    without_axes,
    write_beside,
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
FEW, OF_FEW = 150, 14.0  # points of a map whose dots are larger than others, and their area
MOST_SUBJECTS = 7  # subjects of a single corpus that have a look: as many as there are looks
OTHERS = "other texts"
TIMES = 2.0  # chance, which a share of the same document must surpass, for it has no interval
WIDEST = 3  # maps side by side
SPREAD = 0.3  # between the rows of two corpora, where spaces are 1 apart
LONGEST = 18  # characters of a kind's name on a map
ROOM = 0.1  # between the rows, as a share of a map's height, for the words below a map
LINE = 0.075  # height of a line of words below a map, as a share of the map's
OF_MAPS = {"map": "map", "space": "vectors", "method": "method", **QUALITY}
PLACE = {"map": "map", "space": "vectors", "corpus": "corpus", "n": "n"}
SAME_CORPUS = {SHARE: "same corpus", CHANCE: "chance of same corpus"}
DOCUMENT, OF_CHANCE = "same_document_share", "chance_same_document_share"
SAME_DOCUMENT = {DOCUMENT: "same document", OF_CHANCE: "chance of same document"}
NEIGHBORS = {
    **PLACE,
    **SAME_CORPUS,
    "method": "neighbors in",
    "same_domain_share": "same domain",
    "chance_same_domain_share": "chance of same domain",
    **SAME_DOCUMENT,
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
    """Draw the first choice of texts in all spaces by one method, and neighbors in the spaces.

    Texts of a single corpus have the colors of the subjects, if known.

    Args:
        results: Coordinates, quality of the maps, and neighbors.
        label: The model's name.
        method: The method of the maps; the tables have all.
        row_height_mm: The height of a row of maps.
        digits: The digits after the point in the tables.
    """
    coordinates, neighbors = results["parquet"], results["neighbors"]
    coordinates = coordinates.assign(kind=_kinds(coordinates))
    maps, spaces = list(coordinates["map"].unique()), _of(coordinates, SPACE)
    spaces = list(dict.fromkeys([*spaces[:2], *spaces[-1:]]))
    shown = neighbors[neighbors["map"].isin(maps[:1])]
    compared = shown[shown.groupby("map")["corpus"].transform("nunique") > 1]
    n_rows = 1 if compared.empty else 2
    figure, axes = new_figure(
        n_rows,
        WIDEST,
        height_mm=1.6 * row_height_mm + (22 if len(compared) else 10),
        title=_finding(compared, _where(shown, method=method), spaces),
        subtitle=f"{label} · {_population(shown, method, has_shares=not compared.empty)}",
        stage=STAGE,
    )
    tables = _tables(neighbors, results["quality"], label, digits)
    if not maps:
        say_instead(axes, "no corpus has enough texts that this model reads")
        return figure, tables
    looks = _looks(coordinates["kind"])
    for ax, space in zip(axes, spaces, strict=False):
        about = dict(zip(["map", *SPACE, "method"], (maps[0], *space, method), strict=True))
        points = _where(coordinates, **about)
        _map(ax, points, looks)
        _name_kinds(ax, points, _where(compared, **about), looks)
        own = "" if len(compared) else _own_document(_where(shown, **about).iloc[0])
        ax.set_title(f"{_in_two_lines(space)}{own}", fontsize=8)
    for ax in axes[len(spaces) : WIDEST]:
        ax.remove()
    if isinstance(engine := figure.get_layout_engine(), ConstrainedLayoutEngine):
        engine.set(hspace=ROOM)
    if len(compared):
        _shares_below(axes, compared[compared["method"] == "space"], spaces)
    return figure, tables


def _shares_below(
    axes: Sequence[Axes], in_space: pd.DataFrame, spaces: Sequence[tuple[str, str]]
) -> None:
    """Draw the shares in one panel below the maps."""
    if grid := axes[0].get_gridspec():
        grid.set_height_ratios([1, 0.6])
    _shares(join_panels(axes[WIDEST:]), in_space, spaces)


def _of(table: pd.DataFrame, columns: list[str]) -> list[Any]:
    """Return the distinct rows of some columns in their order."""
    return list(table[columns].drop_duplicates().itertuples(index=False, name=None))


def _where(table: pd.DataFrame, **values: str) -> pd.DataFrame:
    return table[(table[[*values]] == pd.Series(values)).all(axis=1)]


def _space_name(space: tuple[str, str]) -> str:
    pooling, preparation = space
    return f"{POOLINGS[pooling].name} ({PREPARATIONS[preparation]})"


def _in_two_lines(space: tuple[str, str]) -> str:
    pooling, preparation = space
    return f"{sentence_case(POOLINGS[pooling].name)},\n{PREPARATIONS[preparation]}"


def _of_documents(on_map: pd.DataFrame, spaces: Sequence[tuple[str, str]]) -> str:
    """Return the title of a single corpus: how many of the nearest are of the same document."""
    if on_map.empty:
        return "No two corpora to tell apart"
    row = _where(on_map, **dict(zip(SPACE, spaces[-1], strict=True))).iloc[0]
    if row[OF_CHANCE] == 0:
        return "The texts of one corpus"
    chance = "" if row[DOCUMENT] > TIMES * row[OF_CHANCE] else ", about as many as by chance"
    return (
        f"Of the {row['k']} texts nearest to one on the map by {_space_name(spaces[-1])}, "
        f"{percent(row[DOCUMENT])} are of its document, of all others {percent(row[OF_CHANCE])}"
        f"{chance}"
    )


def _own_document(row: pd.Series) -> str:
    """Return for a map how many of the nearest are of the same document, if any can be."""
    return f"\nnearest of its document: {percent(row[DOCUMENT])}" if row[OF_CHANCE] else ""


def _finding(
    compared: pd.DataFrame, on_map: pd.DataFrame, spaces: Sequence[tuple[str, str]]
) -> str:
    """Return the title: the corpus whose neighbors depend most on the preparation, and chance."""
    in_space = compared[compared["method"] == "space"]
    if in_space.empty:
        return _of_documents(on_map, spaces)
    first, other = (
        _where(in_space, **dict(zip(SPACE, space, strict=True))).set_index("corpus")
        for space in (spaces[0], spaces[min(1, len(spaces) - 1)])
    )
    corpus = str((other[SHARE] - first[SHARE]).abs().idxmax())
    name, share = corpus_looks([corpus])[corpus].name, float(first[SHARE][corpus])
    low, high = (float(first[f"shuffled_{SHARE}_{end}"][corpus]) for end in ("low", "high"))
    than_chance = "less than" if share < low else "more than" if share > high else "as many as"
    said = (
        f"Of the texts nearest to {name} by {_space_name(spaces[0])}, {_percent(share)} are "
        f"{name}, {than_chance} by chance"
    )
    if len(spaces) == 1:
        return said
    (pooling, preparation), is_same = spaces[1], spaces[1][0] == spaces[0][0]
    way = PREPARATIONS[preparation] if is_same else f"by {_space_name((pooling, preparation))}"
    return f"{said}; {way}: {_percent(float(other[SHARE][corpus]))}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _population(neighbors: pd.DataFrame, method: str, *, has_shares: bool) -> str:
    if neighbors.empty:
        return "no text, n = 0"
    sizes = neighbors.drop_duplicates("corpus")[["corpus", "n"]].itertuples(index=False)
    texts = ", ".join(f"{count(n)} {corpus_looks([corpus])[corpus].name}" for corpus, n in sizes)
    parts = [f"layer {neighbors['layer'].iloc[0]}", texts, f"maps by {MAP_METHODS[method].name}"]
    if has_shares:
        k = neighbors["k"].max()
        parts.append(f"below a map, the share of the {k} nearest on it that are of the same source")
        parts.append("bars below: 95 % intervals; nearest: by Euclidean distance")
        hub = neighbors[neighbors["method"] == "space"].nlargest(1, "mean_k_occurrence").iloc[0]
        name = corpus_looks([hub["corpus"]])[hub["corpus"]].name
        parts.append(
            f"{name} by {_space_name((hub['pooling'], hub['preparation']))} are among the {k} "
            f"nearest of {hub['mean_k_occurrence']:.0f} texts on average"
        )
    return " · ".join(parts)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _kinds(coordinates: pd.DataFrame) -> pd.Series:
    """Return the points' kinds: the corpora, or the subjects of a single corpus."""
    subjects = coordinates["subject"]
    if coordinates["corpus"].nunique() > 1 or subjects.nunique() < 2:
        return coordinates["corpus"]
    frequent = subjects[subjects != ""].value_counts().index[:MOST_SUBJECTS]
    return subjects.where(subjects.isin(frequent), OTHERS)


def _looks(kinds: pd.Series) -> dict[str, Look]:
    """Return the looks of the kinds in the order of the points; rare kinds come last, in gray."""
    named = corpus_looks(kind for kind in kinds if kind != OTHERS)
    return named | ({OTHERS: Look(OTHERS, "0.75", ".")} if OTHERS in set(kinds) else {})


def _map(ax: Axes, points: pd.DataFrame, looks: Mapping[str, Look]) -> None:
    """Draw a dot per text, the largest kind at the back."""
    is_few = len(points) < FEW
    area = OF_FEW if is_few else float(np.clip(INK / len(points), SMALLEST, LARGEST))
    sizes = points["kind"].value_counts().reindex(list(looks)).dropna()
    for kind in sizes.sort_values(ascending=False, kind="stable").index:
        look, (x, y) = looks[kind], points.loc[points["kind"] == kind, ["x", "y"]].to_numpy().T
        dots: dict[str, Any] = {"color": look.color, "marker": look.marker, "linewidths": 0}
        ax.scatter(x, y, s=area, alpha=0.8 if is_few else 0.6, rasterized=True, **dots)
    middle = (points[["x", "y"]].max() + points[["x", "y"]].min()) / 2
    half = 0.54 * float(np.ptp(points[["x", "y"]], axis=0).max()) or 1.0
    without_axes(ax)
    limits = {f"{axis}lim": (middle[axis] - half, middle[axis] + half) for axis in "xy"}
    ax.set(xlabel="", ylabel="", adjustable="box", **limits)


def _name_kinds(
    ax: Axes, points: pd.DataFrame, shares: pd.DataFrame, looks: Mapping[str, Look]
) -> None:
    """Name the kinds below a map, with the shares of neighbors of the same source."""
    own_shares = shares.set_index("corpus")[SHARE]
    for line, kind in enumerate(kind for kind in looks if kind in set(points["kind"])):
        name = looks[kind].name
        name = name if len(name) <= LONGEST else f"{name[:LONGEST]}…"
        words = f"{name} {_percent(own_shares[kind])}" if kind in own_shares else name
        shown = ax.text(0.02, -LINE * (line + 0.2), words, transform=ax.transAxes, va="top")
        shown.set(color=looks[kind].color, fontsize=7, fontweight="bold")


def _shares(ax: Axes, in_space: pd.DataFrame, spaces: Sequence[tuple[str, str]]) -> None:
    """Draw the share of neighbors of the same corpus in a row a space, in the corpus's color."""
    rows = in_space.set_index([*SPACE, "corpus"])
    corpora = list(in_space["corpus"].unique())
    for number, (corpus, look) in enumerate(corpus_looks(corpora).items()):
        own = rows.loc[[(*space, corpus) for space in spaces]]
        y = np.arange(len(spaces)) + SPREAD * (number - (len(corpora) - 1) / 2)
        ax.plot(own[CHANCE], y, "|", color=GRAY, ms=9, mew=2, label=None if number else "chance")
        ax.hlines(y, own[f"{SHARE}_low"], own[f"{SHARE}_high"], color=look.color)
        ax.plot(own[SHARE], y, look.marker, color=look.color, label=look.name)
        for share, end, height in zip(own[SHARE], own[f"{SHARE}_high"], y, strict=True):
            write_beside(ax, _percent(share), (end, height), (5, 0), va="center")
    ax.set_yticks(range(len(spaces)), map(_in_two_lines, spaces))
    ax.set(xlim=(-0.02, 1.08), ylim=(len(spaces) - 0.5, -0.5))
    ax.set_title("Neighbors of the same source, in all dimensions")
    ax.set_xlabel(f"share of the {in_space['k'].max()} nearest")
    ax.grid(visible=False, axis="y")
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))


def _tables(neighbors: pd.DataFrame, quality: pd.DataFrame, label: str, digits: int) -> str:
    in_space = neighbors[neighbors["method"] == "space"]
    is_one = neighbors["corpus"].nunique() == 1
    first = section(
        f"Neighbors of the same {'document' if is_one else 'corpus'}",
        "In the space, before any map.",
        markdown_table(
            _readable(in_space, PLACE | (SAME_DOCUMENT if is_one else SAME_CORPUS)), digits
        ),
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
    """Return columns under readers' names, with those of maps, spaces and methods.

    Left out are shares that are 0 or 1 whatever the model does.
    """
    certain = [
        name
        for chance in columns
        if chance.startswith("chance_same") and len(table) and table[chance].isin([0, 1]).all()
        for name in (chance, chance.removeprefix("chance_"))
    ]
    columns = {name: heading for name, heading in columns.items() if name not in certain}
    spaces = [_space_name(space) for space in table[SPACE].itertuples(index=False)]
    methods = [MAP_METHODS[method].name for method in table["method"]]
    shown = table.assign(map=table["map"].map(_words), space=spaces, method=methods)
    return shown.reindex(columns=[*columns]).rename(columns=columns)
