"""Holds the heads of a run over training to those of its checkpoints, and to held-out texts."""

from typing import Any

import pandas as pd
import pytest

from embspace.extract.checkpoints import checkpoint_model, form_of
from embspace.measure.runs.head_dynamics import measure_head_dynamics
from embspace.measure.runs.head_dynamics_rows import COLUMNS, HeadFeature, head_rows
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.train.checkpoints import all_checkpoints
from embspace.train.model import train_model
from tests.measure.layer_corpora import processes
from tests.train.runs import MASKED, WINDOW, small_run, some_texts

FEATURES: list[HeadFeature] = ["previous_mass", "row_entropy"]
SETTINGS: dict[str, Any] = {"n_documents": 5, "features": FEATURES}
RUN = small_run({"pretraining": {**MASKED, "n_steps": 6, "n_checkpoints": 2}})
TEXTS = some_texts()


@pytest.fixture(scope="module")
def root_of_run(tmp_path_factory: pytest.TempPathFactory) -> str:
    found = str(tmp_path_factory.mktemp("trained") / "small")
    train_model("small", RUN, TEXTS, found, "cpu")
    return found


def measured(root: str, texts: pd.DataFrame = TEXTS) -> pd.DataFrame:
    with processes(1):
        checkpoints = all_checkpoints(root, RUN)
        return measure_head_dynamics(
            "small", RUN, form_of("small", RUN), texts, checkpoints, **SETTINGS
        )


def test_a_row_for_each_checkpoint_layer_head_and_feature(root_of_run: str) -> None:
    found = measured(root_of_run)
    assert list(found) == COLUMNS
    assert not found.duplicated(["seed", "phase", "step", "layer", "head", "feature"]).any()
    assert len(found) == 2 * 2 * 2 * len(FEATURES)
    assert found["step"].drop_duplicates().tolist() == [0, 6]
    assert set(found["n_documents"]) == {5}
    assert found["value"].between(0, 1).all()


def test_values_are_those_of_the_checkpoint_on_held_out_texts_alone(root_of_run: str) -> None:
    held_out = TEXTS[TEXTS["split"] == "test"]
    kept = held_out["document"].drop_duplicates().iloc[:5]
    held_out = held_out[held_out["document"].isin(kept)].reset_index(drop=True)
    last = all_checkpoints(root_of_run, RUN)[-1]
    model = checkpoint_model(RUN, form_of("small", RUN), last)
    tokenizer, module = load_tokenizer("small", model), load_model("small", model)
    expected = pd.DataFrame(head_rows(module, tokenizer, WINDOW, held_out, FEATURES))
    rows = measured(root_of_run).query("step == 6").reset_index(drop=True)
    assert rows["value"].to_numpy() == pytest.approx(expected["value"].to_numpy())


def test_training_moves_heads(root_of_run: str) -> None:
    found = measured(root_of_run)
    first, last = (found.query(f"step == {step}")["value"].to_numpy() for step in (0, 6))
    assert (first != last).any()


def test_without_held_out_texts_there_is_no_row(root_of_run: str) -> None:
    found = measured(root_of_run, TEXTS.assign(split="train"))
    assert list(found) == COLUMNS and found.empty
