"""Command `embspace outliers`: the texts far from the rest of a corpus, with length and script."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.app.practice.answers import Answer, number
from embspace.app.practice.corpora import CorpusOfTexts, TextsOrVectors, check_one_source
from embspace.app.practice.reading import read_corpus
from embspace.errors import InputError, counted
from embspace.geometry.practice.outliers import FEWEST
from embspace.measure.practice.judged_texts import (
    FALSE_DISCOVERIES,
    Judged,
    judged_among,
    judged_table,
    judged_within,
    kinds_of,
)
from embspace.measure.practice.scored_versions import K
from embspace.measure.practice.text_vectors import snippet

N_SHOWN = 10


def outliers(
    corpus: Any,
    model: Any = None,
    *,
    of: Any = None,
    layer: int = -1,
    pooling: str | None = None,
    tokenizer: Any = None,
    vectors: Any = None,
    reading: Mapping[str, Any] | None = None,
    k: int = K,
) -> Answer:
    """Return how far texts lie from their k nearest of a corpus, and which are outliers.

    With `of`, further texts (or vectors) are judged by conformal p-values, exact for a corpus with
    a single text per document. Without `of`, the corpus's own texts are judged by the tail of the
    distances, with logarithms assumed exponential. Outliers are chosen at a false discovery rate of
    5 %. The table `texts` has the distance, its percentile among the corpus's own, p-values, the
    nearest text, and properties of the text: length, script, unknown tokens, copies.

    Raises:
        InputError: as `read_corpus`; if k is not below the number of documents, or vectors stand
            beside texts.
    """
    read = read_corpus(corpus, model=model, tokenizer=tokenizer, vectors=vectors, reading=reading)
    cloud = read.at(layer, pooling)
    n = len(np.unique(cloud.documents))
    if not 1 <= k < n:
        raise InputError(
            f"k (--neighbors): found {k}, allowed: 1 to {n - 1}, below the {n} documents"
        )
    if of is None:
        judged, unknown = judged_within(cloud, k), _unknown(read, cloud.table["id"])
    else:
        other = read_corpus(of, model=model, tokenizer=tokenizer, reading=reading)
        check_one_source(read, other)
        there = other.at(layer, pooling)
        if there.vectors.shape[1] != cloud.vectors.shape[1]:
            raise InputError(
                f"{there.corpus}: found {there.vectors.shape[1]} dimensions, allowed: "
                f"{cloud.vectors.shape[1]}, as {cloud.corpus} has"
            )
        judged, unknown = judged_among(there, cloud, k), _unknown(other, there.table["id"])
    table = judged_table(judged, unknown)
    kinds = kinds_of(table)
    said = "\n".join(_said(judged, table, kinds, k))
    return Answer(said, _sentence(judged, k), {"texts": table, "kinds": kinds})


def _unknown(read: TextsOrVectors, ids: pd.Series) -> Float[np.ndarray, " n"] | None:
    """Return the share of unknown tokens by text; None for vectors from elsewhere."""
    if not isinstance(read, CorpusOfTexts):
        return None
    tokens, windows = read.read.tokens, read.read.windows
    kept = tokens[~tokens["special"] & ~tokens["repeated"]]
    text = windows["text"].to_numpy()[kept["window"].to_numpy()]
    shares = (kept["id"] == read.loaded.tokenizer.unk_token_id).groupby(text).mean()
    return np.asarray(shares.reindex(ids).to_numpy(), dtype=np.float64)


def _said(judged: Judged, table: pd.DataFrame, kinds: pd.DataFrame, k: int) -> Iterator[str]:
    corpus = judged.among.corpus
    by = "by the tail of its own distances" if judged.is_within else f"among {corpus}"
    yield f"{judged.texts.corpus}: {counted(len(table), 'text')}, {by}, {k} nearest by cosine"
    if n_undefined := int(table["distance"].isna().sum()):
        yield (
            f"{counted(n_undefined, 'text')} without a distance: a vector of length 0, or fewer "
            f"than {k} neighbors"
        )
    if table["p_value"].isna().all():
        yield f"no verdict: {_why_none(judged)}"
    else:
        n = int(table["is_outlier"].sum())
        yield f"{counted(n, 'outlier')} at a false discovery rate of {100 * FALSE_DISCOVERIES:g} %"
        if not judged.is_within:
            least = judged.smallest_p
            lone = number(min(len(table) * least, 1), 4)
            yield (
                f"least p of {counted(judged.n_documents, 'document')}: {least:.2g}; adjusted for "
                f"{len(table):,} texts, a lone outlier comes to {lone}"
            )
    yield f"  {'distance':>8}  {'percentile':>10}  {'adjusted p':>10}  id, nearest cosine, text"
    for _, row in table.head(N_SHOWN).iterrows():
        start = snippet(row["text"]) if "text" in table else ""
        mark = "*" if row["is_outlier"] else " "
        yield (
            f"{mark} {number(row['distance']):>8}  {number(row['percentile'], 1):>10}  "
            f"{number(row['adjusted_p_value'], 4):>10}  {row['id']}  "
            f"{number(row['nearest_cosine'])}  {start}"
        ).rstrip()
    if len(kinds):
        yield f"  {'':28}  {'outliers':>9}  {'others':>9}"
    for _, row in kinds.iterrows():
        name = str(row["trait"]).replace("_", " ")
        yield f"  {name:28}  {row['outliers']:9.3g}  {row['others']:9.3g}"


def _why_none(judged: Judged) -> str:
    distance = judged.nearest.mean
    if np.isnan(distance).all():
        return "none has a distance"
    if (distance > 0).sum() < FEWEST:
        return f"fewer than {FEWEST} have a distance above 0"
    return "the distances of the farthest tenth are all equal"


def _sentence(judged: Judged, k: int) -> str:
    """Return the result as a sentence for a paper."""
    cloud = judged.texts
    n, n_out = len(cloud), int(judged.is_outlier.sum())
    how = (
        f"by the tail of the corpus's own mean cosine distances to the {k} nearest texts, with "
        "logarithms assumed exponential"
        if judged.is_within
        else f"by conformal p-values of the mean cosine distance to the {k} nearest texts of "
        f"{judged.among.corpus}"
    )
    if np.isnan(judged.p_value).all():
        start = f"No outliers were sought among the {n:,} texts of {cloud.corpus}"
        return f"{start}: {_why_none(judged)}."
    return (
        f"Of {counted(n, 'text')} of {cloud.corpus} ({cloud.place}), {n_out:,} are outliers {how} "
        f"(Benjamini-Hochberg, false discovery rate {100 * FALSE_DISCOVERIES:g} %)."
    )
