"""Inputs of analyses of runs, and the columns that identify checkpoints."""

from embspace.analysis import Column, Source
from embspace.train.checkpoints import all_checkpoints

RUN = Source(lambda _, run: run)
"""The description of a run."""
RUN_NAME = Source(lambda name, _: name)
CHECKPOINTS = Source(
    lambda folder, _, run: all_checkpoints(folder, run), "data/trained/{run}", described=True
)
RUN_TEXTS = "data/prepared/training_texts/{run}.parquet"
"""All texts of a run, with the split."""
CHECKPOINT: dict[str, Column] = dict.fromkeys(("seed", "phase", "step"), "row")
