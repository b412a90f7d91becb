"""Figure and tables of `measure_query_key_form`: how heads compare queries with keys."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.blocks.query_key_form_tables import tables_of
from embspace.draw.page.canvas import (
    count,
    counted,
    legend_below,
    new_figure,
    say_instead,
    sentence_case,
)
from embspace.draw.page.looks import BLACK, GRAY, ORANGE, PURPLE, SKY, Look
from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.saving import Results
from embspace.draw.page.wording import side_by_side

NULL = "random_initialization"
HEAD = Look("single heads", SKY, ".", "None")
LAYER = Look("all heads of a layer", BLACK, "o", "-")
MEDIAN = Look("median of heads", BLACK, "", ":")
SHARES = {
    "key_only_share": Look("term of the key alone, single heads", ORANGE, ".", "None"),
    "mean_query_share": Look("mean query, single heads", PURPLE, "x", "None"),
}
RANDOM = Look("random weights, single heads: range", GRAY, "", "-")
RANDOM_LAYER = Look("random weights, all heads: range", GRAY, "", "--")
BY_LAYER = {
    "symmetry": ("Symmetry: all heads together and each", "Symmetry"),
    "directionality": ("Directionality: keys outweigh above 0", "Directionality"),
    "positive_share": ("Eigenvalues that favor likeness", "Share, real part above 0"),
}
WIDTH = 0.6  # of what lies between two layers, over which heads are spread
LAST_COLOR = 0.9  # of viridis; its yellow is lost on white


def draw_query_key_form(
    results: Results,
    label: str,
    *,
    row_height_mm: PositiveFloat,
    most_lines: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw symmetry, directionality, angles, spectrum, eigenvalues and the key-only term.

    By layer, a point a head; by rank, a line a layer, means over heads. Gray is the range, or the
    mean, of models with random weights.
    """
    facts = results["json"]
    figure, axes = new_figure(
        3,
        2,
        height_mm=row_height_mm * 3 + 34,
        title=_title(results, label),
        subtitle=_subtitle(facts, label),
        stage="measure_query_key_form",
    )
    if not facts["known"]:
        say_instead(axes, f"{label}: {_why(facts)}")
        title = f"# Queries and keys of {label}\n\nStage `measure_query_key_form`.\n"
        return figure, f"{title}\n{sentence_case(_why(facts))}.\n"
    by_layer = [axes[0], axes[1], axes[4]]
    for ax, (measure, (title, ylabel)) in zip(by_layer, BY_LAYER.items(), strict=True):
        _by_layer(ax, results, measure)
        ax.set(title=title, ylabel=ylabel)
    angles, spectrum, shares = axes[2], axes[3], axes[5]
    _by_rank(angles, results["ranks"], "principal_angle", most_lines)
    angles.set(title="Angles between queries and keys", ylabel="Principal angle (°)")
    angles.set(ylim=(0, 92), xlabel="Rank, smallest angle first")
    _by_rank(spectrum, results["ranks"], "singular_share", most_lines)
    spectrum.set(title="Spectrum of a head's form", ylabel="Share of the squared norm")
    spectrum.set(yscale="log", xlabel="Rank, largest singular value first")
    spectrum.legend(title="Layer", fontsize=7, title_fontsize=7, ncols=2, loc="lower left")
    _shares(shares, results)
    legend_below(figure, [axes[0], axes[4], axes[5]], fontsize=7, ncols=3)
    return figure, tables_of(results, label, digits)


def _title(results: Results, label: str) -> str:
    """Return a sentence on the medians of symmetry over layers, and over heads, beside chance."""
    if not results["json"]["known"]:
        return f"How {label} compares queries with keys is not known here"
    nulls = results["nulls"].query(f"null == '{NULL}' and measure == 'symmetry'")
    [median] = nulls[nulls["part"] == "median_of_layers"].to_dict("records")
    of_heads = float(results["heads"]["symmetry"].median())
    how = "as symmetric as random ones"
    if median["n_above"]:
        how = "more symmetric than random ones"
    elif median["n_below"]:
        how = "less symmetric than random ones"
    differ = bool(median["n_above"] or median["n_below"])
    layer, random = side_by_side([median["median"], median["null_mean"]], 2, differ=differ)
    place = "its one block" if results["json"]["n_layers"] == 1 else "the median layer"
    return (
        f"Heads of {label} taken together are {how}: symmetry {layer} in {place}, "
        f"{of_heads:.2f} in the median head, {random} at random"
    )


def _subtitle(facts: dict[str, Any], label: str) -> str:
    if not facts["known"]:
        return label
    kind = "block" if "n_uses" in facts else "layer"
    shape = f"{counted(facts['n_layers'], kind)} of {counted(facts['n_heads'], 'head')}"
    if facts["n_key_heads"] < facts["n_heads"]:
        shape += f" with {counted(facts['n_key_heads'], 'key')}"
    if "n_uses" in facts:
        shape += f", used again in {facts['n_uses']} layers"
    parts = [label, shape, "weights alone, all of them: no interval"]
    if facts["n_tokens"] and not facts["rotary_positions"]:
        n_tokens, n_texts = count(facts["n_tokens"]), counted(facts["n_texts"], "text")
        parts.append(
            f"shares of scores: {n_tokens} tokens of {n_texts} ({corpus_called(facts['corpus'])})"
        )
    return " · ".join([*parts, f"random: {counted(facts['n_seeds'], 'seed')}"])


def _why(facts: dict[str, Any]) -> str:
    if facts["architecture"] is None:
        return "vectors alone have no attention"
    return f"the attention of {facts['architecture']} is not rebuilt here"


def _by_layer(ax: Axes, results: Results, measure: str) -> None:
    """Draw a point a head, the value of the whole layer or the median of heads, and chance."""
    heads, profiles = results["heads"], results["profiles"]
    nulls = results["nulls"].query(f"null == '{NULL}' and measure == '{measure}'")
    of_heads = nulls[nulls["part"] == "head"]
    _band(ax, of_heads)
    for end in ("null_smallest", "null_largest"):
        of_layers = nulls[nulls["part"] == "layer"]
        look: dict[str, Any] = {"color": GRAY, "linestyle": RANDOM_LAYER.line, "linewidth": 0.8}
        if len(of_layers):
            ax.plot(of_layers["layer"], of_layers[end], label=RANDOM_LAYER.name, **look)
    _points(ax, heads, measure, HEAD)
    rows = profiles.query(f"part == 'layer' and measure == '{measure}'")
    if len(rows):
        look = {"color": LAYER.color, "marker": LAYER.marker, "ms": 4, "label": LAYER.name}
        ax.plot(rows["layer"], rows["value"], **look)
    else:
        look = {"color": MEDIAN.color, "linestyle": MEDIAN.line, "label": MEDIAN.name}
        ax.plot(of_heads["layer"], of_heads["median"], **look)
    _layer_axis(ax, heads)


def _band(ax: Axes, rows: pd.DataFrame) -> None:
    """Shade the range of random weights, a step a layer."""
    x, low, high = rows["layer"], rows["null_smallest"], rows["null_largest"]
    look: dict[str, Any] = {"color": RANDOM.color, "alpha": 0.3, "linewidth": 0}
    edges = np.concatenate([x - 0.5, x[-1:] + 0.5])
    ax.stairs(high, edges, baseline=low, fill=True, label=RANDOM.name, **look)


def _points(ax: Axes, heads: pd.DataFrame, measure: str, look: Look) -> None:
    n_heads = heads["head"].max()
    x = heads["layer"] + WIDTH * ((heads["head"] - 0.5) / n_heads - 0.5)
    style: dict[str, Any] = {"color": look.color, "marker": look.marker, "ms": 4, "mew": 0.9}
    ax.plot(x, heads[measure], linestyle="None", label=look.name, zorder=1.5, **style)


def _layer_axis(ax: Axes, heads: pd.DataFrame) -> None:
    ax.set(xlabel="Layer", xlim=(heads["layer"].min() - 0.5, heads["layer"].max() + 0.5))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _by_rank(ax: Axes, ranks: pd.DataFrame, column: str, most_lines: int) -> None:
    """Draw a line a layer over ranks, and the mean of random weights over all layers."""
    trained = ranks[ranks["weights"] == "trained"]
    layers = trained["layer"].unique()
    shown = layers[np.unique(np.linspace(0, len(layers) - 1, most_lines).round().astype(int))]
    for layer, color in zip(
        shown, colormaps["viridis"](np.linspace(0, LAST_COLOR, len(shown))), strict=True
    ):
        rows = trained[trained["layer"] == layer]
        ax.plot(rows["rank"], rows[column], color=color, label=str(layer))
    chance = ranks[ranks["weights"] == NULL].groupby("rank")[column].mean()
    ax.plot(chance.index, chance, color=GRAY, linestyle="--", label="random")


def _shares(ax: Axes, results: Results) -> None:
    """Draw what of scores over keys is the same for every query; say why if nothing is."""
    facts, heads = results["json"], results["heads"]
    ax.set(title="Scores that are the same for every query", ylabel="Share of variance over keys")
    known = [share for share in SHARES if heads[share].notna().any()]
    if not known:
        why = (
            "positions are rotary: they turn a query,\nand its bias, by the distance to each key"
            if facts["rotary_positions"]
            else "there is no corpus of which a token was read"
        )
        say_instead([ax], f"Not defined: {why}")
        return
    nulls = results["nulls"].query(f"null == '{NULL}' and part == 'head'")
    _band(ax, nulls[nulls["measure"] == "mean_query_share"])
    for share in known:
        _points(ax, heads, share, SHARES[share])
    if "key_only_share" not in known:
        words = "queries have no bias,\nso there is no term of the key alone"
        ax.text(0.03, 0.97, words, transform=ax.transAxes, va="top", fontsize=7)
    ax.set_ylim(bottom=0)
    _layer_axis(ax, heads)
