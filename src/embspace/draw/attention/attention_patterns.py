"""Draws the types of heads, clear examples of them, and how alike heads are: Luisto's figure 8."""

from collections.abc import Sequence
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.attention.head_map import (
    beside_others,
    divergence_section,
    draw_divergence,
    is_negligible,
)
from embspace.draw.attention.head_names import draw_map, head_name
from embspace.draw.page.canvas import (
    HALO,
    counted,
    legend_below,
    new_figure,
    percent,
    say_instead,
    sentence_case,
)
from embspace.draw.page.looks import BLACK, BLUE, MODELS
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results

STAGE = "measure_attention_patterns"
FURTHER_RESULTS = (
    "head_features/examples.csv",
    "head_features/divergence.csv",
    "data/measured/head_features.safetensors",
)
EXAMPLES, DIVERGENCE = "head_features/examples", "head_features/divergence"
TENSORS = FURTHER_RESULTS[2]
KOVALEVA = "kovaleva"
SET_NAMES = {KOVALEVA: "types of Kovaleva et al.", "own": "our own types"}
CLEAR = 0.05  # the least margin with which the eye sees a pattern
MOST = 0.5  # of the heads
MOST_BESIDE = 0.6  # a longer bar has its name inside
WIDTH_OF_NAME, MARK = 0.4, 0.04  # of the panel, and from a diamond's middle to a name
ANY = "any of these"  # in the place of the last type, which takes what no other has taken
N_MAPS = 4
AROUND_MM = 35.0  # that heading and legend take
WITHOUT_FIRST = "without the first token's key"
COLUMNS = ("set", "type", "n", "share", "random_weights", "clearest_margin", "first_key")
MORE = ("set", "type", "stability", "n_without_first_key", "n_both")


def draw_attention_patterns(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw clear heads of four types with tokens, the shares of the types, and divergences."""
    types, divergence = results["types"], results[DIVERGENCE]
    clear = _clear(types)
    n_panels = len(clear) + 2
    n_columns = 3 if n_panels != 4 else 2
    n_rows = -(-n_panels // n_columns)
    figure, axes = new_figure(
        n_rows,
        min(n_columns, n_panels),
        height_mm=AROUND_MM + (height_mm - AROUND_MM) * n_rows / 2,
        title=_finding(types, divergence),
        subtitle=_subtitle(types, label),
        stage=STAGE,
    )
    title = f"Types of heads of {label}"
    if types.empty:
        say_instead(axes, "the model reads no text")
        return figure, tables_page(title, STAGE, "The model reads no text.\n")
    for ax in axes[n_panels:]:
        ax.set_axis_off()
    shares, differences = axes[len(clear) : n_panels]
    if len(clear):
        tokens = results[EXAMPLES]["token"].astype(str).tolist()
        _maps(axes[: len(clear)], clear, results[TENSORS]["example"], tokens)
        _scale(axes[: min(n_columns, len(clear))])
    _shares(shares, _with_any(types[types["set"] == types["set"].iloc[0]]))
    if divergence.empty:
        say_instead([differences], fill("there are no two heads to compare", 26))
    else:
        draw_divergence(differences, divergence)
    legend_below(figure, [differences, shares], ncols=4)
    return figure, _tables(results, title, digits)


def _finding(types: pd.DataFrame, divergence: pd.DataFrame) -> str:
    if types.empty:
        return "No heads: the model reads no text"
    first = types[types["set"] == types["set"].iloc[0]]
    shares, rest = ("share", "share_without_first_key", "random_weights"), first.iloc[-1]
    own, without, at_random = (1 - rest[share] for share in shares)
    is_said = not (divergence.empty or is_negligible(divergence))
    verdict = beside_others(divergence) if is_said else ""
    way = verdict.removesuffix(" than")
    differ = f"heads differ {way} within a layer than between layers" if verdict else ""
    if not (own or without or at_random > 0):
        none = f"none of {counted(rest['n_heads'], 'head')} makes a pattern by our bounds"
        none += ", as at random weights" if at_random == 0 else ""
        return sentence_case("; ".join(filter(None, [differ, none])))
    if at_first := _at_first_key(first):
        return "; ".join(filter(None, [at_first, differ]))
    said = f"{percent(own)} of the heads make a pattern by our bounds"
    if at_random > 0:  # the strongest null, and no third number
        said += f", {percent(at_random)} with random weights"
    else:
        said += f", {percent(without)} {WITHOUT_FIRST}"
        said += ", none with random weights" if at_random == 0 else ""
    return "; ".join(filter(None, [said, differ]))


def _at_first_key(types: pd.DataFrame) -> str:
    """Return what most heads are if few of them are so without the first token's key; else ""."""
    most = types.iloc[:-1].nlargest(1, "share").iloc[0]
    share, without, random = (
        float(most[name]) for name in ("share", "share_without_first_key", "random_weights")
    )
    few = share / 2
    if share <= MOST or not without < few or random >= few:
        return ""
    said = f"By our bounds {percent(share)} of the heads are {_words(most['type'])}"
    at_random = "none" if random == 0 else percent(random)
    beside = "" if pd.isna(random) else f", {at_random} with random weights"
    return f"{said} ({percent(without)} {WITHOUT_FIRST}){beside}"


def _subtitle(types: pd.DataFrame, label: str) -> str:
    if types.empty:
        return label
    row = types.iloc[0]
    maps = " · maps: a row is a query, and the head the clearest of its type"
    return (
        f"{label} · {counted(row['n_heads'], 'head')} · types by bounds on features, means over "
        f"{counted(row['n_texts'], 'text')}; the bounds are ours, names of types at bars those of "
        f"Kovaleva et al. (2019){maps if len(_clear(types)) else ''} · lines and bands: "
        f"{100 * row['level']:g} % intervals over texts"
    )


def _clear(types: pd.DataFrame) -> pd.DataFrame:
    """Return types of the first set, of the bars, with a head whose pattern shows."""
    types = types[types["set"] == types["set"].iloc[0]].iloc[:-1] if len(types) else types
    clear = types[types["clearest_margin"] >= CLEAR]
    return clear.drop_duplicates(["clearest_layer", "clearest_head"]).head(N_MAPS)


def _maps(axes: Sequence[Axes], types: pd.DataFrame, maps: np.ndarray, tokens: list[str]) -> None:
    """Draw the clearest head of every type."""
    columns = ["type", "clearest_layer", "clearest_head"]
    for ax, (name, *place) in zip(axes, types[columns].itertuples(index=False), strict=False):
        layer, head = map(int, place)
        title = f"{sentence_case(_words(name))}: layer {layer}, head {head}"
        draw_map(ax, maps[layer - 1, head - 1], tokens, title)


def _scale(axes: Sequence[Axes]) -> None:
    """Draw one bar of colors beside the maps of the first row."""
    bar = axes[0].figure.colorbar(
        axes[0].collections[0], ax=[*axes], aspect=24, pad=0.01, label="attention"
    )
    bar.outline.set_visible(False)


def _with_any(types: pd.DataFrame) -> pd.DataFrame:
    """Return the types with the complement of the last, which has all heads without a pattern."""
    shares = ["share", "share_low", "share_high", "random_weights", "share_without_first_key"]
    types = types[["type", *shares]].copy()
    types.iloc[-1] = [ANY, *(1 - types[shares].iloc[-1])]
    types.loc[types.index[-1], ["share_low", "share_high"]] = [
        *types[["share_high", "share_low"]].iloc[-1]
    ]
    return types


def _shares(ax: Axes, types: pd.DataFrame) -> None:
    """Draw the shares of the types as bars with intervals, beside random weights."""
    places, shares = np.arange(len(types)), types["share"]
    ax.barh(places, shares, color=BLUE)
    low, high = shares - types["share_low"], types["share_high"] - shares
    if low.notna().all():
        errors = np.array([low.clip(lower=0), high.clip(lower=0)])
        ax.errorbar(shares, places, xerr=errors, fmt="none", ecolor="0.2", elinewidth=0.8)
    look, without = MODELS["random"], types["share_without_first_key"]
    marks: dict[str, Any] = {"clip_on": False, "ls": "None", "zorder": 4}
    ax.plot(
        types["random_weights"],
        places,
        look.marker,
        color=look.color,
        ms=5,
        label=look.name,
        **marks,
    )
    marks |= {"markeredgecolor": BLACK, "label": WITHOUT_FIRST}
    ax.plot(without, places, "D", color="white", markersize=3, **marks)
    # Inside the panel, for names beside it would make its column narrower than that of the maps.
    lowest = types["share_low"].fillna(shares)
    for place, (name, low_end, *ends) in enumerate(
        zip(types["type"], lowest, shares, without, strict=True)
    ):
        inside = max(ends) > MOST_BESIDE
        words = f"{_words(name)}{chr(10) if inside else ' '}{percent(ends[0])}"
        words += f"\nwithout first key {percent(ends[1])}" if name == ANY else ""
        at = min(low_end, ends[0]) - 0.02 if inside else max(ends) + 0.06
        if inside and at - WIDTH_OF_NAME < ends[1] <= at + MARK:
            at = ends[1] - MARK  # left of the diamond
        look_of_name: dict[str, Any] = {"ha": "right" if inside else "left", "va": "center"}
        look_of_name["path_effects"] = HALO
        ax.text(at, place, words, fontsize=7, **look_of_name)
    ax.set_yticks([])
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    ax.set(title="Share of each type", xlabel="share of heads", xlim=(0, 1.03))
    ax.invert_yaxis()


def _words(name: str) -> str:
    return str(name).replace("vertical_diagonal", "vertical + diagonal").replace("_", " ")


def _tables(results: Results, title: str, digits: int) -> str:
    types = results["types"]
    words: dict[str, Any] = {
        "set": {name: SET_NAMES.get(name, name) for name in types["set"]},
        "type": {name: _words(name) for name in types["type"]},
    }
    shown = results.for_readers("types", columns=COLUMNS, **words)
    clearest = [
        "" if pd.isna(layer) else head_name(layer, head)
        for layer, head in zip(types["clearest_layer"], types["clearest_head"], strict=True)
    ]
    shown.insert([*shown].index("margin"), "clearest head", clearest)
    first = section(
        "Types",
        "Each head has the first type whose bounds it keeps, the last if none. The margin says how "
        "far the clearest head, named by layer and number, is from another type: from a bound of "
        "its own, or from keeping those of a type that is asked before. The same rules are asked "
        "of the maps without the first token: a type depends on its key if too few of the heads "
        "that have it with that key or without have it both ways.",
        markdown_table(shown, digits),
    )
    more = section(
        "Stability",
        "The share of halves of the texts by which a head has the same type, the mean over heads "
        f"of the type; and the heads of a type {WITHOUT_FIRST}.",
        markdown_table(results.for_readers("types", columns=MORE, **words), digits),
    )
    divergence = results[DIVERGENCE]
    differences = [] if divergence.empty else [divergence_section(divergence, digits)]
    return tables_page(title, STAGE, first, more, *differences)
