"""Holds attributions to a model that is built to look at three known sites."""

import numpy as np
import pandas as pd
import pytest

from embspace.geometry.attribution.recall import precision_at_all, ranking
from embspace.measure.sequences.attribution_methods import (
    METHODS,
    attributions,
    fitted_regression,
    regression_scores,
)
from embspace.measure.sequences.sequence_classifiers import (
    logits_of,
    random_classifier,
    with_hidden,
)
from embspace.measure.sequences.sequence_texts import Sequences
from tests.measure.sequences.small import SITES, planted_classifier, planted_sequences


def test_every_method_finds_exactly_the_three_planted_sites() -> None:
    placed, encoded = planted_sequences()
    module, label = planted_classifier(), placed.sequences.label
    assert (logits_of(module, encoded.ids).argmax(axis=1) == label).all()
    scores = attributions(module, encoded, label)
    assert tuple(scores) == METHODS
    true = np.zeros_like(scores["occlusion"], dtype=bool)
    true[:, SITES] = True
    for method, score in scores.items():
        assert precision_at_all(ranking(score), true).tolist() == [1.0] * len(label), method
        elsewhere, at_sites = np.abs(score[~true]).max(), score[true].min()
        assert at_sites > 100 * elsewhere, method


def test_occlusion_is_the_fall_of_the_logit_by_hand() -> None:
    placed, encoded = planted_sequences(4)
    module, label = planted_classifier(), placed.sequences.label
    hidden = np.zeros((4, 12), dtype=bool)
    hidden[:, SITES[0]] = True
    rows = np.arange(4)
    before = logits_of(module, encoded.ids)[rows, label]
    after = logits_of(module, with_hidden(encoded, hidden))[rows, label]
    fall = attributions(module, encoded, label)["occlusion"]
    assert fall[:, SITES[0]] == pytest.approx(before - after)


def test_the_scores_of_the_other_class_have_the_other_sign() -> None:
    placed, encoded = planted_sequences(6)
    module, label = planted_classifier(), placed.sequences.label
    own, other = (attributions(module, encoded, classes) for classes in (label, 1 - label))
    for method in ("gradient_x_input", "occlusion"):
        assert own[method] == pytest.approx(
            -other[method], abs=1e-9
        )  # two classes, less their mean
    for method in ("last_attention", "attention_rollout"):
        assert (own[method] == other[method]).all()  # these know no class


def test_random_weights_find_the_sites_no_more_often_than_by_chance() -> None:
    placed, encoded = planted_sequences(40)
    true = np.zeros((40, 12), dtype=bool)
    true[:, SITES] = True
    precisions = [
        precision_at_all(ranking(scores), true).mean()
        for seed in range(12)
        for scores in attributions(
            random_classifier(planted_classifier(), seed), encoded, placed.sequences.label
        ).values()
    ]
    assert np.mean(precisions) == pytest.approx(3 / 12, abs=0.08)


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
    label = np.array([classes.index(name) for name in texts["label"]])
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
    predicted = regression.predict(counts.transform(texts["text"]))
    assert [classes[number] for number in predicted] == list(texts["label"])
