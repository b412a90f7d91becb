"""Draws norms, distances and cosines of texts, by `measure_text_clouds`: Luisto's figure 26."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    QUANTITIES,
    counted,
    legend_below,
    new_figure,
    quantile_range,
    say_instead,
    step,
)
from embspace.draw.page.looks import TEXT_POOLINGS, corpus_looks
from embspace.draw.page.saving import Results
from embspace.draw.page.wording import side_by_side
from embspace.draw.texts.text_cloud_tables import text_cloud_tables

STAGE = "measure_text_clouds"
NARROW = 0.002  # an axis of a smaller share of its values has long numbers
TITLES = {
    "norm": "Norms of texts",
    "euclidean_distance": "Distances of pairs",
    "dot_product": "Dot products of pairs",
    "cosine": "Cosines of pairs",
}
NO_CORPUS = "no corpus has enough texts that this model reads"


def draw_text_clouds(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw norms, distances, dot products and cosines of one layer and pooling, by corpus."""
    histogram = results["histogram"]
    title = _finding(results["distributions"], histogram)
    subtitle = f"{label} · {population(results['corpora'])}"
    figure, axes = new_figure(
        2, 2, height_mm=height_mm, title=title, subtitle=subtitle, stage=STAGE
    )
    text = text_cloud_tables(results, label, digits)
    if histogram.empty:
        say_instead(axes, NO_CORPUS)
    else:
        _densities(axes, histogram, results["distributions"])
        legend_below(figure, axes, ncols=5)
    return figure, text


def _shown(histogram: pd.DataFrame) -> pd.DataFrame:
    """Return the histograms of vectors or pairs within each corpus."""
    return histogram[histogram["corpus"] == histogram["other_corpus"]]


def _state(shown: pd.DataFrame) -> tuple[str, int]:
    """Return the pooling and the layer that have histograms."""
    first = shown.iloc[0]
    return str(first["pooling"]), int(first["layer"])


def _finding(distributions: pd.DataFrame, histogram: pd.DataFrame) -> str:
    """Return the title: the mean cosine of two texts of each corpus, as the panels draw it."""
    if histogram.empty:
        return "No collection of texts to describe"
    pooling, layer = _state(_shown(histogram))
    rows = _within(distributions, pooling, layer)
    rows = rows[rows["quantity"] == "cosine"].sort_values("mean", ascending=False)
    means = side_by_side(rows["mean"].tolist(), 2, differ=False)
    named = [
        (corpus_looks([name])[name].name, mean)
        for name, mean in zip(rows["corpus"], means, strict=True)
    ]
    (first, largest), *others = named
    beside = "".join(f", {name} {mean}" for name, mean in others)
    if not others:  # alike beside what?
        return (
            f"The mean cosine of two {first} is {largest} ({TEXT_POOLINGS[pooling].name} of layer "
            f"{layer})"
        )
    most = "the most alike" if others[0][1] != largest else "alike"
    return (
        f"Two {first} are {most}: mean cosine {largest}{beside} ({TEXT_POOLINGS[pooling].name} of "
        f"layer {layer})"
    )


def _within(distributions: pd.DataFrame, pooling: str, layer: int) -> pd.DataFrame:
    return distributions[
        (distributions["pooling"] == pooling)
        & (distributions["layer"] == layer)
        & (distributions["corpus"] == distributions["other_corpus"])
    ]


def population(corpora: pd.DataFrame) -> str:
    """Return for a subtitle the numbers of vectors and documents, and the corpora left out."""
    kept = corpora["left_out"].isna() | (corpora["left_out"] == "")
    parts = [
        f"{corpus_looks([name])[name].name}: {counted(n, 'vector')}"
        + (f" of {counted(n_documents, 'document')}" if n != n_documents else "")
        for name, n, n_documents in corpora.loc[kept, ["corpus", "n", "n_documents"]].to_numpy()
    ]
    left_out = ", ".join(corpus_looks([name])[name].name for name in corpora.loc[~kept, "corpus"])
    return " · ".join(parts + ([f"left out, too few texts: {left_out}"] if left_out else []))


def _densities(axes: Sequence[Axes], histogram: pd.DataFrame, distributions: pd.DataFrame) -> None:
    within = _shown(histogram)
    summary = _within(distributions, *_state(within))
    for ax, quantity in zip(axes, QUANTITIES, strict=True):
        for corpus, look in corpus_looks(within["corpus"]).items():
            chosen = (within["corpus"] == corpus) & (within["quantity"] == quantity)
            step(ax, within[chosen], look.name, look.color, look.line)
        ax.set(xlabel=QUANTITIES[quantity], ylabel="density", ylim=(0, None))
        ax.set_title(TITLES[quantity])
        low, high = quantile_range(summary[summary["quantity"] == quantity])
        if low < high:
            ax.set_xlim(low, high)
        if high - low < NARROW * abs(high):
            ax.locator_params(axis="x", nbins=4)
