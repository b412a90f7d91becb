"""Holds the regression's coefficients to texts whose words decide the class."""

import numpy as np
import pandas as pd
import pytest

from embspace.geometry.attribution.recall import ranking
from embspace.measure.sequences.attribution_regression import (
    fitted_regression,
    regression_scores,
)
from embspace.measure.sequences.sequence_texts import Sequences


def some_texts(n_classes: int) -> tuple[pd.DataFrame, list[str]]:
    """The word at the third place says the class; the others are random."""
    rng = np.random.default_rng(0)
    classes = [f"c{number}" for number in range(n_classes)]
    rows = []
    for number in range(60):
        label = classes[number % n_classes]
        words = [f"p{place}v{rng.integers(2)}" for place in range(6)]
        words[2] = f"mark{label}"
        rows.append((" ".join(words), label))
    return pd.DataFrame(rows, columns=["text", "label"]), classes


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_word_that_says_the_class_scores_highest(n_classes: int) -> None:
    texts, classes = some_texts(n_classes)
    label = np.array([classes.index(each) for each in texts["label"]])
    sequences = Sequences(list(texts["text"]), classes, label, np.arange(60))
    scores = regression_scores(texts, sequences, inverse_regularization=1.0)
    assert scores.shape == (60, 6)
    assert (ranking(scores)[:, 0] == 2).all()


def test_a_word_that_was_never_seen_scores_nothing() -> None:
    texts, classes = some_texts(3)
    sequences = Sequences(["never markc1"], classes, np.array([1]), np.array([0]))
    scores = regression_scores(texts, sequences, inverse_regularization=1.0)
    assert scores[0, 0] == 0
    assert scores[0, 1] > 0.5


def test_the_regression_tells_its_own_texts() -> None:
    texts, classes = some_texts(3)
    counts, regression = fitted_regression(texts, classes, 1.0)
    told = regression.predict(counts.transform(texts["text"]))
    assert [classes[each] for each in told] == list(texts["label"])
