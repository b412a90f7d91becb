"""Probes: classifiers that read a property from vectors on which they were not fitted."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int

from embspace.geometry.groups.folds import Features, predict_by_fold


@dataclass(frozen=True)
class Effort:
    """The effort of a probe; the same for all that are compared."""

    inverse_regularization: float
    hidden_units: int
    n_epochs: int
    n_trees: int
    longest_n_gram: int


def logistic_regression(effort: Effort, seed: int) -> Any:
    """Return a logistic regression on features of unit variance."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = LogisticRegression(C=effort.inverse_regularization, max_iter=1000)
    return make_pipeline(StandardScaler(), model)


def one_hidden_layer(effort: Effort, seed: int) -> Any:
    """Return a network of one hidden layer of rectified units, on features of unit variance."""
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = MLPClassifier(
        (effort.hidden_units,),
        alpha=1 / effort.inverse_regularization,
        max_iter=effort.n_epochs,
        random_state=seed,
    )
    return make_pipeline(StandardScaler(), model)


def gradient_boosting(effort: Effort, seed: int) -> Any:
    """Return boosted trees on histograms of the features; each split sees a tenth of them."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        max_iter=effort.n_trees,
        max_features=0.1,
        max_bins=31,
        early_stopping=False,
        random_state=seed,
    )


def spelling(effort: Effort, seed: int) -> Any:
    """Return a logistic regression on counts of a word's n-grams of characters, with its ends."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    n_grams = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, effort.longest_n_gram))
    # TF-IDF rows have length 1, and so small features: little regularization suits them.
    return make_pipeline(n_grams, LogisticRegression(C=10.0, max_iter=1000))


PROBES: dict[str, Callable[[Effort, int], Any]] = {
    "logistic_regression": logistic_regression,
    "one_hidden_layer": one_hidden_layer,
    "gradient_boosting": gradient_boosting,
}


def fitted(model: Any, features: Features, labels: Int[np.ndarray, " word"]) -> Any:
    """Return the model after fitting, the same bytes whatever the number of cores."""
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    # One thread: the optimizers amplify rounding, which depends on how a product is shared.
    with threadpool_limits(1), warnings.catch_warnings():
        # A network stops after its epochs by design; they are a setting.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(features, labels)


def held_out_predictions(
    probe: Callable[[Effort, int], Any],
    effort: Effort,
    features: Features,
    labels: Int[np.ndarray, " word"],
    folds: Int[np.ndarray, " word"],
    seed: int,
) -> Int[np.ndarray, " word"]:
    """Return the class that a probe fitted on the other folds gives to each word."""
    return predict_by_fold(
        lambda x, classes: fitted(probe(effort, seed), x, classes), features, labels, folds
    )
