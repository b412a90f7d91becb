"""Classifiers tested on rows, and groups of rows, that they were not fitted to."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int

Features = Float[np.ndarray, "_ _"] | Sequence[str]
"""Vectors, or texts for a classifier that reads words or letters."""
Fit = Callable[[Features, Int[np.ndarray, " row"]], Any]
"""Returns a classifier fitted on features and labels."""


def folds_by_group(
    labels: Int[np.ndarray, " n"],
    groups: Int[np.ndarray, " n"] | Sequence[str],
    n_folds: int,
    seed: int,
) -> Int[np.ndarray, " n"]:
    """Return the fold of every row: groups whole, labels in like proportion."""
    from sklearn.model_selection import StratifiedGroupKFold

    splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    folds = np.empty(len(labels), dtype=np.int64)
    for fold, (_, test) in enumerate(splitter.split(labels[:, None], labels, groups)):
        folds[test] = fold
    return folds


def predict_by_fold(
    fit: Fit, features: Features, labels: Int[np.ndarray, " n"], folds: Int[np.ndarray, " n"]
) -> Int[np.ndarray, " n"]:
    """Return the class that a classifier fitted to the other folds gives to every row."""
    from threadpoolctl import threadpool_limits

    predicted = np.empty_like(labels)
    # One thread: optimizers amplify rounding, which depends on how a product is shared.
    with threadpool_limits(1):
        for fold in np.unique(folds):
            train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            model = fit(_rows(features, train), labels[train])
            predicted[test] = model.predict(_rows(features, test))
    return predicted


def _rows(features: Features, rows: Int[np.ndarray, " row"]) -> Features:
    if isinstance(features, np.ndarray):
        return features[rows]
    return [features[row] for row in rows]
