"""Tells which layer parts texts most, with tables of the most similar pairs."""

import pandas as pd
from pydantic import NonNegativeInt, PositiveInt

from embspace.draw.page.canvas import sentence_case
from embspace.draw.page.looks import TEXT_POOLINGS, corpus_looks, pooling_looks
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.saving import Results
from embspace.draw.page.wording import is_alike, listed, side_by_side

STAGE = "measure_sentence_similarity"
DRAWN_IN = "text_clouds"
FURTHER_RESULTS = ("text_clouds/distributions.csv",)
CLOUDS = "text_clouds/distributions"
MEDIAN = "quantile_0.5"
ALIKE = 0.8  # a median cosine above which texts are alike
NARROW = 0.1  # a range of medians, over layers and poolings, above which a step is told


def draw_sentence_similarity(
    results: Results, label: str, *, n_listed: PositiveInt, digits: NonNegativeInt
) -> tuple[str, str]:
    """Return the layer that parts texts most, and tables of `n_listed` pairs a corpus."""
    finding = _finding(_quantiles(results[CLOUDS]))
    return finding, _tables(results, label, n_listed, digits)


def _quantiles(distributions: pd.DataFrame) -> pd.DataFrame:
    """Return the cosines of pairs within a corpus, of a decoder without the first token.

    The first token sees nothing else: texts with equal first words have equal vectors.
    """
    within = distributions["corpus"] == distributions["other_corpus"]
    within &= distributions["pooling"].isin([*pooling_looks(distributions["pooling"])])
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
    of, of_corpora = TEXT_POOLINGS[pooling].name, ""
    if medians.columns.get_level_values("corpus").nunique() > 1:
        of, of_corpora = f"{of}, mean of the corpora", " (means of the corpora)"
    (earlier, before), (_, after) = means[pooling].loc[:layer].iloc[-2:].items()
    if all(is_alike([low, high], 2) for low, high in zip(means.min(), means.max(), strict=True)):
        return f"Texts are as alike at every layer: median cosine {before:.2f} ({of})"
    if is_alike([before, after], 2):
        at_first, then = side_by_side([before, after], 2, differ=True)
        return (
            "No layer clearly draws texts together or spreads them out: at most, their median "
            f"cosine goes from {at_first} at layer {earlier} to {then} at layer {layer} ({of})"
        )
    least, most = means.min().min(), means.max().max()
    if least > ALIKE and most - least < NARROW:
        poolings = listed([look.name for name, look in TEXT_POOLINGS.items() if name in means])
        ends = f"median cosines {least:.2f} to {most:.2f}"
        return f"Texts are alike at every layer, by {poolings}: {ends}{of_corpora}"
    verb = "spread out" if after < before else "draw together"
    return (
        f"Texts {verb} in layer {layer}: the median cosine of two texts goes from {before:.2f} at "
        f"layer {earlier} to {after:.2f} ({of})"
    )


def _tables(results: Results, label: str, n_listed: int, digits: int) -> str:
    """Return the corpora's most similar pairs by mean pooling; behind a fold, by other poolings."""
    sections = [f"# Similarity of texts in {label}\n\nStage `measure_sentence_similarity`.\n"]
    if results["csv"].empty:
        sections.append("No corpus has two texts that the model reads.\n")
    more = list[str]()
    for corpus, table in results["csv"].groupby("corpus", sort=False):
        last = table[(table["layer"] == table["layer"].max()) & (table["rank"] <= n_listed)]
        name = sentence_case(corpus_looks([str(corpus)])[str(corpus)].name)
        for pooling, look in pooling_looks(last["pooling"]).items():
            shown = results.for_readers("csv", last[last["pooling"] == pooling])
            note = f"The most similar pairs at the last layer, {table['layer'].max()}, {look.name}."
            to = sections if pooling == "mean" else more
            title = name if pooling == "mean" else f"{name}, {look.name}"
            to.append(section(title, note, markdown_table(shown, digits)))
    return "\n".join([*sections, *([folded("\n".join(more))] if more else [])])
