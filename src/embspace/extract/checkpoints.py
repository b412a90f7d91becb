"""Stage `extract_checkpoints`: the learned matrices of every checkpoint of a run."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from embspace.errors import InputError
from embspace.extract.embeddings import extract_embeddings, without_padding
from embspace.files.rows import save_rows
from embspace.files.tensors import save_tensors
from embspace.models.matrices import learned_matrices
from embspace.models.weights import load_model
from embspace.settings.model import FolderModel, VectorsModel, describe_model
from embspace.settings.run import Run, describe_run, run_file
from embspace.settings.schema import read_yaml
from embspace.settings.stage import StageConfig, run_stage
from embspace.train.checkpoints import Checkpoint, all_checkpoints, read_record
from embspace.train.heads import be_quiet

Form = dict[str, Any]  # of a model's description, all that its architecture and vocabulary decide
SAME_IN_BASE = (
    "matrices",
    "position_offset",
    "padding_rows",
    "continuation_prefix",
    "word_prefix",
    "unused_tokens",
    "final_norm",
    "batches",
)


def extract_checkpoints(
    name: str, run: Run, form: Form, checkpoints: list[Checkpoint]
) -> tuple[dict[str, np.ndarray], pd.DataFrame]:
    """The matrices as `<checkpoint's key>.<space>`, and the common vocabulary.

    Checkpoints are read as models in folders; the vocabulary is the first checkpoint's.
    """
    be_quiet()
    first, *others = checkpoints
    matrices, vocabulary = extract_embeddings(name, checkpoint_model(run, form, first))
    tensors = {f"{first.key}.{space}": matrix for space, matrix in matrices.items()}
    for checkpoint in others:
        model = checkpoint_model(run, form, checkpoint)
        matrices = learned_matrices(name, model, load_model(name, model))
        matrices = without_padding(name, model, matrices, vocabulary)
        tensors |= {f"{checkpoint.key}.{space}": matrix for space, matrix in matrices.items()}
    return tensors, vocabulary


def checkpoint_model(run: Run, form: Form, checkpoint: Checkpoint) -> FolderModel:
    """A checkpoint as a model of conf/model/ with `source: path`; its own record pins its files."""
    return FolderModel(
        source="path",
        path=str(checkpoint.folder),
        label=f"{run.label}, seed {checkpoint.seed}, {checkpoint.phase}, step {checkpoint.step}",
        license=run.license,
        language=run.language,
        window=run.window,
        parameters=None,
        sha256=read_record(checkpoint.folder).sha256,
        **form,
    )


def form_of(name: str, run: Run) -> Form:
    """Return the names of the learned matrices, and the rows of no token or position.

    Source is the run, or the base model of the run.
    """
    if run.matrices is not None:
        return {
            "matrices": run.matrices,
            "final_norm": run.final_norm,
            "position_offset": 0,
            "padding_rows": 0,
        }
    model = describe_model(str(run.base), read_yaml(Path(f"conf/model/{run.base}.yaml")))
    if isinstance(model, VectorsModel):
        raise InputError(f"{run_file(name)}: key 'base': {run.base} is vectors, no model")
    return {key: getattr(model, key) for key in SAME_IN_BASE}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.train_name
    run = describe_run(name, config.train)
    checkpoints = all_checkpoints(f"data/trained/{name}", run)
    tensors, vocabulary = extract_checkpoints(name, run, form_of(name, run), checkpoints)
    save_tensors(tensors, f"data/extracted/checkpoints/{name}.safetensors")
    save_rows(vocabulary, f"data/extracted/checkpoints/{name}.parquet")


if __name__ == "__main__":
    run_stage(main, extract_checkpoints, groups=("train",))
