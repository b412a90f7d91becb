"""Stage `measure_dynamics`: the geometry of every layer of a run's models over their training."""

from typing import Annotated

import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.clouds.layers import Change
from embspace.extract.checkpoints import Form, checkpoint_model, form_of
from embspace.files.rows import load_rows
from embspace.files.tables import Row, save_table
from embspace.measure.runs.dynamics_rows import COLUMNS, Settings, rows_of_layers, states_of
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.settings.model import FolderModel
from embspace.settings.run import Run, describe_run
from embspace.settings.stage import StageConfig, run_stage
from embspace.train.checkpoints import Checkpoint, all_checkpoints
from embspace.train.heads import be_quiet


def measure_dynamics(
    name: str,
    run: Run,
    form: Form,
    texts: pd.DataFrame,
    checkpoints: list[Checkpoint],
    *,
    n_documents: PositiveInt,
    changes: list[Change],
    left_out: list[str],
    batch_size: Annotated[int, Field(ge=64)],
    tokens_per_batch: PositiveInt,
    seed: NonNegativeInt,
) -> pd.DataFrame:
    """One row a checkpoint, layer, change and measure, of the tokens of held-out documents.

    The measures of direction and spectrum are of all tokens of the first `n_documents` that
    training did not see, those of the intrinsic dimension the mean over disjoint batches of
    `batch_size` of them, shuffled, each vector once; all but `left_out`. Every checkpoint reads
    the same tokens.
    """
    from joblib import Parallel, delayed
    from tqdm import tqdm

    held_out = texts[texts["split"] == "test"]
    kept = held_out["document"].drop_duplicates().iloc[:n_documents]
    held_out = held_out[held_out["document"].isin(kept)].reset_index(drop=True)
    settings = Settings(changes, left_out, batch_size, tokens_per_batch, seed)
    calls = (
        delayed(_of_checkpoint)(
            name, run.window, checkpoint_model(run, form, each), held_out, settings
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
    name: str, window: int, model: FolderModel, texts: pd.DataFrame, settings: Settings
) -> list[Row]:
    import torch

    torch.set_num_threads(1)  # the checkpoints take one core each
    be_quiet()
    states = states_of(
        load_model(name, model),
        load_tokenizer(name, model),
        window,
        texts,
        model.final_norm,
        settings.tokens_per_batch,
    )
    return rows_of_layers(states, settings)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.train_name
    run = describe_run(name, config.train)
    table = measure_dynamics(
        name,
        run,
        form_of(name, run),
        load_rows(f"data/prepared/training_texts/{name}.parquet"),
        all_checkpoints(f"data/trained/{name}", run),
        **config.settings,
    )
    save_table(table, f"results/dynamics/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_dynamics, groups=("train",))
