"""Scores embeddings at search, labels and clusters, with all texts and with halves of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from embspace.geometry.groups.folds import Features, folds_by_group
from embspace.geometry.groups.retrieval import (
    ranks_of_relevant,
    reciprocal_rank,
    reciprocal_rank_by_chance,
)
from embspace.geometry.groups.silhouettes import silhouettes
from embspace.geometry.inference.half_samples import half_units, units_of
from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.pairs.distinct import is_one_vector
from embspace.measure.texts.text_classifiers import Regularization, held_out_classes

EmbeddingKey = tuple[str, int | None, str]
"""Embedding (cls, mean, max, or words), layer, and weights (trained, random, none)."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Holds the score of each embedding at a task, over all texts and over half-samples."""

    keys: list[EmbeddingKey]
    values: Float[np.ndarray, " key"]
    half_values: Float[np.ndarray, "half key"]
    chance: float
    n: int
    n_units: int
    limits: tuple[float, float]
    """The smallest and the largest possible value."""


@dataclass(frozen=True, eq=False)
class Labeled:
    """Texts with labels that several documents share."""

    rows: Int[np.ndarray, " text"]
    """Rows of the table of texts."""
    labels: Int[np.ndarray, " text"]
    documents: Int[np.ndarray, " text"]


def labeled(texts: pd.DataFrame, *, fewest_documents: int, most_texts: int, seed: int) -> Labeled:
    """Return the texts whose label at least `fewest_documents` documents have.

    The label is the `subject` of a text, or its `domain` where most subjects are too rare; no text
    at all where fewer than two labels are left. Of more than `most_texts` texts, some documents
    are chosen at random.
    """
    document = pd.factorize(texts["document"])[0]
    for column in ("subject", "domain"):
        n_documents = texts[texts[column] != ""].groupby(column)["document"].nunique()
        common = n_documents.index[n_documents >= fewest_documents]
        kept = texts[column].isin(common).to_numpy()
        if len(common) > 1 and 2 * kept.sum() > len(texts):
            rows = _some_documents(np.flatnonzero(kept), document, most_texts, seed)
            labels = pd.factorize(texts[column].to_numpy()[rows], sort=True)[0]
            return Labeled(rows, labels.astype(np.int64), document[rows])
    nothing = np.empty(0, dtype=np.int64)
    return Labeled(nothing, nothing, nothing)


def one_of_copies(some: Labeled, copy_of: pd.Series) -> Labeled:
    """Return the first text of each set of copies; `copy_of` has by row the name of the set.

    Copies lie on the same point, whatever their label.
    """
    first = np.sort(np.unique(copy_of.to_numpy(str)[some.rows], return_index=True)[1])
    return Labeled(some.rows[first], some.labels[first], some.documents[first])


def _some_documents(
    rows: Int[np.ndarray, " text"], document: Int[np.ndarray, " all"], most: int, seed: int
) -> Int[np.ndarray, " chosen"]:
    if len(rows) <= most:
        return rows
    order = np.random.default_rng(seed).permutation(document.max() + 1)
    ranks = order[document[rows]]
    return rows[ranks <= np.sort(ranks)[most - 1]]


def search_scores(
    scores: Mapping[EmbeddingKey, Float[np.ndarray, "query candidate"]],
    relevant: Bool[np.ndarray, "query candidate"],
    documents: Int[np.ndarray, " query"],
    *,
    n_half_samples: int,
    rng: np.random.Generator,
) -> Scores:
    """Return the mean reciprocal rank of each text's first half, with the second half as the query.

    The first half of a copy is as good. Halves are of the documents of the queries, the candidates
    being given.
    """
    ranks = [reciprocal_rank(*ranks_of_relevant(matrix, relevant)) for matrix in scores.values()]
    n_relevant = relevant.sum(axis=1).tolist()
    chance = np.mean([reciprocal_rank_by_chance(relevant.shape[1], n) for n in n_relevant])
    means = _Means(np.stack(ranks), documents)
    return means.scores(list(scores), float(chance), n_half_samples, rng)


def label_scores(
    features: Mapping[EmbeddingKey, Features],
    texts: Labeled,
    regularization: Regularization,
    *,
    n_folds: int,
    seed: int,
    n_half_samples: int,
    rng: np.random.Generator,
) -> Scores:
    """Return the held-out accuracy of a logistic regression; chance is the most frequent label.

    No document is both trained on and tested on. Halves are of documents, the classifiers being
    given.
    """
    from joblib import Parallel, delayed

    folds = folds_by_group(texts.labels, texts.documents, n_folds, seed)
    # Processes: a fit holds Python's lock, and each is short.
    classes = Parallel(n_jobs=-1)(
        delayed(held_out_classes)(x, texts.labels, folds, regularization) for x in features.values()
    )
    means = _Means(np.stack(classes) == texts.labels, texts.documents)
    chance = float(np.bincount(texts.labels).max() / len(texts.labels))
    return means.scores(list(features), chance, n_half_samples, rng)


def cluster_scores(
    vectors: Mapping[EmbeddingKey, Float[np.ndarray, "text dim"]],
    texts: Labeled,
    *,
    n_half_samples: int,
    rng: np.random.Generator,
) -> Scores:
    """Return the mean silhouette of the labels, by cosine distance; by chance 0 or less.

    NaN where all vectors are equal.

    Halves are of documents, and points of a half lie among the points of the half alone.
    """
    unit = units_of(texts.documents)
    halves = half_units(int(unit.max()) + 1, n_half_samples, rng)
    chosen = np.concatenate([np.ones((1, halves.shape[1]), dtype=bool), halves])[:, unit]
    values = np.stack(
        [silhouettes(_distances(x), texts.labels, chosen) for x in vectors.values()], axis=1
    )
    # One vector for all texts, as the first token before the first block, makes no clusters.
    values[:, [is_one_vector(x) for x in vectors.values()]] = np.nan
    n_units = halves.shape[1]
    return Scores(
        list(vectors), values[0], values[1:], 0.0, len(texts.labels), n_units, (-1.0, 1.0)
    )


@dataclass(frozen=True, eq=False)
class _Means:
    """Values of texts, with means over units of documents."""

    text_values: Float[np.ndarray, "key text"] | Bool[np.ndarray, "key text"]
    documents: Int[np.ndarray, " text"]

    def scores(
        self,
        keys: Sequence[EmbeddingKey],
        chance: float,
        n_half_samples: int,
        rng: np.random.Generator,
    ) -> Scores:
        """Return the means over all texts, and over halves of the units."""
        unit = units_of(self.documents)
        sums, counts = (
            np.stack([np.bincount(unit, values) for values in self.text_values]),
            np.bincount(unit),
        )
        halves = half_units(len(counts), n_half_samples, rng)
        return Scores(
            keys=list(keys),
            values=self.text_values.mean(axis=1),
            half_values=(halves @ sums.T) / (halves @ counts)[:, None],
            chance=chance,
            n=len(self.documents),
            n_units=len(counts),
            limits=(0.0, 1.0),
        )


def _distances(x: Float[np.ndarray, "text dim"]) -> Float[np.ndarray, "text text"]:
    unit = unit_rows(x.astype(np.float64))
    # The same bits whatever the number of threads.
    distances = np.round(1 - unit @ unit.T, 12)
    np.fill_diagonal(distances, 0)  # also of a text without words, which has no cosine
    return distances
