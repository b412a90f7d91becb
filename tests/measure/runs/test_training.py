"""Holds the tables of a run to what was trained; the rows are tested where they are made."""

from pathlib import Path
from typing import Any

import pytest

from embspace.measure.runs.training import (
    AGREEMENT,
    CLASSIFICATION,
    HELD_OUT,
    TrainingTables,
    measure_training,
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
