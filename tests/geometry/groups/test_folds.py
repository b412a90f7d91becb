from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from embspace.geometry.groups.folds import Features, folds_by_group, predict_by_fold

LABELS = np.arange(120) % 3
FOLDS = np.arange(120) // 24


class Remembering:
    """Gives the class that it saw for a text, and `unseen` for others."""

    def __init__(self, texts: Features, labels: np.ndarray, unseen: int) -> None:
        self.classes = dict(zip(texts, labels.tolist(), strict=True))
        self.unseen = unseen

    def predict(self, texts: Sequence[str]) -> list[int]:
        return [self.classes.get(text, self.unseen) for text in texts]


def test_no_group_is_in_two_folds_and_labels_are_shared_out_alike():
    groups = np.repeat(np.arange(12), 10)
    labels = np.tile([0, 1], 60)
    folds = folds_by_group(labels, groups, 4, seed=3)
    assert all(len(set(folds[groups == group])) == 1 for group in range(12))
    assert [labels[folds == fold].mean() for fold in range(4)] == [0.5] * 4
    assert (folds == folds_by_group(labels, groups, 4, seed=3)).all()


def test_forms_of_a_lemma_are_in_one_fold_and_classes_in_all():
    lemmas = [f"l{number // 6}_{number % 3}" for number in range(120)]
    folds = folds_by_group(LABELS, lemmas, 5, seed=0)
    for lemma in set(lemmas):
        assert len({fold for fold, other in zip(folds, lemmas, strict=True) if other == lemma}) == 1
    for fold in range(5):
        assert set(LABELS[folds == fold]) == {0, 1, 2}


def test_predictions_are_those_of_scikit_learn():
    x = np.random.default_rng(0).normal(size=(120, 4)) + LABELS[:, None]

    def fit(features: Features, labels: np.ndarray) -> Any:
        return KNeighborsClassifier(3).fit(features, labels)

    predictions = cross_val_predict(KNeighborsClassifier(3), x, LABELS, cv=PredefinedSplit(FOLDS))
    assert (predict_by_fold(fit, x, LABELS, FOLDS) == predictions).all()


@pytest.mark.parametrize("n_copies", [1, 2])
def test_a_text_is_known_only_if_another_fold_has_it(n_copies: int):
    n = 120 // n_copies
    texts = [str(number % n) for number in range(120)]
    labels = np.arange(120) % n
    predictions = predict_by_fold(lambda *seen: Remembering(*seen, unseen=-1), texts, labels, FOLDS)
    assert (predictions == (labels if n_copies > 1 else -1)).all()
