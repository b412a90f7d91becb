from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from embspace.measure.words.probing_classifiers import (
    PROBES,
    Effort,
    fitted,
    held_out_predictions,
    spelling,
)

EFFORT = Effort(
    inverse_regularization=0.1, hidden_units=8, n_epochs=100, n_trees=20, longest_n_gram=3
)
LABELS = np.arange(120) % 3
FOLDS = np.arange(120) // 24


def planted(noise: float) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.eye(3)[LABELS] @ rng.normal(size=(3, 20)) + noise * rng.normal(size=(120, 20))


@pytest.mark.parametrize("name", PROBES)
def test_a_planted_class_is_read_and_noise_is_not(name: str):
    predicted = held_out_predictions(PROBES[name], EFFORT, planted(0.05), LABELS, FOLDS, 0)
    assert np.mean(predicted == LABELS) > 0.95
    noise = np.random.default_rng(1).normal(size=(120, 20))
    guessed = held_out_predictions(PROBES[name], EFFORT, noise, LABELS, FOLDS, 0)
    assert 0.15 < np.mean(guessed == LABELS) < 0.55


def test_no_word_is_predicted_by_a_probe_that_saw_it():
    # Each word is its own feature: what was not in the fit cannot be told.
    predicted = held_out_predictions(
        PROBES["logistic_regression"], EFFORT, np.eye(120), LABELS, FOLDS, 0
    )
    assert np.mean(predicted == LABELS) < 0.5


def test_only_a_network_reads_what_no_plane_parts():
    rng = np.random.default_rng(2)
    x = rng.choice([-1.0, 1.0], size=(240, 2)) + 0.1 * rng.normal(size=(240, 2))
    labels = (x[:, 0] * x[:, 1] > 0).astype(int)
    folds = np.arange(240) // 48
    effort = replace(EFFORT, n_epochs=600, inverse_regularization=100.0)
    accuracy = {
        name: np.mean(held_out_predictions(PROBES[name], effort, x, labels, folds, 0) == labels)
        for name in ("logistic_regression", "one_hidden_layer")
    }
    assert accuracy["one_hidden_layer"] > 0.9
    assert accuracy["logistic_regression"] < 0.7


def test_spelling_reads_endings_and_nothing_else():
    stems = [f"{a}{b}" for a in "bcdfghjklm" for b in "aeio"]
    words = [stem + ending for stem in stems for ending in ("ness", "ize", "ous")]
    predicted = held_out_predictions(spelling, EFFORT, words, LABELS, FOLDS, 0)
    assert np.mean(predicted == LABELS) > 0.95
    bare = held_out_predictions(
        spelling, EFFORT, [s for s in stems for _ in range(3)], LABELS, FOLDS, 0
    )
    assert np.mean(bare == LABELS) <= 0.4


def test_fitting_is_that_of_scikit_learn():
    x = planted(1.0)
    ours = fitted(LogisticRegression(), x, LABELS).predict_proba(x)
    assert np.allclose(ours, LogisticRegression().fit(x, LABELS).predict_proba(x))
