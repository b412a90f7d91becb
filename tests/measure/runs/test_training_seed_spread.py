import numpy as np
import pandas as pd
import pytest

from embspace.measure.runs.training import AGREEMENT, CLASSIFICATION, HELD_OUT
from embspace.measure.runs.training_seed_spread import SPREAD, seed_spread


def held_out(losses: list[float], step: int = 10) -> pd.DataFrame:
    found = pd.DataFrame({"seed": range(len(losses)), "loss": losses, "accuracy": 0.5})
    return found.assign(phase="first", step=step, objective="guess").reindex(columns=HELD_OUT)


def empty(columns: list[str]) -> pd.DataFrame:
    return pd.DataFrame([], columns=columns)


def test_the_last_step_alone_counts_and_each_seed_once() -> None:
    both = pd.concat([held_out([9.0, 9.0, 9.0], step=0), held_out([1.0, 2.0, 6.0])])
    found = seed_spread(both, empty(AGREEMENT), empty(CLASSIFICATION))
    assert list(found) == SPREAD
    loss = found.set_index("quantity").loc["loss"]
    assert (loss["step"], loss["n_seeds"], loss["of"]) == (10, 3, "guess")
    assert (loss["mean"], loss["smallest"], loss["largest"]) == (3, 1, 6)
    assert loss["standard_deviation"] == pytest.approx(np.sqrt(7))
    assert len(found) == 2


def test_one_seed_has_no_spread() -> None:
    found = seed_spread(held_out([1.0]), empty(AGREEMENT), empty(CLASSIFICATION))
    assert found["standard_deviation"].isna().all()


def test_verbs_and_classes_are_told_apart_and_the_regression_is_no_seed() -> None:
    verbs = pd.DataFrame(
        [(seed, "first", 5, "main", kind, 1 / (1 + seed)) for seed in (0, 1) for kind in "ab"],
        columns=["seed", "phase", "step", "clause", "attractors", "accuracy"],
    )
    classes = pd.DataFrame(
        [("trained", 0, "last", 7, 0.5), ("trained", 1, "last", 7, 0.7)]
        + [("logistic regression", None, None, None, 0.9)],
        columns=["classifier", "seed", "phase", "step", "accuracy"],
    ).assign(texts="as they are", macro_f1=0.25)
    found = seed_spread(empty(HELD_OUT), verbs, classes)
    assert found["of"].tolist() == [
        "clause main, attractors a",
        "clause main, attractors b",
        "as they are",
        "as they are",
    ]
    assert found["mean"].tolist() == pytest.approx([0.75, 0.75, 0.6, 0.25])
    assert (found["n_seeds"] == 2).all()
