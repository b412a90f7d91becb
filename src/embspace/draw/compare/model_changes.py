"""Draws figure and tables of `compare_model_changes`: how far the weights of two models differ."""

from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.compare.model_changes_tables import (
    ALL,
    NAMES,
    changes_table,
    layers_of,
    place_of,
    states_table,
    tokens_table,
    words_table,
)
from embspace.draw.page.canvas import (
    count,
    new_figure,
    percent,
    say_instead,
    sentence_case,
    shade,
    write_beside,
)
from embspace.draw.page.looks import GRAY, VERMILION, corpus_looks
from embspace.files.tables import Tables
from embspace.settings.params import models_of

STAGE = "compare_model_changes"
MOVED, UNRELATED, ROUNDED = "moved", "no nearer than dealt rows", "rounded"
NOT_CHECKABLE = "not checkable"
SMALLEST, LARGEST = 1e-3, 2**0.5  # of the colors: below rounding to bfloat16, independent weights
WRITTEN: dict[str, Any] = {"fontsize": 5.5}  # in a cell
LINE = 90  # characters of a reason in the figure
SIGNS = {"identical": "=", ROUNDED: "≈"}


def draw_model_changes(
    results: Tables,
    label: str,
    *,
    height_mm: PositiveFloat,
    row_height_mm: PositiveFloat,
    largest_written: NonNegativeInt,
    n_shown: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw maps of layers and groups, bars of the parts outside of the layers, and tables."""
    one, other = models_of(label)
    known = results["csv"].dropna(subset="group")
    table = known[known["verdict"] != NOT_CHECKABLE]
    layers = table.dropna(subset="layer")
    n_layers, states = layers["layer"].nunique(), results["states"]
    n_rows = 1 if states.empty else 2
    figure, axes = new_figure(
        n_rows,
        3 if n_rows == 1 else 2,
        height_mm=(height_mm + row_height_mm * max(n_layers, 4)) * n_rows - 20 * (n_rows - 1),
        title=_title(table, one, other),
        subtitle=_subtitle(table, one, other),
        stage=STAGE,
    )
    head = f"# Changes from {one} to {other}\n\nStage `{STAGE}`.\n"
    if table.empty:
        reason = "; ".join(results["csv"]["reason"].dropna()) or "no result"
        say_instead(axes, fill(f"Not checkable: {reason}.", LINE))
        return figure, f"{head}\nNot checkable: {reason}.\n"
    is_written = n_layers <= largest_written
    _sizes(axes[0], layers, is_written=is_written)
    _directions(axes[1], layers, is_written=is_written)
    axes[1].set_title("Directions of the change")
    _outside(axes[2], table[table["layer"].isna()])
    if not states.empty:
        _states(axes[3], states)
    pages = [changes_table(table, n_shown, digits)]
    pages += [words_table(results["words"], n_shown, digits), tokens_table(results["tokens"])]
    pages += [states_table(states, digits)]
    return figure, "\n".join([head, *_remarks(known), *filter(None, pages)])


def _remarks(known: pd.DataFrame) -> list[str]:
    """Return sentences on the parts that are not compared, or not with all rows."""
    with_reason = known[known["reason"].notna()]
    return [
        f"{sentence_case(place_of(row))} "
        + ("not checkable: " if row["verdict"] == NOT_CHECKABLE else "compared by ")
        + f"{row['reason']}.\n"
        for _, row in with_reason.iterrows()
    ]


def _whole(table: pd.DataFrame) -> pd.Series:
    return table[table["group"] == ALL].iloc[0]


def _title(table: pd.DataFrame, one: str, other: str) -> str:
    """Return the part that moved most, or that nothing moved; rounding is no change."""
    if table.empty:
        return f"How far {other} lies from {one} is not checkable"
    whole = _whole(table)
    size = percent(whole["relative_change"])
    if whole["verdict"] == "identical":
        return f"No parameter differs between {one} and {other}"
    if whole["verdict"] == ROUNDED:
        return f"{one} and {other} differ by rounding to {whole['rounding']} alone"
    if whole["verdict"] == UNRELATED:
        chance = percent(whole["relative_change_dealt"])
        return (
            f"The weights of {other} are no nearer to {one}'s than dealt rows: {size} of their "
            f"norm away, by chance {chance}"
        )
    parts = table[(table["group"] != ALL) & table["verdict"].isin((MOVED, UNRELATED))]
    most = parts.sort_values("relative_change", ascending=False, kind="stable").iloc[0]
    by = f"{_by(most['relative_change'])}{_in_directions(most)}"
    if len(parts) == 1:
        rest = ", but for rounding" if (table["verdict"] == ROUNDED).any() else ""
        return f"From {one} to {other} one part alone moved{rest}, the {place_of(most)}, {by}"
    return (
        f"From {one} to {other} all weights together moved by {size} of their norm, most the "
        f"{place_of(most)}, {by}"
    )


def _by(size: float) -> str:
    return "from zero" if np.isnan(size) else f"by {percent(size)} of their norm"


def _in_directions(row: pd.Series) -> str:
    """Return the rank of a change that has not all directions; else nothing."""
    if not row["rank"] or pd.isna(row["rank"]) or row["rank"] >= row["largest_rank"]:
        return ""
    n = int(row["rank"])
    return f", in {count(n)} direction{'' if n == 1 else 's'}"


def _subtitle(table: pd.DataFrame, one: str, other: str) -> str:
    if table.empty:
        return f"{one} · {other}"
    whole = _whole(table)
    return (
        f"|W' − W| / |W| of each weight, W of {one}, W' of {other}; all weights: "
        f"{percent(whole['relative_change'])}, of W rounded to bfloat16 "
        f"{percent(whole['relative_change_rounding'])}, with rows dealt anew "
        f"{percent(whole['relative_change_dealt'])} (red) · = no entry differs, ≈ rounding "
        "alone · directions: participation ratio of the squared singular values, darker the nearer "
        "to a random change, and the rank where it is not full"
    )


def _sizes(ax: Axes, layers: pd.DataFrame, *, is_written: bool) -> None:
    """Draw the relative change by group and layer, on the same scale for all pairs of models."""
    shown = layers["relative_change"].where(layers["verdict"].isin((MOVED, UNRELATED)))
    texts = [_size_in_words(row["verdict"], row["relative_change"]) for _, row in layers.iterrows()]
    cells = layers.assign(shown=np.log10(shown.clip(lower=SMALLEST)), text=texts)
    _map(ax, cells, is_written=is_written, vmin=np.log10(SMALLEST), vmax=np.log10(LARGEST))
    ax.set_title("Relative change, %")
    ax.set_ylabel("layer")


def _size_in_words(verdict: str, value: float) -> str:
    """Return a size in percent, without the percent sign of the heading."""
    return SIGNS.get(verdict, "" if np.isnan(value) else percent(value).removesuffix(" %"))


def _directions(ax: Axes, layers: pd.DataFrame, *, is_written: bool) -> None:
    """Draw over how many directions each change is spread, of the number of a random change."""
    matrices = layers[layers["rank"].notna()]
    if matrices.empty:
        say_instead([ax], "no matrix of a layer moved")
        return
    matrices = layers[layers["group"].isin(matrices["group"])]
    ratio = matrices["participation_ratio"] / matrices["random_participation_ratio"]
    texts = [
        "" if np.isnan(row["rank"]) else f"{row['participation_ratio']:.0f}{_rank_words(row)}"
        for _, row in matrices.iterrows()
    ]
    cells = matrices.assign(shown=ratio, text=texts)
    _map(ax, cells, is_written=is_written, vmin=0, vmax=1)


def _rank_words(row: pd.Series) -> str:
    return f" of {count(row['rank'])}" if row["rank"] < row["largest_rank"] else ""


def _map(ax: Axes, cells: pd.DataFrame, *, is_written: bool, **look: Any) -> None:
    """Draw values and words in the cells of layers and groups."""
    import seaborn as sns

    order = [*NAMES, *dict.fromkeys(cells["group"])]
    groups = [group for group in dict.fromkeys(order) if group in set(cells["group"])]
    rows = [layer for _, layer in cells.drop_duplicates("layer").iterrows()]
    names = [layers_of(row) for row in rows]

    def wide(column: str) -> pd.DataFrame:
        return cells.pivot(index="layer", columns="group", values=column)[groups]

    texts = wide("text").fillna("")
    written = {"annot": texts, "fmt": "", "annot_kws": WRITTEN} if is_written else {}
    values = wide("shown").astype(float)
    labels = [NAMES.get(group, group) for group in groups]
    grid: dict[str, Any] = {"cmap": "mako_r", "linewidths": 0.4, "cbar": False}
    sns.heatmap(values, ax=ax, xticklabels=labels, yticklabels=False, **grid, **look, **written)
    if is_written:
        _write_empty(ax, texts.to_numpy(), values.to_numpy())
    ax.invert_yaxis()
    step = -(-len(names) // 24)
    places = [number + 0.5 for number in range(len(names))]
    ax.set_yticks(places[::step], names[::step], rotation=0)
    ax.tick_params(axis="x", rotation=90, labelsize=6.5)
    ax.set(xlabel="", ylabel="")
    ax.grid(visible=False)


def _write_empty(ax: Axes, texts: np.ndarray, values: np.ndarray) -> None:
    """Write the words of cells without a value, which seaborn leaves out."""
    for row, column in np.argwhere(np.isnan(values)):
        place = (column + 0.5, row + 0.5)
        ax.text(*place, texts[row, column], color=GRAY, ha="center", va="center", **WRITTEN)


def _outside(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw the relative change of the parts outside of the layers, and of all weights."""
    places = range(len(rows))
    is_moved = rows["verdict"].isin((MOVED, UNRELATED))
    moved = 100 * rows["relative_change"].fillna(0).where(is_moved, 0)
    ax.barh(places, moved, height=0.6, color=[_bar_color(verdict) for verdict in rows["verdict"]])
    for place, (_, row), size in zip(places, rows.iterrows(), moved, strict=True):
        words = _size_in_words(row["verdict"], row["relative_change"])
        write_beside(ax, words, (size, place), (3, 0), va="center_baseline")
    dealt = 100 * rows["relative_change_dealt"]
    ax.plot(dealt, [*places], "|", color=VERMILION, markersize=9)
    largest = max(dealt.max(), moved.max())
    ax.set(xlim=(0, 1.25 * (largest if largest > 0 else 1)), ylim=(len(rows) - 0.5, -0.5))
    names = [fill(NAMES.get(group, group), 18, break_long_words=False) for group in rows["group"]]
    ax.set_yticks(places, names, fontsize=6.5)
    ax.set_title("Outside of the layers")
    ax.set_xlabel("relative change, %")
    ax.grid(visible=False, axis="y")


def _states(ax: Axes, states: pd.DataFrame) -> None:
    """Draw by layer the cosine of a text's states in both models, and of two different texts."""
    looks = corpus_looks(states["corpus"])
    for corpus, rows in states.groupby("corpus", sort=False):
        look = looks[str(corpus)]
        line: dict[str, Any] = {"color": look.color, "marker": look.marker, "markersize": 3}
        ax.plot(rows["layer"], rows["cosine"], linestyle=look.line, label=look.name, **line)
        shade(ax, rows, "layer", "cosine", color=look.color, alpha=0.2)
        ax.plot(rows["layer"], rows["other_cosine"], ":", color=look.color, linewidth=0.8)
    ax.plot([], [], ":", color=GRAY, linewidth=0.8, label="two texts")
    ax.set(xlabel="layer", ylabel="cosine")
    ax.set_title("A text's states in both models")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(fontsize=6.5)


def _bar_color(verdict: str) -> str:
    return "0.7" if verdict == UNRELATED else "0.3"
