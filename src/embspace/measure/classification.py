"""Rows of a classifier's checkpoints, and of the logistic regression that it is held against."""

from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Int

from embspace.geometry.resampling import half_sample_interval
from embspace.measure.held_out import class_logits
from embspace.measure.language_modelling import Row, place_of
from embspace.models.tokenizer import read_tokenizer
from embspace.train.batches import windows_of
from embspace.train.checkpoints import Checkpoint, read_record
from embspace.train.heads import load_head
from embspace.training_run import Run

Labels = Int[np.ndarray, " text"]


def classification_rows(
    run: Run,
    checkpoints: list[Checkpoint],
    trained: pd.DataFrame,
    tested: pd.DataFrame,
    *,
    inverse_regularization: float,
    **options: Any,
) -> list[Row]:
    """Accuracy and macro-F1 of each checkpoint, of each seed's last on texts half hidden.

    Then those of a logistic regression on counts of words, trained on the same texts.
    """
    from joblib import Parallel, delayed

    if not checkpoints:
        return []
    names = sorted(set(trained["label"]))
    labels = np.array([names.index(label) for label in tested["label"]])
    unit = pd.factorize(tested["document"])[0]
    variants = {"as they are": list(tested["text"])}
    if (tested["half_hidden"] != "").all():
        variants["half hidden"] = list(tested["half_hidden"])
    asked = [
        (each, variant)
        for each in checkpoints
        for variant in variants
        if variant == "as they are" or each.step == run.phases[each.phase].n_steps
    ]
    predicted = Parallel(n_jobs=-1)(
        delayed(_predicted)(run, each, variants[variant]) for each, variant in asked
    )
    common = np.bincount(labels).max() / len(labels)
    rows = []
    for (each, variant), classes in zip(asked, predicted, strict=True):
        key = {"classifier": "trained", **place_of(each), "texts": variant}
        rows.append(key | _scores(labels, classes, unit, **options) | {"null_accuracy": common})
    regression = _logistic_regression(trained, names, inverse_regularization)
    for variant, texts in variants.items():
        key = {"classifier": "logistic regression", "texts": variant}
        scores = _scores(labels, regression.predict(texts), unit, **options)
        rows.append(key | scores | {"null_accuracy": common})
    return rows


def _predicted(run: Run, checkpoint: Checkpoint, texts: list[str]) -> Labels:
    import torch

    torch.set_num_threads(1)  # the checkpoints take one core each
    read_record(checkpoint.folder)
    module = load_head(checkpoint.folder, run.phases[checkpoint.phase])
    windows = windows_of(texts, read_tokenizer(checkpoint.folder), run.window)
    return class_logits(module, windows).argmax(axis=1)


def _logistic_regression(
    trained: pd.DataFrame, names: list[str], inverse_regularization: float
) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    regression = make_pipeline(
        CountVectorizer(token_pattern=r"(?u)\b\w+\b"),
        LogisticRegression(C=inverse_regularization, max_iter=1000),
    )
    return regression.fit(trained["text"], [names.index(label) for label in trained["label"]])


def _scores(labels: Labels, classes: Labels, unit: Labels, **options: Any) -> dict[str, float]:
    """Accuracy and macro-F1 with their intervals over documents."""
    from sklearn.metrics import f1_score

    n_classes = max(labels.max(), classes.max()) + 1
    members = [np.flatnonzero(unit == each) for each in range(unit.max() + 1)]

    def statistic(chosen: Int[np.ndarray, " unit"]) -> np.ndarray:
        rows = np.concatenate([members[each] for each in chosen])
        f1 = f1_score(
            labels[rows], classes[rows], labels=range(n_classes), average="macro", zero_division=0
        )
        return np.array([(labels[rows] == classes[rows]).mean(), f1])

    seed = options.pop("seed")
    value = statistic(np.arange(len(members)))
    interval = half_sample_interval(
        statistic, len(members), generator=np.random.default_rng(seed), **options
    )
    scores: dict[str, float] = {"n": len(labels), "n_documents": len(members)}
    for number, name in enumerate(("accuracy", "macro_f1")):
        scores[name] = float(value[number])
        scores[f"{name}_low"] = float(interval.low[number])
        scores[f"{name}_high"] = float(interval.high[number])
    return scores
