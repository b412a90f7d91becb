"""The coefficients of the logistic regression that the classifiers are held against."""

from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.measure.sequences.sequence_texts import Sequences


def regression_scores(
    trained: pd.DataFrame, sequences: Sequences, *, inverse_regularization: float
) -> Float[np.ndarray, "text place"]:
    """Return the coefficient of each text's k-mers for its class, less its mean over the classes.

    Of the logistic regression on counts of k-mers that `measure_training` has, learned from the
    same texts. A k-mer that no training text has is left out by it, and scores 0.
    """
    counts, regression = fitted_regression(trained, sequences.classes, inverse_regularization)
    coefficients = regression.coef_
    if len(coefficients) == 1:  # of two classes scikit-learn gives the second one's
        coefficients = np.concatenate([-coefficients, coefficients])
    coefficients = coefficients - coefficients.mean(axis=0)
    number = counts.vocabulary_
    scores = [
        [coefficients[label, number[word]] if word in number else 0.0 for word in text.split()]
        for text, label in zip(sequences.texts, sequences.label, strict=True)
    ]
    return np.array(scores, dtype=np.float64)


def fitted_regression(
    trained: pd.DataFrame, classes: list[str], inverse_regularization: float
) -> tuple[Any, Any]:
    """Return the counter of k-mers and the regression, learned from the texts of training."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    counts = CountVectorizer(token_pattern=r"(?u)\b\w+\b")
    x = counts.fit_transform(trained["text"])
    regression = LogisticRegression(C=inverse_regularization, max_iter=1000)
    return counts, regression.fit(x, [classes.index(label) for label in trained["label"]])
