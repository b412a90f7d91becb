"""Draws the cosines of pairs of texts by layer, from `measure_sentence_similarity`."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import counted, new_figure, say_instead, sentence_case
from embspace.draw.page.looks import (
    GRAY,
    TEXT_POOLINGS,
    all_pooling_looks,
    corpus_looks,
    pooling_looks,
)
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.saving import Results
from embspace.draw.page.wording import is_alike, side_by_side

STAGE = "measure_sentence_similarity"
FURTHER_RESULTS = ("text_clouds/distributions.csv",)
CLOUDS = "text_clouds/distributions"
FAN = {("0.01", "0.99"): 0.2, ("0.05", "0.95"): 0.35, ("0.25", "0.75"): 0.6}  # opacity
MEDIAN = "quantile_0.5"


def draw_sentence_similarity(
    results: Results,
    label: str,
    *,
    row_height_mm: PositiveFloat,
    n_listed: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the quantiles of all pairs by layer, in one row for each corpus, one panel a pooling.

    A corpus with too few texts for quantiles has a line a pair. The table has `n_listed` pairs a
    corpus and pooling.
    """
    corpora = {str(name): rows for name, rows in results["csv"].groupby("corpus", sort=False)}
    quantiles = _quantiles(results[CLOUDS])
    n_rows = max(len(corpora), 1)
    height, title = row_height_mm * n_rows + 25, _finding(quantiles)
    subtitle = (
        f"{label} · all pairs of windows of different documents, n beside each row; "
        "few texts: a line per pair · layer 0: embeddings"
    )
    figure, axes = new_figure(
        n_rows, 3, height_mm=height, title=title, subtitle=subtitle, stage=STAGE
    )
    if not corpora:
        say_instead(axes, "no corpus with two texts")
        return figure, _tables(results, label, n_listed, digits)
    for row, (corpus, table) in enumerate(corpora.items()):
        own = axes[3 * row : 3 * row + 3]
        _corpus(own, corpus, table, quantiles[quantiles["corpus"] == corpus])
    looks = pooling_looks(results["csv"]["pooling"]).values()
    for upper, lower, look in zip(axes[:3], axes[-3:], looks, strict=True):
        upper.set_title(sentence_case(look.name))
        lower.set_xlabel("layer")
    _legend(figure)
    return figure, _tables(results, label, n_listed, digits)


def _quantiles(distributions: pd.DataFrame) -> pd.DataFrame:
    """Return the cosines of pairs within a corpus."""
    within = distributions["corpus"] == distributions["other_corpus"]
    return distributions[within & (distributions["quantity"] == "cosine")]


def _finding(quantiles: pd.DataFrame) -> str:
    """Return the title: the largest change of a median cosine from one layer to the next."""
    if MEDIAN not in quantiles:  # no corpus has enough texts for a table of quantiles
        return "Too few texts to compare the cosines of all pairs"
    medians = quantiles.pivot(index="layer", columns=["pooling", "corpus"], values=MEDIAN)
    means = medians.T.groupby(level="pooling").mean().T
    if len(means) < 2:
        return "Too few texts to compare the cosines of all pairs"
    steps = means.diff().abs()
    pooling = str(steps.max().idxmax())
    layer = steps[pooling].idxmax()
    of = TEXT_POOLINGS[pooling].name
    if medians.columns.get_level_values("corpus").nunique() > 1:
        of += ", mean of the corpora"
    (earlier, before), (_, after) = means[pooling].loc[:layer].iloc[-2:].items()
    if is_alike([before, after], 2):
        at_first, then = side_by_side([before, after], 2, differ=True)
        return (
            "Texts neither draw together nor spread out: at most, the median cosine of two texts "
            f"goes from {at_first} at layer {earlier} to {then} at layer {layer} ({of})"
        )
    verb = "spread out" if after < before else "draw together"
    return (
        f"Texts {verb} in layer {layer}: the median cosine of two texts goes from {before:.2f} at "
        f"layer {earlier} to {after:.2f} ({of})"
    )


def _name(corpus: str, n_pairs: int) -> str:
    name = sentence_case(corpus_looks([corpus])[corpus].name)
    return f"{name}\nn = {counted(n_pairs, 'pair')}\n\ncosine"


def _corpus(
    axes: Sequence[Axes], corpus: str, table: pd.DataFrame, quantiles: pd.DataFrame
) -> None:
    """Draw the panels of a corpus on one range."""
    n_pairs = table["n_pairs"].iloc[0] if quantiles.empty else quantiles["n"].max()
    axes[0].set_ylabel(_name(corpus, int(n_pairs)))
    lowest = min(table["cosine"].min(), 0.0)
    if not quantiles.empty:
        lowest = min(lowest, quantiles["quantile_0.01"].min())
    for ax, (pooling, look) in zip(axes, pooling_looks(table["pooling"]).items(), strict=True):
        top = table[(table["pooling"] == pooling) & (table["rank"] == 1)]
        fan = quantiles[quantiles["pooling"] == pooling]
        if fan.empty:
            _pairs(ax, table[table["pooling"] == pooling])
        else:
            _fan(ax, fan, look.color)
            ax.plot(top["layer"], top["cosine"], "_", color="0.2", markersize=7)
        ax.set_ylim(lowest - 0.04, 1.04)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        if ax is not axes[0]:
            ax.set_yticklabels([])


def _fan(ax: Axes, rows: pd.DataFrame, color: str) -> None:
    for (low, high), alpha in FAN.items():
        ends = rows[f"quantile_{low}"], rows[f"quantile_{high}"]
        ax.fill_between(rows["layer"], *ends, color=color, alpha=alpha, linewidth=0)
    ax.plot(rows["layer"], rows[MEDIAN], color="0.1", linewidth=1.2)


def _pairs(ax: Axes, table: pd.DataFrame) -> None:
    """Draw a gray line for each pair of few texts."""
    for _, rows in table.groupby(["first", "second"]):
        ax.plot(rows["layer"], rows["cosine"], color=GRAY, marker=".", markersize=3, linewidth=0.9)


def _legend(figure: Figure) -> None:
    handles: list[Any] = [Line2D([], [], color="0.1", linewidth=1.2, label="median")]
    for (low, high), alpha in reversed(FAN.items()):
        name = f"{100 * float(low):.0f} to {100 * float(high):.0f} %"
        handles.append(Patch(color="0.4", alpha=alpha, linewidth=0, label=name))
    handles.append(Line2D([], [], color="0.2", marker="_", ls="none", label="most similar pair"))
    look: dict[str, Any] = {"ncols": 5, "columnspacing": 0.8, "handlelength": 1.4}
    figure.legend(handles=handles, loc="outside lower left", **look)


def _tables(results: Results, label: str, n_listed: int, digits: int) -> str:
    """Return each corpus's most similar pairs by mean pooling and, behind a fold, by the others."""
    sections = [f"# Similarity of texts in {label}\n\nStage `measure_sentence_similarity`.\n"]
    if results["csv"].empty:
        sections.append("No corpus has two texts that the model reads.\n")
    more = list[str]()
    for corpus, table in results["csv"].groupby("corpus", sort=False):
        last = table[(table["layer"] == table["layer"].max()) & (table["rank"] <= n_listed)]
        name = sentence_case(corpus_looks([str(corpus)])[str(corpus)].name)
        for pooling, look in all_pooling_looks(last["pooling"]).items():
            shown = results.for_readers("csv", last[last["pooling"] == pooling])
            note = f"The most similar pairs at the last layer, {table['layer'].max()}, {look.name}."
            to = sections if pooling == "mean" else more
            title = name if pooling == "mean" else f"{name}, {look.name}"
            to.append(section(title, note, markdown_table(shown, digits)))
    return "\n".join([*sections, *([folded("\n".join(more))] if more else [])])
