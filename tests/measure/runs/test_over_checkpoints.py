"""Holds which texts every checkpoint reads, and the order of the rows."""

from pathlib import Path
from typing import Any

import pandas as pd

from embspace.extract.checkpoints import form_of
from embspace.measure.runs.over_checkpoints import over_checkpoints
from embspace.train.checkpoints import all_checkpoints
from embspace.train.model import train_model
from tests.measure.layer_corpora import processes
from tests.train.runs import MASKED, small_run, some_texts


def test_rows_come_by_checkpoint_and_only_the_first_held_out_documents_are_read(
    tmp_path: Path,
) -> None:
    run = small_run({"first": {**MASKED, "n_steps": 6, "n_checkpoints": 2}}, seeds=[0, 3])
    texts, folder = some_texts(), str(tmp_path / "small")
    train_model("small", run, texts, folder, "cpu")
    checkpoints = all_checkpoints(folder, run)

    def measure(
        module: Any, tokenizer: Any, model: Any, read: pd.DataFrame
    ) -> list[dict[str, Any]]:
        assert module.get_input_embeddings().num_embeddings == len(tokenizer)
        return [{"label": model.label, "read": tuple(read["document"])}]

    with processes(1):
        rows = over_checkpoints("small", run, form_of("small", run), texts, checkpoints, 3, measure)
    keys = [(row["seed"], row["phase"], row["step"]) for row in rows]
    assert keys == [(0, "first", 0), (0, "first", 6), (3, "first", 0), (3, "first", 6)]
    assert {row["read"] for row in rows} == {("40", "41", "42")}
    assert rows[-1]["label"] == "small, seed 3, first, step 6"
