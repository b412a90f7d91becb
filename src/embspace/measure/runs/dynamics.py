"""Stage `measure_dynamics`: the geometry of every layer of a run's models over their training."""

from functools import partial
from typing import Annotated, Any

import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.clouds.layers import Change
from embspace.extract.checkpoints import Form, form_of
from embspace.files.tables import Row
from embspace.measure.runs.dynamics_rows import Settings, columns_of, rows_of_layers, states_of
from embspace.measure.runs.over_checkpoints import over_checkpoints
from embspace.measure.tables.runs import CHECKPOINTS, RUN, RUN_NAME, RUN_TEXTS
from embspace.settings.model import FolderModel
from embspace.settings.run import Run
from embspace.settings.stage import run_stage
from embspace.train.checkpoints import Checkpoint

DYNAMICS = Analysis(
    noun="dynamics",
    question="How does the geometry of their layers change over training?",
    reads={
        "name": RUN_NAME,
        "run": RUN,
        "form": Source(form_of),
        "texts": RUN_TEXTS,
        "checkpoints": CHECKPOINTS,
    },
    tables={"csv": Table(columns_of("trained_geometry", "trained_statistic"))},
    over="trained",
)


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
) -> Outcome:
    """Return a row per checkpoint, layer, change and measure, of tokens of held-out documents.

    The measures of direction and spectrum are of all tokens of the first `n_documents` unseen in
    training; intrinsic dimensions are means over disjoint batches of `batch_size` of these tokens,
    shuffled, every vector once; all but `left_out`. Every checkpoint reads the same tokens.
    """
    settings = Settings(changes, left_out, batch_size, tokens_per_batch, seed)
    measure = partial(_rows, run.window, settings)
    rows = over_checkpoints(name, run, form, texts, checkpoints, n_documents, measure)
    return {"csv": pd.DataFrame(rows)}


def _rows(
    window: int,
    settings: Settings,
    module: Any,
    tokenizer: Any,
    model: FolderModel,
    texts: pd.DataFrame,
) -> list[Row]:
    tokens = settings.tokens_per_batch
    states = states_of(module, tokenizer, window, texts, model.final_norm, tokens)
    return rows_of_layers(states, settings)


main = DYNAMICS.main(measure_dynamics)

if __name__ == "__main__":
    run_stage(main, measure_dynamics, groups=("train",))
