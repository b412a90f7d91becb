"""Measures every checkpoint of a run on the same held-out texts, in processes side by side."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from embspace.extract.checkpoints import Form, checkpoint_model
from embspace.files.tables import Row
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.settings.model import FolderModel
from embspace.settings.run import Run
from embspace.train.checkpoints import Checkpoint
from embspace.train.heads import be_quiet

CheckpointRows = Callable[[Any, Any, FolderModel, pd.DataFrame], list[Row]]
"""Takes module, tokenizer, description and texts of a checkpoint."""


def over_checkpoints(
    name: str,
    run: Run,
    form: Form,
    texts: pd.DataFrame,
    checkpoints: list[Checkpoint],
    n_documents: int,
    measure: CheckpointRows,
) -> list[Row]:
    """Return the rows of every checkpoint, with seed, phase and step.

    Every checkpoint reads the first `n_documents` unseen in training.
    """
    from joblib import Parallel, delayed
    from tqdm import tqdm

    held_out = texts[texts["split"] == "test"]
    kept = held_out["document"].drop_duplicates().iloc[:n_documents]
    held_out = held_out[held_out["document"].isin(kept)].reset_index(drop=True)
    calls = (
        delayed(_measured)(name, checkpoint_model(run, form, checkpoint), held_out, measure)
        for checkpoint in checkpoints
    )
    results = Parallel(n_jobs=-1, return_as="generator")(calls)
    shown = tqdm(results, total=len(checkpoints), desc="checkpoints", disable=None)
    return [
        {"seed": checkpoint.seed, "phase": checkpoint.phase, "step": checkpoint.step, **row}
        for checkpoint, rows in zip(checkpoints, shown, strict=True)
        for row in rows
    ]


def _measured(
    name: str, model: FolderModel, texts: pd.DataFrame, measure: CheckpointRows
) -> list[Row]:
    import torch

    torch.set_num_threads(1)  # the checkpoints take one core each
    be_quiet()
    return measure(load_model(name, model), load_tokenizer(name, model), model, texts)
