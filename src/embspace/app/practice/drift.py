"""Command `embspace drift`: whether a model tells two corpora apart, and where they differ."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from embspace.app.practice.answers import Answer, interval, number
from embspace.app.practice.corpora import check_one_source
from embspace.app.practice.reading import read_corpus
from embspace.geometry.groups.two_clouds import TwoClouds, compare_clouds
from embspace.measure.practice.joined_corpora import (
    N_WORDS,
    SURE,
    BothCorpora,
    clusters_of,
    clusters_table,
    directions_table,
    distance_row,
    joined,
    texts_table,
    words_table,
)
from embspace.measure.practice.scored_versions import SEED
from embspace.measure.practice.text_vectors import snippet

N_PERMUTATIONS = 499
N_HALF_SAMPLES = 200
N_SHOWN = 5


def drift(
    first: Any,
    second: Any,
    model: Any = None,
    *,
    layer: int = -1,
    pooling: str | None = None,
    tokenizer: Any = None,
    vectors: Any = None,
    other_vectors: Any = None,
    reading: Mapping[str, Any] | None = None,
) -> Answer:
    """Return whether a model tells two corpora apart, and where they differ.

    Energy distance with a p-value by dealing documents, and the probability that a text of the
    first corpus leans more to the first than a text of the second. Tables: `distance`; `texts` with
    lean and cluster; `clusters` and `directions` with shares and means; `words` with shares of
    documents. Vectors of a single direction have the table `distance` alone. Documents of both
    corpora with the same id in a named column are the same document; row numbers join nothing, nor
    do ascending numbers, unless `reading` has `id_column` or `document_column`.

    Raises:
        InputError: as `read_corpus`; if vectors have different dimensions, or stand beside texts.
    """
    options = {"model": model, "tokenizer": tokenizer, "reading": reading}
    read = [
        read_corpus(corpus, vectors=own, **options)
        for corpus, own in ((first, vectors), (second, other_vectors))
    ]
    check_one_source(*read)
    clouds = [corpus.at(layer, pooling) for corpus in read]
    has_names = not {"id_column", "document_column"}.isdisjoint(reading or {})
    both = joined(*clouds, has_names=has_names)
    apart = compare_clouds(
        both.x,
        both.is_first,
        both.document,
        n_permutations=N_PERMUTATIONS,
        n_half_samples=N_HALF_SAMPLES,
        rng=np.random.default_rng(SEED),
    )
    distance = distance_row(apart, len(both.first), len(both.second))
    if np.isnan(apart.p_value):
        said = f"{_heading(both)}\nnothing can be told: all vectors have one direction"
        return Answer(said, _sentence_of_one_direction(both), {"distance": distance})
    cluster = clusters_of(both.x, SEED)
    chance: Any = {"n_permutations": N_PERMUTATIONS, "seed": SEED}
    tables = {
        "distance": distance,
        "texts": texts_table(both, apart, cluster),
        "clusters": clusters_table(both, cluster, **chance),
        "directions": directions_table(both, **chance),
        "words": words_table(both),
    }
    return Answer("\n".join(_said(both, apart, tables)), _sentence(both, apart), tables)


def _heading(both: BothCorpora) -> str:
    first, second = both.first, both.second
    sizes = f"{first.corpus} ({len(first):,} texts) and {second.corpus} ({len(second):,})"
    return f"{sizes} by \n  {second.place}"


def _said(both: BothCorpora, apart: TwoClouds, tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    first, second = both.first, both.second
    yield _heading(both)
    verdict = "apart" if apart.p_value <= SURE else "not apart beyond two halves of one corpus"
    yield f"{verdict}: p = {apart.p_value:.3f} ({N_PERMUTATIONS} deals of documents)"
    yield f"  energy distance {interval(apart.distance, apart.distance_low, apart.distance_high)}"
    yield (f"  a text of {first.corpus} leans more to {first.corpus} than one of {second.corpus}")
    yield (
        "  with probability "
        f"{interval(apart.auc, apart.auc_low, apart.auc_high)}; by chance "
        f"{number(apart.null_auc)}"
    )
    if apart.p_value > SURE:
        return
    clusters = tables["clusters"]
    moved = clusters[clusters["p_value"] <= SURE]
    yield f"clusters whose share differs: {len(moved)} of {len(clusters)}"
    for _, row in moved.head(N_SHOWN).iterrows():
        yield f"  {row['first_share']:6.1%} to {row['second_share']:6.1%}  {row['words']}".rstrip()
    directions = tables["directions"]
    sure = directions[directions["p_value"] <= SURE]
    shown = ", ".join(f"{row.component} ({row.effect:+.2f} sd)" for row in sure.itertuples())
    yield f"principal components whose mean differs: {shown or 'none'}"
    yield from _said_of_words(both, tables["words"])
    texts = tables["texts"]
    yield f"texts of {second.corpus} that lean most away from {first.corpus}"
    for _, row in texts[~texts["is_first"]].head(N_SHOWN).iterrows():
        yield f"  {row['lean_to_second']:+.3f}  {row['id']}  {snippet(row['text'])}".rstrip()


def _said_of_words(both: BothCorpora, words: pd.DataFrame) -> Iterator[str]:
    sure = words[words["p_value"] <= SURE]
    for corpus, rows in (
        (both.first.corpus, sure[sure["log_odds"] < 0]),
        (both.second.corpus, sure[sure["log_odds"] > 0]),
    ):
        if len(rows):
            yield f"words of more documents of {corpus}: {' '.join(rows['word'].head(2 * N_WORDS))}"


def _sentence_of_one_direction(both: BothCorpora) -> str:
    first, second = both.first, both.second
    return (
        f"By {second.place}, nothing can be told of a difference between {first.corpus} "
        f"({len(first):,} texts) and {second.corpus} ({len(second):,} texts): all vectors have one "
        "direction."
    )


def _sentence(both: BothCorpora, apart: TwoClouds) -> str:
    """Return the result as a sentence for a paper."""
    first, second = both.first, both.second
    verdict = "differ" if apart.p_value <= SURE else "do not differ beyond chance"
    return (
        f"By {second.place}, {first.corpus} ({len(first):,} texts) and {second.corpus} "
        f"({len(second):,} texts) {verdict} (energy distance over twice the mean distance "
        f"{interval(apart.distance, apart.distance_low, apart.distance_high)}, p = "
        f"{apart.p_value:.3f} by {N_PERMUTATIONS} permutations of documents; a text of "
        f"{first.corpus} leans more to {first.corpus} than one of {second.corpus} with probability "
        f"{interval(apart.auc, apart.auc_low, apart.auc_high)}; "
        "95 % intervals over documents)."
    )
