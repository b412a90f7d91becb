"""Draws how parallel the sentence differences of a category are, by `measure_differences`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import legend_below, new_figure, say_instead, sentence_case
from embspace.draw.page.looks import (
    GRAY,
    MODELS,
    TEXT_POOLINGS,
    VERMILION,
    all_pooling_looks,
    pooling_looks,
)
from embspace.draw.page.markdown import folded, interval, markdown_table, section

STAGE = "measure_differences"
RESULTS = ("differences/categories.csv",)
TABLE = RESULTS[0].removesuffix(".csv")
COLUMNS = {
    "category": "category",
    "n": "pairs",
    **interval("consistency", "consistency"),
    **interval("null_consistency_sign_flips", "signs flipped"),
    "random_weights_consistency": "random weights",
    "consistency_different_tokens": "no token in common",
    "p_value_different_tokens": "p of that",
}
MORE = {
    "category": "category",
    "norm_of_mean": "length of the mean",
    "mean_norm": "mean length",
    "reliability": "reliability of the mean",
    **interval("null_consistency_re_paired", "re-paired"),
    **interval("null_consistency_unrelated", "unrelated sentences"),
    "n_compared_different_tokens": "comparisons without a common token",
    "random_weights_consistency_different_tokens": "these at random weights",
}
NOTE = (
    "Mean cosine between the differences of different pairs of a category. Nulls: signs of the "
    "differences flipped, second sentences re-paired within the category, unrelated sentences of "
    "like lengths."
)
NULL_COLOR = "0.82"
CELLS = {"index": "category", "columns": "layer", "values": "consistency"}


def draw_difference_consistency(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the consistency of each category at the last layer beside chance, and by layer."""
    categories = results[TABLE]
    last = categories[categories["layer"] == categories["layer"].max()]
    subtitle = (
        f"{label} · {_population(last)} · consistency: mean cosine between the differences of two "
        "pairs of a category, bars: 95 % intervals over pairs"
    )
    figure, axes = new_figure(
        2, 3, height_mm=height_mm, title=_finding(last), subtitle=subtitle, stage=STAGE
    )
    text = _tables(last, label, digits)
    if categories.empty:
        say_instead(axes, "no pairs of sentences that the model could read")
        return figure, text
    order, limit = _order(last), float(np.ceil(10 * categories["consistency"].max()) / 10)
    looks = pooling_looks(last["pooling"]).items()
    for upper, lower, (pooling, look) in zip(axes[:3], axes[3:], looks, strict=True):
        rows = last[last["pooling"] == pooling].set_index("category").loc[order]
        _beside_chance(upper, rows, look.name)
        by_layer = categories[categories["pooling"] == pooling]
        _by_layer(lower, by_layer.pivot(**CELLS).loc[order], limit, look.name)
    for ax in (*axes[1:3], *axes[4:]):
        ax.set_yticklabels([])
        ax.tick_params(axis="y", length=0)
    figure.colorbar(axes[5].collections[0], ax=axes[5], pad=0.02, aspect=18, label="consistency")
    _share_range(axes[:3])
    legend_below(figure, axes[:1], ncols=4, columnspacing=1.2)
    return figure, text


def _finding(last: pd.DataFrame) -> str:
    """Return the title: the categories above chance, in the pooling of the largest mean."""
    means = last.groupby("pooling", sort=False)["consistency"].mean().dropna()
    if means.empty:
        return "No two differences of one category can be compared"
    pooling = str(means.idxmax())
    rows = last[(last["pooling"] == pooling) & last["consistency"].notna()]
    above = int((rows["consistency"] > rows["null_consistency_sign_flips_high"]).sum())
    return (
        "Sentence differences are more parallel than by chance (signs flipped) in "
        f"{above} of {len(rows)} categories ({TEXT_POOLINGS[pooling].name}: mean cosines "
        f"{rows['consistency'].min():.2f} to {rows['consistency'].max():.2f})"
    )


def _population(last: pd.DataFrame) -> str:
    pairs = last.drop_duplicates("category")["n"]
    if pairs.empty:
        return "no category"
    n = f"{pairs.min()}" if pairs.min() == pairs.max() else f"{pairs.min()} to {pairs.max()}"
    return f"{len(pairs)} categories, n = {n} pairs each · a to c: layer {last['layer'].iloc[0]}"


def _order(last: pd.DataFrame) -> list[str]:
    """Return the categories, the most consistent one over all poolings first."""
    means = last.groupby("category", sort=False)["consistency"].mean()
    return [*means.sort_values(ascending=False, kind="stable").index]


def _beside_chance(ax: Axes, rows: pd.DataFrame, pooling: str) -> None:
    """Draw one row for each category: consistency, its interval, its null and random weights."""
    y = np.arange(len(rows))
    low, high = (rows[f"null_consistency_sign_flips_{end}"] for end in ("low", "high"))
    ax.hlines(y, low, high, color=NULL_COLOR, linewidth=6, label="signs flipped (null)")
    random, value = MODELS["random"], rows["random_weights_consistency"]
    ax.plot(value, y, random.marker, color=random.color, ms=4, label=random.name)
    low, high = (rows[f"consistency_{end}"] for end in ("low", "high"))
    ax.hlines(y, low, high, color="0.2", linewidth=1)
    ax.plot(rows["consistency"], y, "o", color="0.2", ms=4, label="all pairs")
    bar: dict[str, Any] = {"color": VERMILION, "ms": 8, "mew": 1.6, "label": "no token in common"}
    ax.plot(rows["consistency_different_tokens"], y, "|", **bar)
    ax.set_yticks(y, rows.index)
    ax.set(ylim=(len(y) - 0.5, -0.5), xlabel="consistency", title=sentence_case(pooling))
    ax.axvline(0, color=GRAY, linewidth=0.6)


def _share_range(axes: Sequence[Axes]) -> None:
    """Give all panels one range of x, from the lowest to the highest of their limits."""
    ends = np.array([ax.get_xlim() for ax in axes])
    for ax in axes:
        ax.set_xlim(ends[:, 0].min(), ends[:, 1].max())


def _by_layer(ax: Axes, table: pd.DataFrame, limit: float, pooling: str) -> None:
    import seaborn as sns

    sns.heatmap(table, ax=ax, cmap="mako_r", vmin=0, vmax=limit, cbar=False, linewidths=0.3)
    ax.set(xlabel="layer", ylabel="", title=sentence_case(pooling))
    ax.grid(visible=False)
    ax.tick_params(length=0, labelrotation=0)


def _tables(last: pd.DataFrame, label: str, digits: int) -> str:
    """Return the table of the first pooling and, behind a fold, all others."""
    heading = f"# Consistency of sentence differences in {label}\n\nStage `measure_differences`.\n"
    sections = []
    for pooling, look in all_pooling_looks(last["pooling"]).items():
        for part, names in (("", COLUMNS), (", further numbers", MORE)):
            rows = last[last["pooling"] == pooling][[*names]].rename(columns=names)
            table = markdown_table(rows, digits, exact=["p of that"])
            sections.append(section(f"{sentence_case(look.name)}{part}", NOTE, table))
    return "\n".join([heading, sections[0], folded("\n".join(sections[1:]))])
