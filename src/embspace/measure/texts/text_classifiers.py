"""Light classifiers of texts, on vectors or on words alone, tested on held-out groups."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int

from embspace.geometry.groups.folds import Features, predict_by_fold
from embspace.scripts.words import longer_words_in


class Regularization(NamedTuple):
    """Inverse L2 penalties of the two kinds of features, which are on different scales."""

    vectors: float
    words: float


def held_out_classes(
    features: Features,
    labels: Int[np.ndarray, " text"],
    folds: Int[np.ndarray, " text"],
    regularization: Regularization,
) -> Int[np.ndarray, " text"]:
    """Return the class that a classifier fitted on the other folds gives to each text."""
    return predict_by_fold(
        lambda x, classes: _classifier(x, regularization).fit(x, classes),
        features,
        labels,
        folds,
    )


def _classifier(features: Features, regularization: Regularization) -> Any:
    """Return a logistic regression on features of unit variance, or on TF-IDF."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if isinstance(features, np.ndarray):
        model = LogisticRegression(C=regularization.vectors, max_iter=1000)
        return make_pipeline(StandardScaler(), model)
    words = TfidfVectorizer(
        ngram_range=(1, 2), sublinear_tf=True, tokenizer=longer_words_in, token_pattern=None
    )
    return make_pipeline(words, LogisticRegression(C=regularization.words, max_iter=1000))
