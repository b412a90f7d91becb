"""Rows of a classifier's checkpoints, and of a logistic regression for comparison."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.files.tables import Row
from embspace.geometry.inference.resampling import Interval, interval_bounds, stratified_interval
from embspace.measure.runs.training_held_out import class_logits
from embspace.measure.runs.training_language_modeling import checkpoint_key
from embspace.models.tokenizer import read_tokenizer
from embspace.scripts.words import words_in
from embspace.settings.run import Run
from embspace.train.batches import windows_of
from embspace.train.checkpoints import Checkpoint, read_record
from embspace.train.heads import load_head

Labels = Int[np.ndarray, " text"]
SCORES = ("accuracy", "macro_f1")


def classification_rows(
    run: Run,
    checkpoints: list[Checkpoint],
    trained: pd.DataFrame,
    tested: pd.DataFrame,
    *,
    inverse_regularization: float,
    **options: Any,
) -> list[Row]:
    """Accuracy and macro-F1 of checkpoints, for a seed's last also on half-hidden texts.

    Then the same for a logistic regression on counts of words, trained on the same texts, and the
    lead of the checkpoints. The regression leaves out unseen words, `share_unknown` of all; a model
    with whole words as tokens has a single token for unseen words, hardly met in training.
    """
    from joblib import Parallel, delayed

    if not checkpoints:
        return []
    names = sorted(set(trained["label"]))
    labels = np.array([names.index(label) for label in tested["label"]])
    variants = {"as they are": list(tested["text"])}
    if (tested["half_hidden"] != "").all():
        variants["half hidden"] = list(tested["half_hidden"])
    jobs = [
        (checkpoint, variant)
        for checkpoint in checkpoints
        for variant in variants
        if variant == "as they are" or checkpoint.step == run.phases[checkpoint.phase].n_steps
    ]
    predicted = Parallel(n_jobs=-1)(
        delayed(_predicted)(run, checkpoint, variants[variant]) for checkpoint, variant in jobs
    )
    unit = pd.factorize(tested["document"])[0]

    def scores(classes: Labels) -> "_Scores":
        return _scores(labels, unit, classes, len(names), **options)

    regression = _logistic_regression(trained, names, inverse_regularization)
    regression_scores = {
        variant: scores(regression.predict(texts)) for variant, texts in variants.items()
    }
    rows: list[Row] = []
    for (checkpoint, variant), classes in zip(jobs, predicted, strict=True):
        key = {"classifier": "trained", **checkpoint_key(checkpoint), "texts": variant}
        own, other = scores(classes), regression_scores[variant]
        rows.append(key | own.columns() | own.less(other, level=options["level"]))
    for variant, own in regression_scores.items():
        key = {"classifier": "logistic regression", "texts": variant}
        rows.append(key | own.columns())
    unknown = {variant: _share_unknown(regression, texts) for variant, texts in variants.items()}
    common = np.bincount(labels).max() / len(labels)
    return [row | {"share_unknown": unknown[row["texts"]], "null_accuracy": common} for row in rows]


@dataclass(frozen=True, eq=False)
class _Scores:
    """Accuracy and macro-F1 of one classifier, and how far halves of the documents deviate."""

    n: int
    n_documents: int
    value: Float[np.ndarray, " score"]
    interval: Interval

    def columns(self) -> Row:
        """Return the columns with bounds in [0, 1]."""
        low, high = (np.clip(bound, 0, 1) for bound in (self.interval.low, self.interval.high))
        row: Row = {"n": self.n, "n_documents": self.n_documents}
        for number, name in enumerate(SCORES):
            row[name] = float(self.value[number])
            row |= {f"{name}_low": float(low[number]), f"{name}_high": float(high[number])}
        return row

    def less(self, other: "_Scores", *, level: float) -> Row:
        """The difference from another classifier on the same texts, with paired bounds."""
        value = self.value - other.value
        deviations = self.interval.deviations - other.interval.deviations
        low, high = interval_bounds(value, deviations, level=level)
        row: Row = {}
        for number, name in enumerate(SCORES):
            row[f"{name}_less_regression"] = float(value[number])
            row[f"{name}_less_regression_low"] = float(low[number])
            row[f"{name}_less_regression_high"] = float(high[number])
        return row


def _share_unknown(regression: Any, texts: list[str]) -> float:
    """Return the share of the regression's words that no training text has."""
    counts = regression[0]
    words = counts.build_analyzer()(" ".join(texts))
    return sum(word not in counts.vocabulary_ for word in words) / len(words)


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
        CountVectorizer(tokenizer=words_in, token_pattern=None),
        LogisticRegression(C=inverse_regularization, max_iter=1000),
    )
    return regression.fit(trained["text"], [names.index(label) for label in trained["label"]])


def _scores(
    labels: Labels, unit: Labels, classes: Labels, n_classes: int, **options: Any
) -> _Scores:
    """Return the scores of half-samples of documents within labels: no half lacks a label.

    A half of an odd number has one more or less: labels weigh in a half as in the whole. NaN if a
    label has a single document, missing from half of the halves.
    """
    members = [np.flatnonzero(unit == number) for number in range(unit.max() + 1)]
    stratum = np.array([labels[rows[0]] for rows in members])
    label_counts = np.bincount(labels, minlength=n_classes)

    def statistic(chosen: Int[np.ndarray, " unit"]) -> np.ndarray:
        rows = np.concatenate([members[number] for number in chosen])
        true, predicted = labels[rows], classes[rows]
        weight = (label_counts / np.maximum(np.bincount(true, minlength=n_classes), 1))[true]
        right, all_true, all_told = (
            np.bincount(values, weights, n_classes)
            for values, weights in (
                (true, weight * (true == predicted)),
                (true, weight),
                (predicted, weight),
            )
        )
        # Twice precision times recall over their sum; 0 where a class is neither there nor told.
        f1 = 2 * right / np.maximum(all_true + all_told, 1e-300)
        return np.array([right.sum() / weight.sum(), f1.mean()])

    # The same halves for every classifier.
    generator = np.random.default_rng(options.pop("seed"))
    interval = stratified_interval(statistic, stratum, generator=generator, **options)
    if 1 in np.bincount(stratum):
        interval = Interval(*(np.full_like(array, np.nan) for array in interval))
    value = statistic(np.arange(len(members)))
    return _Scores(len(labels), len(members), value, interval)
