"""Holds the table of checkpoints to what `measure_similarity` says of each."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.measure.learned.similarity import measure_similarity
from embspace.measure.runs import checkpoints as measured
from embspace.measure.runs.checkpoints import measure_checkpoints
from embspace.measure.tables.all_pairs import compare_all_pairs
from embspace.models.tokenizer import numbered_vocabulary
from embspace.train.checkpoints import Checkpoint
from tests.analyses import settings_of

SETTINGS = settings_of(measure_checkpoints, n_bins=256, quantiles=[0.25, 0.5, 0.75])
CHECKPOINTS = [
    Checkpoint("", seed, phase, step)
    for seed in (0, 1)
    for phase in ("pretraining", "classification")
    for step in (0, 9, 10)
]


def tensors() -> dict[str, np.ndarray]:
    """Classification does not touch what pretraining has left."""
    generator = np.random.default_rng(0)
    stored: dict[str, np.ndarray] = {}
    for checkpoint in CHECKPOINTS:
        for space, n in (("input", 30), ("positional", 9)):
            drawn = generator.normal(size=(n, 5)).astype(np.float32)
            last = stored.get(f"seed_{checkpoint.seed}.pretraining.10.{space}", drawn)
            is_frozen = checkpoint.phase == "classification"
            stored[f"{checkpoint.key}.{space}"] = last if is_frozen else drawn
    return stored


def inputs(*, is_empty: bool) -> dict[str, Any]:
    """Return what the analysis reads of a run, without learned positions if empty."""
    kept = {key: x for key, x in tensors().items() if not is_empty or key.endswith("input")}
    return {
        "checkpoints": CHECKPOINTS,
        "tensors": kept,
        "vocabulary": numbered_vocabulary(30),
    }


def test_each_checkpoint_has_the_summary_of_its_matrices_in_the_order_of_training() -> None:
    vocabulary = numbered_vocabulary(30)
    table = measure_checkpoints(CHECKPOINTS, tensors(), vocabulary, **SETTINGS)["csv"]
    places = table[["seed", "phase", "step"]].drop_duplicates()
    assert [tuple(row) for row in places.to_numpy()] == [
        (checkpoint.seed, checkpoint.phase, checkpoint.step) for checkpoint in CHECKPOINTS
    ]
    key = "seed_1.pretraining.9"
    matrices = {space: tensors()[f"{key}.{space}"] for space in ("input", "positional")}
    settings = {**SETTINGS, "n_histogram_bins": 9, "n_pairs": 2}
    expected = measure_similarity(matrices, vocabulary, **settings)["summary"]
    rows = table.query("seed == 1 and phase == 'pretraining' and step == 9")
    pd.testing.assert_frame_equal(
        rows.drop(columns=["seed", "phase", "step"]).reset_index(drop=True), expected
    )


def test_what_training_did_not_touch_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(*arguments: Any, **settings: Any) -> Any:
        calls.append(arguments)
        return compare_all_pairs(*arguments, **settings)

    monkeypatch.setattr(measured, "compare_all_pairs", counted)
    measure_checkpoints(CHECKPOINTS, tensors(), numbered_vocabulary(30), **SETTINGS)
    assert len(calls) == 2 * 3
