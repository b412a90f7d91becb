"""Holds the scores of classifiers to classes that can be told, and to classes that cannot."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score

from embspace.geometry.inference.resampling import Interval
from embspace.measure.runs.training_classification import (
    _Scores,
    _scores,
    classification_rows,
)
from embspace.settings.run import Run
from embspace.train.checkpoints import all_checkpoints
from embspace.train.model import train_model
from tests.train.runs import CLASSIFIED, MASKED, small_run, some_texts

OPTIONS: dict[str, Any] = {"n_resamples": 60, "level": 0.95, "seed": 0}
PHASES = {
    "pretraining": MASKED,
    "classification": {
        **CLASSIFIED,
        "trainable_layers": None,
        "n_steps": 60,
        "n_checkpoints": 2,
        "learning_rate": 0.01,
    },
}


def split(texts: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    parts = {name: rows.reset_index(drop=True) for name, rows in texts.groupby("split")}
    return parts["train"], parts["test"]


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Any, pd.DataFrame]:
    run, texts = small_run(PHASES), some_texts(150)
    root = str(tmp_path_factory.mktemp("trained") / "small")
    train_model("small", run, texts, root, "cpu")
    checkpoints = [
        checkpoint
        for checkpoint in all_checkpoints(root, run)
        if checkpoint.phase == "classification"
    ]
    return run, checkpoints, texts


def test_classes_of_different_words_are_told_after_training_and_not_before(learned: Any) -> None:
    run, checkpoints, texts = learned
    table = pd.DataFrame(
        classification_rows(run, checkpoints, *split(texts), inverse_regularization=1.0, **OPTIONS)
    )
    trained = table[table["classifier"] == "trained"].set_index("step")
    assert trained.loc[60, "accuracy"] > 0.95
    assert trained.loc[60, "macro_f1"] > 0.95
    assert trained.loc[0, "accuracy"] < 0.8
    regression = table[table["classifier"] == "logistic regression"].iloc[0]
    assert regression["accuracy"] == 1
    assert (table["n"] == 30).all()
    assert table["null_accuracy"].to_numpy() == pytest.approx(0.5)
    assert table["share_unknown"].to_numpy() == pytest.approx(0)
    less = trained["accuracy_less_regression"]
    assert less.to_numpy() == pytest.approx((trained["accuracy"] - 1).to_numpy())
    assert trained.loc[0, "accuracy_less_regression_high"] < 0
    bounds = table.filter(regex=r"^(accuracy|macro_f1)_(low|high)$")
    assert ((bounds >= 0) & (bounds <= 1)).all(axis=None)


def test_a_model_that_agrees_with_the_regression_does_not_differ_from_it() -> None:
    rng = np.random.default_rng(1)
    labels, classes = np.arange(40) % 2, rng.integers(2, size=40)
    one, other = (_scores(labels, np.arange(40), classes, 2, **OPTIONS) for _ in range(2))
    assert set(one.less(other, level=0.95).values()) == {0.0}
    better = _scores(labels, np.arange(40), labels, 2, **OPTIONS)
    assert better.less(other, level=0.95)["macro_f1_less_regression_low"] > 0


@pytest.mark.slow
def test_texts_with_half_hidden_are_asked_of_the_last_checkpoint_alone(learned: Any) -> None:
    run, checkpoints, texts = learned
    # What is left are words of the other class: all that is told is told wrong.
    other = texts["text"].str.translate(str.maketrans("ab", "ba"))
    trained, tested = split(texts.assign(half_hidden=other))
    table = pd.DataFrame(
        classification_rows(
            run, checkpoints, trained, tested, inverse_regularization=1.0, **OPTIONS
        )
    )
    hidden = table[table["texts"] == "half hidden"]
    assert hidden["step"].dropna().tolist() == [60]
    assert hidden["accuracy"].max() < 0.05
    assert len(hidden) == 2


def test_labels_without_relation_to_the_texts_are_told_at_chance(learned: Any) -> None:
    run, checkpoints, texts = learned
    shuffled = texts.assign(label=np.random.default_rng(0).permutation([*texts["label"]]))
    table = pd.DataFrame(
        classification_rows(
            run, checkpoints[-1:], *split(shuffled), inverse_regularization=1.0, **OPTIONS
        )
    )
    assert table["accuracy"].between(0.2, 0.8).all()
    assert (table["accuracy_low"] < 0.5).all()


def test_scores_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    labels, classes = rng.integers(4, size=90), rng.integers(5, size=90)  # one is never true
    labels[labels == 3] = 2  # and one is never there but told
    scores = _scores(labels, np.arange(90), classes, 5, **OPTIONS).columns()
    expected = f1_score(labels, classes, labels=range(5), average="macro", zero_division=0)
    assert scores["macro_f1"] == pytest.approx(expected)
    assert scores["accuracy"] == pytest.approx((labels == classes).mean())


def test_an_odd_number_of_texts_of_a_label_does_not_move_the_bounds() -> None:
    # 15 and 15 texts, so that halves have 7 and 8: a constant answer is right of half of any.
    labels, unit = np.arange(30) % 2, np.arange(30)
    row = _scores(labels, unit, np.zeros(30, dtype=np.int64), 2, **OPTIONS).columns()
    assert [row["accuracy_low"], row["accuracy_high"]] == pytest.approx([0.5, 0.5])
    assert row["macro_f1_low"] == pytest.approx(row["macro_f1_high"]) == pytest.approx(1 / 3)


def test_bounds_of_scores_are_shares() -> None:
    low, high = np.array([-0.2, 0.7]), np.array([0.4, 1.1])
    scores = _Scores(9, 3, (low + high) / 2, Interval(low, high, np.empty((0, 2))))
    row = scores.columns()
    assert (row["accuracy_low"], row["accuracy_high"]) == (0, 0.4)
    assert (row["macro_f1_low"], row["macro_f1_high"]) == (0.7, 1)


def test_a_label_of_one_document_leaves_no_bounds() -> None:
    labels, unit = np.array([0] * 20 + [1]), np.arange(21)
    row = _scores(labels, unit, labels, 2, **OPTIONS).columns()
    assert row["macro_f1"] == row["accuracy"] == 1
    assert np.isnan([row["macro_f1_low"], row["accuracy_high"]]).all()


def test_the_share_of_unknown_words_is_of_words_as_the_regression_takes_them(learned: Any) -> None:
    run, checkpoints, texts = learned
    trained, tested = split(texts)
    shouted = tested.assign(text=tested["text"].str.upper() + " zzz!")
    table = pd.DataFrame(
        classification_rows(
            run, checkpoints[-1:], trained, shouted, inverse_regularization=1.0, **OPTIONS
        )
    )
    n_words = len(" ".join(shouted["text"]).replace(".", "").split())
    assert table["share_unknown"].to_numpy() == pytest.approx(len(shouted) / n_words)


def test_without_a_classifier_there_is_nothing_to_say(learned: Any) -> None:
    run, _, texts = learned
    assert classification_rows(run, [], *split(texts), inverse_regularization=1.0, **OPTIONS) == []
