"""Draws the types of heads and the clearest head of each, the counterpart of figure 8."""

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.attention.head_names import draw_grid, draw_map, grid_of, head_name
from embspace.draw.page.canvas import counted, new_figure, percent, say_instead
from embspace.draw.page.looks import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, YELLOW
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results

STAGE = "measure_attention_patterns"
FURTHER_RESULTS = ("head_features/examples.csv", "data/measured/head_features.safetensors")
EXAMPLES, TENSORS = "head_features/examples", FURTHER_RESULTS[1]
KOVALEVA = "kovaleva"
SET_NAMES = {KOVALEVA: "types of Kovaleva et al.", "own": "our own types"}
SHARE_TITLES = {KOVALEVA: "shares of these five", "own": "shares of our own types"}
DEPENDS = "depends"
WEAK = 0.05  # a margin below it is said beside the head
MOST_BESIDE = 0.6  # a longer bar has its name inside
BROWN = "#8C564B"
COLORS = [BLUE, VERMILION, GREEN, PURPLE]
# Of the second set, whose types are others: `block`, the fifth, is the fourth of the first.
OTHER_COLORS = [SKY, BROWN, "#332288", ORANGE, PURPLE, "#999933", YELLOW, "#882255"]
REST = "0.85"  # of the last type, which takes what no other has taken
N_MAPS = 5


def draw_attention_patterns(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the clearest head of each type with its tokens, and the types of all heads."""
    heads, types = results["heads"], results["types"]
    subtitle = _subtitle(types, label)
    figure, axes = new_figure(
        3, 3, height_mm=height_mm, title=_finding(types), subtitle=subtitle, stage=STAGE
    )
    title = f"Types of heads of {label}"
    if heads.empty:
        say_instead(axes, "the model reads no text")
        return figure, tables_page(title, STAGE, "The model reads no text.\n")
    sets = list(dict.fromkeys(types["set"]))
    first = types[types["set"] == sets[0]]
    tokens = results[EXAMPLES]["token"].astype(str).tolist()
    _maps(axes[:N_MAPS], first, results[TENSORS]["example"], tokens)
    _shares(axes[5], first, sets[0], COLORS)
    _grid(axes[6], heads, first, sets[0], COLORS)
    if len(sets) > 1:
        second = types[types["set"] == sets[1]]
        _grid(axes[7], heads, second, sets[1], OTHER_COLORS)
        _shares(axes[8], second, sets[1], OTHER_COLORS)
    else:
        say_instead(axes[7:], "there is one set of rules")
    return figure, _tables(results, title, digits)


def _finding(types: pd.DataFrame) -> str:
    if types.empty:
        return "No heads: the model reads no text"
    first = types[types["set"] == types["set"].iloc[0]]
    named = first.iloc[:-1].sort_values("share", ascending=False, kind="stable")
    most, rest = named.iloc[0], first.iloc[-1]
    at_random = first["random_weights"].iloc[-1]
    beside = "" if pd.isna(at_random) else f" ({percent(at_random)} with random weights)"
    depends = most["first_key"] == DEPENDS
    share = f"{percent(most['share_without_first_key'])} without the first token's key"
    without = f" ({share})" if depends else ""
    return (
        f"By our bounds {percent(most['share'])} of the heads are {_words(most['type'])}{without}, "
        f"{percent(rest['share'])}{beside} {_words(rest['type'])}"
    )


def _subtitle(types: pd.DataFrame, label: str) -> str:
    if types.empty:
        return label
    row = types.iloc[0]
    return (
        f"{label} · {counted(row['n_heads'], 'head')} · types by bounds on features, means over "
        f"{counted(row['n_texts'], 'text')}; the bounds are ours, the five names those of Kovaleva "
        "et al. (2019), thesis figure 8 · a to e: the clearest head of each, with its margin where "
        f"that is below {WEAK:g} and the pattern may not show; rows are queries, from 0 (light) to "
        f"1 (dark) · g, h: colors of the bars f, i · lines on bars: {100 * row['level']:g} % "
        "intervals over texts; diamonds: without the first token's key, on which a type depends if "
        "too few of its heads have it both ways"
    )


def _maps(axes: Sequence[Axes], types: pd.DataFrame, maps: np.ndarray, tokens: list[str]) -> None:
    """Draw the clearest head of each type; a type without a head says so."""
    for number, ax in enumerate(axes):
        if number >= len(types):
            say_instead([ax], "no further type")
            continue
        row = types.iloc[number]
        name = _words(row["type"])
        if not row["n"]:
            ax.set_title(name)
            say_instead([ax], fill(f"no head is {name} by these bounds", 26))
            continue
        layer, head = int(row["clearest_layer"]), int(row["clearest_head"])
        margin = float(row["clearest_margin"])
        weak = f", margin {margin:.2g}" if margin < WEAK else ""
        title = f"{name}: {head_name(layer, head)}{weak}"
        draw_map(ax, maps[layer - 1, head - 1], tokens, title)


def _colors(types: pd.DataFrame, palette: Sequence[str]) -> dict[str, str]:
    """Return a color for each type of a set; the last has that of no pattern."""
    named = [*types["type"]]
    colors = [palette[number % len(palette)] for number in range(len(named) - 1)]
    return dict(zip(named, [*colors, REST], strict=True))


def _grid(
    ax: Axes, heads: pd.DataFrame, types: pd.DataFrame, name: str, palette: Sequence[str]
) -> None:
    colors = _colors(types, palette)
    numbers: Mapping[str, int] = {type_: number for number, type_ in enumerate(colors)}
    rows = heads[heads["set"] == name]
    values = grid_of(rows.assign(number=rows["type"].map(numbers)), "number")
    look: dict[str, Any] = {"cmap": ListedColormap([*colors.values()]), "has_bar": False}
    draw_grid(ax, values, SET_NAMES.get(name, name), vmin=0, vmax=len(colors) - 1, **look)


def _shares(ax: Axes, types: pd.DataFrame, name: str, palette: Sequence[str]) -> None:
    """Draw the share of each type as a bar with its interval, and a line at random weights."""
    import seaborn as sns

    colors = _colors(types, palette)
    shown = types.assign(name=types["type"].map(_words))
    sns.barplot(
        shown, x="share", y="name", hue="type", palette=colors, legend=False, ax=ax, saturation=1
    )
    places = np.arange(len(shown))
    low, high = shown["share"] - shown["share_low"], shown["share_high"] - shown["share"]
    if low.notna().all():
        errors = np.array([low.clip(lower=0), high.clip(lower=0)])
        ax.errorbar(shown["share"], places, xerr=errors, fmt="none", ecolor="0.2", elinewidth=0.8)
    ax.vlines(shown["random_weights"], places - 0.4, places + 0.4, color=BLACK, linestyles=":")
    # Inside the panel, for names beside it would make its column narrower than that of the maps.
    without = shown["share_without_first_key"]
    ax.plot(without, places, "D", color="white", markeredgecolor=BLACK, markersize=3, clip_on=False)
    lowest = shown["share_low"].fillna(shown["share"])
    columns = (shown["name"], lowest, shown["share"], without, shown["first_key"])
    for place, (type_, low_end, *shares, first_key) in enumerate(zip(*columns, strict=True)):
        inside = max(shares) > MOST_BESIDE
        at, side = (
            (min(low_end, shares[0]) - 0.02, "right") if inside else (max(shares) + 0.06, "left")
        )
        words = f"{type_}: depends" if first_key == DEPENDS else type_
        ax.text(at, place, words, ha=side, va="center", fontsize=7)
    ax.set_yticks([])
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    ax.set(title=SHARE_TITLES.get(name, name), xlabel="share of heads (dots: random)", ylabel="")
    ax.set_xlim(0, 1.03)


def _words(name: str) -> str:
    return str(name).replace("vertical_diagonal", "vertical + diagonal").replace("_", " ")


def _tables(results: Results, title: str, digits: int) -> str:
    types = results["types"]
    names = {name: SET_NAMES.get(name, name) for name in types["set"]}
    words = {name: _words(name) for name in types["type"]}
    shown = results.for_readers("types", set=names, type=words)
    clearest = [
        "" if pd.isna(layer) else head_name(layer, head)
        for layer, head in zip(types["clearest_layer"], types["clearest_head"], strict=True)
    ]
    shown.insert([*shown].index("margin"), "clearest head", clearest)
    first = section(
        "Types",
        "Each head has the first type whose bounds it keeps, the last if none. Stability is the "
        "share of halves of the texts by which a head has the same type, the mean over heads of "
        "the type. The margin says how far the clearest head is from another type: from a bound of "
        "its own, or from keeping those of a type that is asked before. The same rules are asked "
        "of the maps without the first token: a type depends on its key if too few of the heads "
        "that have it with that key or without have it both ways.",
        markdown_table(shown, digits),
    )
    return tables_page(title, STAGE, first)
