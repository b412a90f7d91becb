"""Draws how parallel the sentence differences of a category are, by `measure_differences`."""

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import new_figure, say_instead, sentence_case
from embspace.draw.page.looks import GRAY, MODELS, POOLINGS, VERMILION
from embspace.draw.page.markdown import folded, interval, markdown_table, section

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
    figure, axes = new_figure(
        2,
        len(POOLINGS),
        height_mm=height_mm,
        title=_finding(last),
        subtitle=f"{label} · {_population(last)} · consistency: mean cosine between the "
        "differences of two pairs of a category",
        stage="measure_differences",
    )
    text = _tables(last, label, digits)
    if categories.empty:
        say_instead(axes, "no pairs of sentences that the model could read")
        return figure, text
    order = _order(last)
    for number, pooling in enumerate(POOLINGS):
        upper, lower = axes[number], axes[number + len(POOLINGS)]
        rows = last[last["pooling"] == pooling].set_index("category").loc[order]
        _beside_chance(upper, rows, pooling)
        by_layer = categories[categories["pooling"] == pooling]
        _by_layer(figure, lower, by_layer, order, number)
        for ax in (upper, lower) if number else ():
            ax.set_yticklabels([])
            ax.tick_params(axis="y", length=0)
    _share_range([*axes[: len(POOLINGS)]])
    figure.legend(
        *axes[0].get_legend_handles_labels(), loc="outside lower left", ncols=4, columnspacing=1.2
    )
    return figure, text


def _finding(last: pd.DataFrame) -> str:
    """Return the title: the categories above chance, in the pooling of the largest mean."""
    means = last.groupby("pooling", sort=False)["consistency"].mean().dropna()
    if means.empty:
        return "No two differences of one category can be compared"
    rows = last[(last["pooling"] == means.idxmax()) & last["consistency"].notna()]
    above = int((rows["consistency"] > rows["null_consistency_sign_flips_high"]).sum())
    return (
        "Sentence differences are more parallel than with flipped signs in "
        f"{above} of {len(rows)} categories ({POOLINGS[str(means.idxmax())].name}: mean cosines "
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
    y, look = np.arange(len(rows)), POOLINGS[pooling]
    low, high = (rows[f"null_consistency_sign_flips_{end}"] for end in ("low", "high"))
    ax.hlines(y, low, high, color=NULL_COLOR, linewidth=6, label="signs flipped (null)")
    random = MODELS["random"]
    ax.plot(
        rows["random_weights_consistency"],
        y,
        random.marker,
        color=random.color,
        markersize=4,
        label=random.name,
    )
    low, high = (rows[f"consistency_{end}"] for end in ("low", "high"))
    ax.hlines(y, low, high, color="0.2", linewidth=1)
    ax.plot(rows["consistency"], y, "o", color="0.2", markersize=4, label="all pairs")
    ax.plot(
        rows["consistency_different_tokens"],
        y,
        "|",
        color=VERMILION,
        markersize=8,
        markeredgewidth=1.6,
        label="no token in common",
    )
    ax.set_yticks(y, rows.index)
    ax.set(ylim=(len(y) - 0.5, -0.5), xlabel="consistency", title=sentence_case(look.name))
    ax.axvline(0, color=GRAY, linewidth=0.6)


def _share_range(axes: list[Axes]) -> None:
    """Give all panels one range of x, from the lowest to the highest of their limits."""
    ends = np.array([ax.get_xlim() for ax in axes])
    for ax in axes:
        ax.set_xlim(ends[:, 0].min(), ends[:, 1].max())


def _by_layer(
    figure: Figure, ax: Axes, categories: pd.DataFrame, order: list[str], number: int
) -> None:
    name = [*POOLINGS.values()][number].name.partition(" (")[0]
    table = categories.pivot(index="category", columns="layer", values="consistency").loc[order]
    sns.heatmap(table, ax=ax, cmap="mako_r", vmin=0, vmax=1, cbar=False, linewidths=0.3)
    ax.set(xlabel="layer", ylabel="", title=f"{sentence_case(name)} by layer")
    ax.grid(visible=False)
    ax.tick_params(length=0, labelrotation=0)
    if number == len(POOLINGS) - 1:
        bar = figure.colorbar(ax.collections[0], ax=ax, pad=0.02, aspect=18)
        bar.set_label("consistency")


def _tables(last: pd.DataFrame, label: str, digits: int) -> str:
    """Return the table of the first pooling and, behind a fold, all others."""
    heading = f"# Consistency of sentence differences in {label}\n\nStage `measure_differences`.\n"
    sections = {
        pooling: [
            section(f"{sentence_case(look.name)}{part}", note, _shown(last, pooling, names, digits))
            for part, note, names in (("", NOTE, COLUMNS), (", further numbers", NOTE, MORE))
        ]
        for pooling, look in POOLINGS.items()
    }
    first = next(iter(POOLINGS))
    others = [each for name, parts in sections.items() for each in parts[name == first :]]
    return "\n".join([heading, sections[first][0], folded("\n".join(others))])


def _shown(last: pd.DataFrame, pooling: str, names: dict[str, str], digits: int) -> str:
    rows = last[last["pooling"] == pooling][[*names]].rename(columns=names)
    return markdown_table(rows, digits, exact=["p of that"])
