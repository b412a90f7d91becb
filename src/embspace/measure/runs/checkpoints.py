"""Stage `measure_checkpoints`: the learned matrices of a run's models over their training."""

import hashlib

import numpy as np
import pandas as pd

from embspace.device import Device
from embspace.files.rows import load_rows
from embspace.files.tables import save_table
from embspace.files.tensors import load_tensors
from embspace.measure.tables.all_pairs import compare_all_pairs
from embspace.settings.run import describe_run
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Listed, Probability
from embspace.train.checkpoints import Checkpoint, all_checkpoints


def measure_checkpoints(
    checkpoints: list[Checkpoint],
    tensors: dict[str, np.ndarray],
    vocabulary: pd.DataFrame,
    *,
    n_bins: Listed,
    quantiles: list[Probability],
    device: Device,
) -> pd.DataFrame:
    """The summary of `measure_similarity` for every checkpoint, in their order.

    `tensors` are named as `extract_checkpoints` does. Matrices that training did not touch are
    measured once.
    """
    known: dict[bytes, pd.DataFrame] = {}
    parts = []
    for each in checkpoints:
        start = f"{each.key}."
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
        place = pd.DataFrame([{"seed": each.seed, "phase": each.phase, "step": each.step}])
        parts.append(place.merge(summary, how="cross"))
    return pd.concat(parts, ignore_index=True)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.train_name
    table = measure_checkpoints(
        all_checkpoints("", describe_run(name, config.train)),
        load_tensors(f"data/extracted/checkpoints/{name}.safetensors"),
        load_rows(f"data/extracted/checkpoints/{name}.parquet"),
        **config.settings,
    )
    save_table(table, f"results/checkpoints/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_checkpoints, groups=("train",))
