"""Stage `measure_head_dynamics`: where the heads of a run's models look, over their training."""

from typing import Annotated

import pandas as pd
from pydantic import Field, PositiveInt

from embspace.extract.checkpoints import Form, checkpoint_model, form_of
from embspace.files.rows import load_rows
from embspace.files.tables import Row, save_table
from embspace.measure.runs.head_dynamics_rows import COLUMNS, HeadFeature, head_rows
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.settings.model import FolderModel
from embspace.settings.run import Run, describe_run
from embspace.settings.stage import StageConfig, run_stage
from embspace.train.checkpoints import Checkpoint, all_checkpoints
from embspace.train.heads import be_quiet


def measure_head_dynamics(
    name: str,
    run: Run,
    form: Form,
    texts: pd.DataFrame,
    checkpoints: list[Checkpoint],
    *,
    n_documents: PositiveInt,
    features: Annotated[list[HeadFeature], Field(min_length=1)],
) -> pd.DataFrame:
    """Return one row a checkpoint, layer, head and feature.

    The features are those of `embspace.geometry.attention`, from 0 to 1, means over the first
    `n_documents` that training did not see. Every checkpoint reads the same tokens. The cone index
    of the same checkpoints' states is in the table of `measure_dynamics`.
    """
    from joblib import Parallel, delayed
    from tqdm import tqdm

    held_out = texts[texts["split"] == "test"]
    kept = held_out["document"].drop_duplicates().iloc[:n_documents]
    held_out = held_out[held_out["document"].isin(kept)].reset_index(drop=True)
    calls = (
        delayed(_of_checkpoint)(
            name, run.window, checkpoint_model(run, form, each), held_out, features
        )
        for each in checkpoints
    )
    found = Parallel(n_jobs=-1, return_as="generator")(calls)
    rows: list[Row] = []
    shown = tqdm(found, total=len(checkpoints), desc="checkpoints", disable=None)
    for each, of_checkpoint in zip(checkpoints, shown, strict=True):
        place = {"seed": each.seed, "phase": each.phase, "step": each.step}
        rows += [{**place, **row} for row in of_checkpoint]
    return pd.DataFrame(rows, columns=COLUMNS)


def _of_checkpoint(
    name: str, window: int, model: FolderModel, texts: pd.DataFrame, features: list[HeadFeature]
) -> list[Row]:
    import torch

    torch.set_num_threads(1)  # the checkpoints take one core each
    be_quiet()
    return head_rows(load_model(name, model), load_tokenizer(name, model), window, texts, features)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.train_name
    run = describe_run(name, config.train)
    table = measure_head_dynamics(
        name,
        run,
        form_of(name, run),
        load_rows(f"data/prepared/training_texts/{name}.parquet"),
        all_checkpoints(f"data/trained/{name}", run),
        **config.settings,
    )
    save_table(table, f"results/head_dynamics/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_head_dynamics, groups=("train",))
