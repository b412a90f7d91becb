"""Draws how alike texts are, layer by layer, by `measure_text_clouds`; after Luisto's figure 26."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, new_figure, say_instead, write_beside
from embspace.draw.page.direct_labels import name_lines
from embspace.draw.page.looks import corpus_looks
from embspace.draw.page.saving import Results
from embspace.draw.page.wording import random_sample, side_by_side
from embspace.draw.texts.layer_lines import RANDOM, draw_by_layer
from embspace.draw.texts.text_cloud_tables import text_cloud_tables

STAGE = "measure_text_clouds"
MEDIAN, QUARTILES = "quantile_0.5", ("quantile_0.25", "quantile_0.75")
POOLING = "mean"
LOW = 0.15  # a cosine beside which a number below it lies on the axis
NO_STEP = 0.01  # of a median at random weights
NO_CORPUS = "no corpus has enough texts that this model reads"


def draw_text_clouds(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the cosines of two texts of a corpus by layer, with mean pooling."""
    cosines, random = _cosines(results["distributions"]), results["random"]
    title, named = _finding(cosines, random)
    figure, (ax,) = new_figure(
        1,
        1,
        height_mm=height_mm,
        title=title,
        subtitle=f"{label} · {population(results['corpora'])} · mean pooling · all pairs of a "
        f"corpus: median, middle half · random weights: medians of {random_sample(random)}",
        stage=STAGE,
    )
    if cosines.empty:
        say_instead([ax], NO_CORPUS)
    else:
        _lines(ax, cosines, results["corpora"].set_index("corpus")["median_n_tokens"], random)
        for row in named.to_dict("records"):
            place = (row["layer"], row[MEDIAN])
            height = -9 if row[MEDIAN] > LOW else 5  # off the axis
            write_beside(ax, f"{row[MEDIAN]:.2f}", place, (6, height), color="0.2")
    return figure, text_cloud_tables(results, label, digits)


def _cosines(distributions: pd.DataFrame) -> pd.DataFrame:
    """Return the cosines of two texts of a corpus, with mean pooling, by layer."""
    rows = distributions[
        (distributions["quantity"] == "cosine")
        & (distributions["pooling"] == POOLING)
        & (distributions["corpus"] == distributions["other_corpus"])
    ]
    return rows.reindex(columns=["corpus", "layer", MEDIAN, *QUARTILES]).dropna(subset=[MEDIAN])


def _largest_step(cosines: pd.DataFrame) -> pd.DataFrame:
    """Return two rows, before and after the largest change of a median in one layer."""
    steps = cosines.groupby("corpus", sort=False)[MEDIAN].diff().abs()
    if not steps.notna().any():
        return cosines[:0]
    after = cosines.assign(step=steps).sort_values("step", ascending=False, kind="stable").iloc[0]
    own = cosines[cosines["corpus"] == after["corpus"]]
    return own[own["layer"].isin([after["layer"] - 1, after["layer"]])]


def _spread(cosines: pd.DataFrame) -> float:
    """Return the largest range over the layers that the medians of a corpus have."""
    medians = cosines.groupby("corpus")[MEDIAN]
    return float((medians.max() - medians.min()).max())


def _finding(cosines: pd.DataFrame, random: pd.DataFrame) -> tuple[str, pd.DataFrame]:
    """Return the title, and the rows of the medians in the title.

    The title tells the layer with the largest change of how alike two texts of a corpus are; where
    random weights have a step as large, the title holds the last layer against random weights.
    """
    step = _largest_step(cosines)
    if step.empty:
        return "No collection of texts to describe", step
    before, after = step[MEDIAN]
    shown = side_by_side([before, after], 2, differ=False)
    [corpus] = set(step["corpus"])
    two = f"Two {corpus_looks([corpus])[corpus].name}"
    if _spread(cosines) < NO_STEP:
        return f"{two} are as alike at every layer, at a median cosine of {shown[1]}", step
    untrained = random[random["corpus"] == corpus]
    null = untrained[MEDIAN].diff().abs().max()
    if null >= abs(after - before):
        last = [rows.iloc[-1:] for rows in (cosines[cosines["corpus"] == corpus], untrained)]
        return _beside_random(two, *last), pd.concat(last)
    has_none = "; random weights have none" if null < NO_STEP else ""
    layers = [f"layer {layer}" for layer in step["layer"]]
    return (
        f"{two} have a median cosine of {shown[0]} after {layers[0]}, of {shown[1]} after "
        f"{layers[1]}, the largest step{has_none}"
    ), step


def _beside_random(two: str, own: pd.DataFrame, random: pd.DataFrame) -> str:
    """Return the medians of the last layer, alike if each lies in the middle half beside it."""
    cosine, null = (rows[MEDIAN].item() for rows in (own, random))
    (low, high), (null_low, null_high) = (
        [rows[name].item() for name in QUARTILES] for rows in (own, random)
    )
    if low <= null <= high and null_low <= cosine <= null_high:
        same = "as alike at the last layer as at random weights"
        return f"{two} are {same}: median cosines {cosine:.2f} and {null:.2f}"
    beside = f"at random weights of {null:.2f}"
    return f"{two} have a median cosine of {cosine:.2f} at the last layer, {beside}"


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


def _lines(ax: Axes, cosines: pd.DataFrame, lengths: pd.Series, random: pd.DataFrame) -> None:
    """Draw a line a corpus, named with the median length of its texts, and the middle half."""
    for corpus, look in corpus_looks(cosines["corpus"]).items():
        rows = random[random["corpus"] == corpus]
        if len(rows):
            draw_by_layer(ax, rows, MEDIAN, RANDOM._replace(name=f"{RANDOM.name}, {look.name}"))
    for corpus, look in corpus_looks(cosines["corpus"]).items():
        rows = cosines[cosines["corpus"] == corpus]
        named = look._replace(name=f"{look.name}, {counted(round(lengths[corpus]), 'token')}")
        low, high = (rows[name] for name in QUARTILES)
        ax.fill_between(rows["layer"], low, high, color=look.color, alpha=0.2, linewidth=0)
        draw_by_layer(ax, rows, MEDIAN, named)
    ax.axhline(0, color="0.6", linewidth=0.8)
    ax.set(xlabel="layer (0: embedding output)", ylabel="cosine of two texts")
    name_lines(ax)
