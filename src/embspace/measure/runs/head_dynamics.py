"""Stage `measure_head_dynamics`: where the heads of a run's models look, over their training."""

from functools import partial
from typing import Annotated, Any

import pandas as pd
from pydantic import Field, PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.extract.checkpoints import Form, form_of
from embspace.files.tables import Row
from embspace.measure.runs.head_dynamics_rows import HeadFeature, columns_of, head_rows
from embspace.measure.runs.over_checkpoints import over_checkpoints
from embspace.measure.tables.runs import CHECKPOINTS, RUN, RUN_NAME, RUN_TEXTS
from embspace.settings.model import FolderModel
from embspace.settings.run import Run
from embspace.settings.stage import run_stage
from embspace.train.checkpoints import Checkpoint

HEAD_DYNAMICS = Analysis(
    noun="head_dynamics",
    question=(
        "Where do their attention heads look, and how aligned are their states, over training?"
    ),
    reads={
        "name": RUN_NAME,
        "run": RUN,
        "form": Source(form_of),
        "texts": RUN_TEXTS,
        "checkpoints": CHECKPOINTS,
    },
    tables={"csv": Table(columns_of("trained_geometry"))},
    over="trained",
)


def measure_head_dynamics(
    name: str,
    run: Run,
    form: Form,
    texts: pd.DataFrame,
    checkpoints: list[Checkpoint],
    *,
    n_documents: PositiveInt,
    features: Annotated[list[HeadFeature], Field(min_length=1)],
) -> Outcome:
    """Return a row per checkpoint, layer, head and feature.

    The features of `embspace.geometry.attention`, from 0 to 1, are means over the first
    `n_documents` unseen in training. Every checkpoint reads the same tokens. The cone index of the
    same checkpoints' states is in the table of `measure_dynamics`.
    """
    measure = partial(_rows, run.window, features)
    rows = over_checkpoints(name, run, form, texts, checkpoints, n_documents, measure)
    return {"csv": pd.DataFrame(rows)}


def _rows(
    window: int,
    features: list[HeadFeature],
    module: Any,
    tokenizer: Any,
    _: FolderModel,
    texts: pd.DataFrame,
) -> list[Row]:
    return head_rows(module, tokenizer, window, texts, features)


main = HEAD_DYNAMICS.main(measure_head_dynamics)

if __name__ == "__main__":
    run_stage(main, measure_head_dynamics, groups=("train",))
