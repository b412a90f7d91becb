"""Holds the heads of a run over training to those of its checkpoints, and to held-out texts."""

from functools import cache
from tempfile import mkdtemp
from typing import Any

import pandas as pd
import pytest

from embspace.extract.checkpoints import checkpoint_model, form_of
from embspace.measure.runs.head_dynamics import measure_head_dynamics
from embspace.measure.runs.head_dynamics_rows import HeadFeature, head_rows
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.train.checkpoints import all_checkpoints
from embspace.train.model import train_model
from tests.analyses import settings_of
from tests.measure.layer_corpora import processes
from tests.train.runs import MASKED, WINDOW, small_run, some_texts

FEATURES: list[HeadFeature] = ["previous_mass", "row_entropy"]
FEW: dict[str, Any] = {"n_documents": 5, "features": FEATURES}
RUN = small_run({"pretraining": {**MASKED, "n_steps": 6, "n_checkpoints": 2}})
TEXTS = some_texts()


@cache
def trained() -> str:
    folder = f"{mkdtemp()}/small"
    train_model("small", RUN, TEXTS, folder, "cpu")
    return folder


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return {
        "name": "small",
        "run": RUN,
        "form": form_of("small", RUN),
        "texts": TEXTS.assign(split="train") if is_empty else TEXTS,
        "checkpoints": all_checkpoints(trained(), RUN),
    }


def measured(*, is_empty: bool = False) -> pd.DataFrame:
    with processes(1):
        settings = settings_of(measure_head_dynamics, **FEW)
        return measure_head_dynamics(**inputs(is_empty=is_empty), **settings)["csv"]


def test_a_row_for_each_checkpoint_layer_head_and_feature() -> None:
    table = measured()
    assert not table.duplicated(["seed", "phase", "step", "layer", "head", "feature"]).any()
    assert len(table) == 2 * 2 * 2 * len(FEATURES)
    assert table["step"].drop_duplicates().tolist() == [0, 6]
    assert set(table["n_documents"]) == {5}
    assert table["value"].between(0, 1).all()


def test_values_are_those_of_the_checkpoint_on_held_out_texts_alone() -> None:
    held_out = TEXTS[TEXTS["split"] == "test"]
    kept = held_out["document"].drop_duplicates().iloc[:5]
    held_out = held_out[held_out["document"].isin(kept)].reset_index(drop=True)
    last = all_checkpoints(trained(), RUN)[-1]
    model = checkpoint_model(RUN, form_of("small", RUN), last)
    tokenizer, module = load_tokenizer("small", model), load_model("small", model)
    expected = pd.DataFrame(head_rows(module, tokenizer, WINDOW, held_out, FEATURES))
    rows = measured().query("step == 6").reset_index(drop=True)
    assert rows["value"].to_numpy() == pytest.approx(expected["value"].to_numpy())


def test_training_moves_heads() -> None:
    table = measured()
    first, last = (table.query(f"step == {step}")["value"].to_numpy() for step in (0, 6))
    assert (first != last).any()


def test_without_held_out_texts_there_is_no_row() -> None:
    assert measured(is_empty=True).empty
