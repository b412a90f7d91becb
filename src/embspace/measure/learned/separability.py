"""Stage `measure_separability`: can one tell a token's vector from a position's?

Research question 1 of Luisto's thesis, answered with a number.
"""

import warnings
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from embspace.clouds.learned import one_space
from embspace.errors import InputError
from embspace.files.scalars import save_scalars
from embspace.files.tensors import load_tensors
from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.pairs.types import Vectors
from embspace.settings.stage import StageConfig, run_stage

SETTINGS = "conf/measure/learned/separability.yaml"
COLUMNS = ["preparation", "n_input", "n_positional", "n_folds", "inverse_regularization"]
COLUMNS += ["auc", "auc_standard_deviation", "null_auc", "null_auc_standard_deviation"]
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
) -> pd.DataFrame:
    """Area under the ROC curve of telling `input` from `positional` vectors, by preparation.

    Logistic regression, stratified folds; `auc` and `null_auc`, that with the labels shuffled,
    are means over the folds' held-out vectors, the standard deviation is between folds. The mean
    that is taken away is that of the training fold, both kinds together: no label is used.
    Empty for a model without positional embeddings. `inverse_regularization` is on the scale of
    the vectors as prepared, so that raw and unit vectors are not penalized alike.
    """
    matrices = one_space(matrices)
    if "positional" not in matrices:
        return pd.DataFrame(columns=COLUMNS)
    n = {"n_input": len(matrices["input"]), "n_positional": len(matrices["positional"])}
    if min(n.values()) < n_folds:
        raise InputError(
            f"{SETTINGS}: key 'n_folds': found {n_folds}, allowed: at most {min(n.values())}, "
            "as many as the smaller space has vectors"
        )
    x = np.concatenate([matrices["input"], matrices["positional"]])
    is_position = np.repeat([False, True], [len(matrices["input"]), len(matrices["positional"])])
    about: dict[str, Any] = {"n_folds": n_folds, "inverse_regularization": inverse_regularization}
    table = separability_table(x, is_position, **about, max_iterations=max_iterations, seed=seed)
    return table.assign(**n, **about)[COLUMNS]


def separability_table(
    x: Vectors,
    label: Bool[np.ndarray, " n"],
    *,
    n_folds: int,
    inverse_regularization: float,
    max_iterations: int,
    seed: int,
) -> pd.DataFrame:
    """The AUC of telling the vectors with the label from those without, one row a preparation.

    Mean and standard deviation over folds, and the same with the labels shuffled.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold

    for_folds, for_null = np.random.default_rng(seed).spawn(2)
    shuffled = for_null.permutation(label)
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=int(for_folds.integers(2**31)))
    model = LogisticRegression(C=inverse_regularization, max_iter=max_iterations)
    rows = []
    for preparation in PREPARATIONS:
        auc, null = (fold_aucs(x, each, preparation, folds, model) for each in (label, shuffled))
        rows.append(
            {
                "preparation": preparation,
                "auc": auc.mean(),
                "auc_standard_deviation": auc.std(ddof=1),
                "null_auc": null.mean(),
                "null_auc_standard_deviation": null.std(ddof=1),
            }
        )
    return pd.DataFrame(rows)


def fold_aucs(
    x: Vectors, label: Bool[np.ndarray, " n"], preparation: str, folds: Any, model: Any
) -> Float[np.ndarray, " fold"]:
    """The AUC on each held-out fold."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.metrics import roc_auc_score
    from threadpoolctl import threadpool_limits

    prepare = PREPARATIONS[preparation]
    aucs = []
    for train, test in folds.split(x, label):
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
            score = model.decision_function(prepare(x[test], mean))
        aucs.append(roc_auc_score(label[test], score))
    return np.array(aucs)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    matrices = load_tensors(f"data/extracted/embeddings/{name}.safetensors")
    table = measure_separability(matrices, **config.settings)
    # Scalars by preparation, so that `dvc metrics diff` and `dvc exp show` have them.
    scalars = table.set_index("preparation").to_dict("index")
    save_scalars(
        {str(key): row for key, row in scalars.items()}, f"results/separability/{name}.json"
    )


if __name__ == "__main__":
    run_stage(main, measure_separability)
