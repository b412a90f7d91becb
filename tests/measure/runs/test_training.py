"""Holds the tables of a run to what was trained; the rows are tested where they are made."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.measure.runs.training import (
    AGREEMENT,
    CLASSIFICATION,
    HELD_OUT,
    SPREAD,
    TrainingTables,
    measure_training,
    seed_spread,
)
from embspace.train.checkpoints import all_checkpoints, read_record
from embspace.train.model import train_model
from tests.train.runs import CLASSIFIED, MASKED, small_run, some_texts

SETTINGS: dict[str, Any] = {
    "n_resamples": 20,
    "level": 0.95,
    "inverse_regularization": 1.0,
    "seed": 0,
}
RUN = small_run({"pretraining": MASKED, "classification": CLASSIFIED}, seeds=[0, 3])


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> str:
    found = str(tmp_path_factory.mktemp("trained") / "small")
    train_model("small", RUN, some_texts(), found, "cpu")
    return found


@pytest.fixture(scope="module")
def tables(root: str) -> TrainingTables:
    return measure_training(RUN, some_texts(), all_checkpoints(root, RUN), None, **SETTINGS)


def test_each_step_of_each_seed_and_phase_has_its_loss_once(
    tables: TrainingTables, root: str
) -> None:
    losses = tables.losses.groupby(["seed", "phase"], sort=False)["step"].agg(list)
    assert {tuple(key): steps for key, steps in losses.items()} == {
        (seed, phase): list(range(1, 13)) for seed in (0, 3) for phase in RUN.phases
    }
    last = all_checkpoints(root, RUN)[4]
    of_seed = tables.losses.query("seed == 0 and phase == 'pretraining'").set_index("step")["loss"]
    assert of_seed[12] == read_record(last.folder).losses[-1]


def test_each_language_model_is_asked_for_held_out_tokens(
    tables: TrainingTables,
) -> None:
    assert list(tables.held_out) == HELD_OUT
    assert len(tables.held_out) == 2 * 5
    assert set(tables.held_out["phase"]) == {"pretraining"}
    assert (tables.held_out["n_documents"] == 10).all()
    assert tables.held_out["bigram_loss"].nunique() == 1


def test_each_classifier_is_scored_beside_a_regression(
    tables: TrainingTables,
) -> None:
    assert list(tables.classification) == CLASSIFICATION
    counts = tables.classification["classifier"].value_counts()
    assert counts.to_dict() == {"trained": 2 * 5, "logistic regression": 1}


def test_without_a_grammar_no_verb_is_asked_for(tables: TrainingTables) -> None:
    assert tables.agreement.empty
    assert list(tables.agreement) == AGREEMENT


def test_a_damaged_checkpoint_is_not_measured(root: str, tmp_path: Path) -> None:
    import shutil

    from embspace.errors import InputError

    copy = shutil.copytree(root, tmp_path / "copy")
    checkpoints = all_checkpoints(str(copy), RUN)
    weights = checkpoints[2].folder / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    with pytest.raises(InputError, match=r"step_000002/model\.safetensors: is not what training"):
        measure_training(RUN, some_texts(), checkpoints, None, **SETTINGS)


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


def test_rows_come_in_the_order_of_the_tables() -> None:
    both = pd.concat([held_out([1.0]).assign(objective=name) for name in ("z", "a")])
    found = seed_spread(both, empty(AGREEMENT), empty(CLASSIFICATION))
    assert found["of"].tolist() == ["z", "a", "z", "a"]
