"""Holds the tables of a run to what was trained; the rows are tested where they are made."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.measure.runs.training import TRAINING, measure_training, seed_spread
from embspace.train.checkpoints import all_checkpoints, read_record
from embspace.train.model import train_model
from tests.analyses import settings_of
from tests.train.runs import CLASSIFIED, MASKED, small_run, some_texts

SETTINGS = settings_of(measure_training, n_resamples=20)
TABLES = ("held_out", "agreement", "classification")
RUN = small_run({"pretraining": MASKED, "classification": CLASSIFIED}, seeds=[0, 3])


@cache
def trained() -> str:
    folder = f"{mkdtemp()}/small"
    train_model("small", RUN, some_texts(), folder, "cpu")
    return folder


def inputs(*, is_empty: bool) -> dict[str, Any]:
    """Return what the analysis reads of a run, with a verb in each held-out text, or of none."""
    texts = some_texts()
    texts["label"] = texts["label"].where(texts.index % 3 > 0, "0")  # no classifier gets all right
    tested = texts[texts["split"] == "test"]
    words = tested["text"].str.split()
    verbs = {
        "sentence": 0,
        "noun_index": 4,
        "verb_index": 5,
        "right": words.str[5],
        "wrong": words.str[4],
        "n_attractors": np.arange(len(tested)) % 2,
        "clause": "main",
    }
    return {
        "run": RUN,
        "texts": texts,
        "checkpoints": [] if is_empty else all_checkpoints(trained(), RUN),
        "agreements": None if is_empty else tested[["id"]].assign(**verbs),
    }


@pytest.fixture(scope="module")
def root() -> str:
    return trained()


@pytest.fixture(scope="module")
def tables(root: str) -> Outcome:
    return measure_training(RUN, some_texts(), all_checkpoints(root, RUN), None, **SETTINGS)


def test_each_step_of_each_seed_and_phase_has_its_loss_once(tables: Outcome, root: str) -> None:
    losses = tables["losses"].groupby(["seed", "phase"], sort=False)["step"].agg(list)
    assert {tuple(key): steps for key, steps in losses.items()} == {
        (seed, phase): list(range(1, 13)) for seed in (0, 3) for phase in RUN.phases
    }
    last = all_checkpoints(root, RUN)[4]
    by_step = (
        tables["losses"].query("seed == 0 and phase == 'pretraining'").set_index("step")["loss"]
    )
    assert by_step[12] == read_record(last.folder).losses[-1]


def test_each_language_model_is_asked_for_held_out_tokens(
    tables: Outcome,
) -> None:
    assert len(tables["held_out"]) == 2 * 5
    assert set(tables["held_out"]["phase"]) == {"pretraining"}
    assert (tables["held_out"]["n_documents"] == 10).all()
    assert tables["held_out"]["bigram_loss"].nunique() == 1


def test_each_classifier_is_scored_beside_a_regression(
    tables: Outcome,
) -> None:
    counts = tables["classification"]["classifier"].value_counts()
    assert counts.to_dict() == {"trained": 2 * 5, "logistic regression": 1}


def test_without_a_grammar_no_verb_is_asked_for(tables: Outcome) -> None:
    assert tables["agreement"].empty


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
    rows = pd.DataFrame({"seed": range(len(losses)), "loss": losses, "accuracy": 0.5})
    return TRAINING.tables["held_out"].of(rows.assign(phase="first", step=step, objective="guess"))


def spread_of(**tables: pd.DataFrame) -> pd.DataFrame:
    empty = {name: TRAINING.tables[name].of() for name in TABLES}
    return seed_spread(**empty | tables)


def test_the_last_step_alone_counts_and_each_seed_once() -> None:
    both = pd.concat([held_out([9.0, 9.0, 9.0], step=0), held_out([1.0, 2.0, 6.0])])
    spread = spread_of(held_out=both)
    loss = spread.set_index("quantity").loc["loss"]
    assert (loss["step"], loss["n_seeds"], loss["of"]) == (10, 3, "guess")
    assert (loss["mean"], loss["smallest"], loss["largest"]) == (3, 1, 6)
    assert loss["standard_deviation"] == pytest.approx(np.sqrt(7))
    assert len(spread) == 2


def test_one_seed_has_no_spread() -> None:
    spread = spread_of(held_out=held_out([1.0]))
    assert spread["standard_deviation"].isna().all()


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
    spread = spread_of(agreement=verbs, classification=classes)
    assert spread["of"].tolist() == [
        "clause main, attractors a",
        "clause main, attractors b",
        "as they are",
        "as they are",
    ]
    assert spread["mean"].tolist() == pytest.approx([0.75, 0.75, 0.6, 0.25])
    assert (spread["n_seeds"] == 2).all()


def test_rows_come_in_the_order_of_the_tables() -> None:
    both = pd.concat([held_out([1.0]).assign(objective=name) for name in ("z", "a")])
    spread = spread_of(held_out=both)
    assert spread["of"].tolist() == ["z", "a", "z", "a"]
