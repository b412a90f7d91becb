"""Stage `measure_checkpoints`: the learned matrices of a run's models over their training."""

import hashlib

import numpy as np
import pandas as pd

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.device import Device
from embspace.measure.tables.all_pairs import compare_all_pairs
from embspace.measure.tables.columns import SUMMARY
from embspace.measure.tables.runs import CHECKPOINT
from embspace.settings.stage import run_stage
from embspace.settings.types import Listed, Probability
from embspace.train.checkpoints import Checkpoint, all_checkpoints

CHECKPOINTS = Analysis(
    noun="checkpoints",
    question="How do their learned vectors change over training?",
    reads={
        "checkpoints": Source(lambda _, run: all_checkpoints("", run)),
        "tensors": "data/extracted/checkpoints/{run}.safetensors",
        "vocabulary": "data/extracted/checkpoints/{run}.parquet",
    },
    tables={
        "csv": Table(
            CHECKPOINT
            | {"space": "row", "quantity": "row"}
            | dict.fromkeys(SUMMARY, "trained_vectors")
        )
    },
    over="trained",
)


def measure_checkpoints(
    checkpoints: list[Checkpoint],
    tensors: dict[str, np.ndarray],
    vocabulary: pd.DataFrame,
    *,
    n_bins: Listed,
    quantiles: list[Probability],
    device: Device,
) -> Outcome:
    """Return the summary of `measure_similarity` for every checkpoint, in order.

    `tensors` are named as `extract_checkpoints` does. Matrices untouched by training are measured
    once.
    """
    known: dict[bytes, pd.DataFrame] = {}
    parts = []
    for checkpoint in checkpoints:
        start = f"{checkpoint.key}."
        matrices = {
            key.removeprefix(start): x for key, x in tensors.items() if key.startswith(start)
        }
        digest = hashlib.sha256()
        for _, x in sorted(matrices.items()):
            digest.update(x.tobytes())
        if digest.digest() not in known:
            pairs = compare_all_pairs(matrices, vocabulary, n_bins=n_bins, n_pairs=1, device=device)
            known[digest.digest()] = pairs.summary(quantiles)
        summary = known[digest.digest()]
        place = pd.DataFrame([{name: getattr(checkpoint, name) for name in CHECKPOINT}])
        parts.append(place.merge(summary, how="cross"))
    return {"csv": pd.concat(parts, ignore_index=True)}


main = CHECKPOINTS.main(measure_checkpoints)

if __name__ == "__main__":
    run_stage(main, measure_checkpoints, groups=("train",))
