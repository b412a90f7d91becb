"""Stage `measure_separability`: can a classifier tell a token's vector from a position's?

Research question 1 of Luisto's thesis, answered with a number.
"""

import warnings
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Bool
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from embspace.analysis import Analysis, Outcome
from embspace.clouds.learned import one_space
from embspace.errors import InputError
from embspace.files.rows import save_rows
from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.pairs.types import Vectors
from embspace.settings.stage import run_stage

SEPARABILITY = Analysis(
    noun="separability",
    question="Can one tell a token's vector from a position's? Research question 1",
    reads={"matrices": "data/extracted/embeddings/{model}.safetensors"},
    scalars={  # by preparation, so that `dvc metrics diff` and `dvc exp show` have them
        "n_input": "count",
        "n_positional": "count",
        "n_folds": "setting",
        "inverse_regularization": "setting",
        "auc": "auc",
        "auc_standard_deviation": "auc",
        "null_auc": "null_auc",
        "null_auc_standard_deviation": "null_auc",
        "input_recall": "auc",
        "positional_recall": "auc",
        "balanced_accuracy": "auc",
        "null_balanced_accuracy": "null_auc",
    },
    data={"parquet": save_rows},  # the held-out score by preparation, kind of labels and vector
)
SETTINGS = "conf/measure/learned/separability.yaml"
FOLD_COLUMNS = ["preparation", "labels", "fold"]
SCORE_COLUMNS = [*FOLD_COLUMNS, "is_labeled", "score"]
# What is done to the vectors first, given the mean of the training fold.
PREPARATIONS: dict[str, Callable[[Vectors, np.ndarray], Vectors]] = {
    "raw": lambda x, mean: x,
    "unit_length": lambda x, mean: unit_rows(x),
    "centered_unit_length": lambda x, mean: unit_rows(x - mean),
}


def measure_separability(
    matrices: dict[str, np.ndarray],
    *,
    n_folds: Annotated[int, Field(ge=2)],
    inverse_regularization: PositiveFloat,
    max_iterations: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Return how well a classifier separates `input` and `positional` vectors, by preparation.

    Logistic regression with stratified folds. `auc` and, with shuffled labels, `null_auc` are means
    over the folds' held-out vectors, with the standard deviation between folds. Centering subtracts
    the mean of the training fold, of both kinds together: it uses no label. Empty for a model
    without position embeddings. `inverse_regularization` is on the scale of the prepared vectors,
    so raw and unit vectors are not penalized alike. In `scores`, `is_labeled` marks positions. The
    AUC rates the order of the vectors, for any cut; the recalls count the vectors on the right side
    of the plane.
    """
    matrices = one_space(matrices)
    if "positional" not in matrices:
        return {"json": {}, "parquet": pd.DataFrame(columns=SCORE_COLUMNS)}
    n = {"n_input": len(matrices["input"]), "n_positional": len(matrices["positional"])}
    if min(n.values()) < n_folds:
        raise InputError(
            f"{SETTINGS}: key 'n_folds': found {n_folds}, allowed: at most {min(n.values())}, "
            "as many as the smaller space has vectors"
        )
    x = np.concatenate([matrices["input"], matrices["positional"]])
    is_position = np.repeat([False, True], [len(matrices["input"]), len(matrices["positional"])])
    about: dict[str, Any] = {"n_folds": n_folds, "inverse_regularization": inverse_regularization}
    scores = held_out_scores(x, is_position, **about, max_iterations=max_iterations, seed=seed)
    table = auc_table(scores).merge(recall_table(scores), on="preparation", sort=False)
    table = table.set_index("preparation").assign(**n, **about)[[*SEPARABILITY.scalars]]
    return {"json": table.to_dict("index"), "parquet": scores}


def separability_table(x: Vectors, label: Bool[np.ndarray, " n"], **settings: Any) -> pd.DataFrame:
    """Return the AUC of separating vectors with the label from vectors without, by preparation.

    Mean and standard deviation over folds, also with shuffled labels. `settings` are for
    `held_out_scores`.
    """
    return auc_table(held_out_scores(x, label, **settings))


def held_out_scores(
    x: Vectors,
    label: Bool[np.ndarray, " n"],
    *,
    n_folds: int,
    inverse_regularization: float,
    max_iterations: int,
    seed: int,
) -> pd.DataFrame:
    """Return, for every vector, the log-odds of the label by the classifier that has not seen it.

    By preparation, with true and with shuffled `labels`; `is_labeled` is the vector's label among
    these `labels`.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold

    for_folds, for_null = np.random.default_rng(seed).spawn(2)
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=int(for_folds.integers(2**31)))
    model = LogisticRegression(C=inverse_regularization, max_iter=max_iterations)
    kinds = {"true": label, "shuffled": for_null.permutation(label)}
    parts = [
        _scores(x, labels, preparation, folds, model).assign(preparation=preparation, labels=kind)
        for preparation in PREPARATIONS
        for kind, labels in kinds.items()
    ]
    return pd.concat(parts, ignore_index=True)[SCORE_COLUMNS]


def _scores(
    x: Vectors, label: Bool[np.ndarray, " n"], preparation: str, folds: Any, model: Any
) -> pd.DataFrame:
    """Return fold, label and score of every vector, in the order of the vectors."""
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    prepare = PREPARATIONS[preparation]
    fold, score = np.empty(len(x), dtype=int), np.empty(len(x))
    for number, (train, test) in enumerate(folds.split(x, label)):
        mean = x[train].mean(axis=0)
        # The optimizer amplifies rounding, which depends on how many threads share a product.
        with threadpool_limits(1, user_api="blas"), warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            try:
                model.fit(prepare(x[train], mean), label[train])
            except ConvergenceWarning as warning:
                raise InputError(
                    f"{SETTINGS}: key 'max_iterations': {model.max_iter} are not "
                    f"enough for {preparation} vectors"
                ) from warning
            score[test] = model.decision_function(prepare(x[test], mean))
        fold[test] = number
    return pd.DataFrame({"fold": fold, "is_labeled": label, "score": score})


def auc_table(scores: pd.DataFrame) -> pd.DataFrame:
    """Return mean and standard deviation over folds of the held-out AUC, a row per preparation."""
    aucs = fold_aucs(scores)
    rows = []
    for preparation, folds in aucs.groupby("preparation", sort=False):
        row = {"preparation": preparation}
        for kind, name in {"true": "auc", "shuffled": "null_auc"}.items():
            auc = folds.loc[folds["labels"] == kind, "auc"]
            row |= {name: auc.mean(), f"{name}_standard_deviation": auc.std(ddof=1)}
        rows.append(row)
    return pd.DataFrame(rows)


def recall_table(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the shares of held-out vectors on the right side of the plane, a row per preparation.

    `input_recall` is for vectors without the label, `positional_recall` for vectors with it.
    `balanced_accuracy` is the mean of both, `null_balanced_accuracy` the same with shuffled labels.
    """
    right = (scores["score"] > 0) == scores["is_labeled"].astype(bool)
    keys = [scores[name] for name in ("preparation", "labels", "is_labeled")]
    recall = right.groupby(keys, sort=False).mean().unstack("is_labeled")
    true, shuffled = (
        pd.DataFrame(recall).xs(kind, level="labels") for kind in ("true", "shuffled")
    )
    columns = {
        "input_recall": true[False],
        "positional_recall": true[True],
        "balanced_accuracy": (true[False] + true[True]) / 2,
        "null_balanced_accuracy": (shuffled[False] + shuffled[True]) / 2,
    }
    return pd.DataFrame(columns).rename_axis("preparation").reset_index()


def fold_aucs(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the AUC of the held-out vectors of every fold, by preparation and kind of labels."""
    from sklearn.metrics import roc_auc_score

    rows = [
        dict(zip(FOLD_COLUMNS, key, strict=True))
        | {"auc": float(roc_auc_score(fold["is_labeled"], fold["score"]))}
        for key, fold in scores.groupby(FOLD_COLUMNS, sort=False)
    ]
    return pd.DataFrame(rows, columns=[*FOLD_COLUMNS, "auc"])


main = SEPARABILITY.main(measure_separability)

if __name__ == "__main__":
    run_stage(main, measure_separability)
