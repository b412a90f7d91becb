"""Light classifiers of texts, on vectors or on words alone, tested on groups that they lack."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

TextFeatures = Float[np.ndarray, "_ _"] | Sequence[str]
"""Vectors, or the texts themselves for the classifier that counts their words."""


class Regularization(NamedTuple):
    """Inverse L2 penalties of the two kinds of features, which are on different scales."""

    of_vectors: float
    of_words: float


def folds_by_group(
    labels: Int[np.ndarray, " text"], groups: Int[np.ndarray, " text"], n_folds: int, seed: int
) -> Int[np.ndarray, " text"]:
    """Return the fold of each text: groups whole, labels in like proportion."""
    from sklearn.model_selection import StratifiedGroupKFold

    splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    folds = np.empty(len(labels), dtype=np.int64)
    for fold, (_, test) in enumerate(splitter.split(labels[:, None], labels, groups)):
        folds[test] = fold
    return folds


def held_out_classes(
    features: TextFeatures,
    labels: Int[np.ndarray, " text"],
    folds: Int[np.ndarray, " text"],
    regularization: Regularization,
) -> Int[np.ndarray, " text"]:
    """Return the class that a classifier fitted on the other folds gives to each text."""
    from threadpoolctl import threadpool_limits

    found = np.empty_like(labels)
    # One thread: the optimizer amplifies rounding, which depends on how a product is shared.
    with threadpool_limits(1):
        for fold in np.unique(folds):
            train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            model = _classifier(features, regularization)
            model.fit(_rows(features, train), labels[train])
            found[test] = model.predict(_rows(features, test))
    return found


def _classifier(features: TextFeatures, regularization: Regularization) -> Any:
    """Return a logistic regression on features of unit variance, or on TF-IDF."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if isinstance(features, np.ndarray):
        model = LogisticRegression(C=regularization.of_vectors, max_iter=1000)
        return make_pipeline(StandardScaler(), model)
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    return make_pipeline(words, LogisticRegression(C=regularization.of_words, max_iter=1000))


def _rows(features: TextFeatures, rows: Int[np.ndarray, " row"]) -> TextFeatures:
    if isinstance(features, np.ndarray):
        return features[rows]
    return [features[row] for row in rows]
