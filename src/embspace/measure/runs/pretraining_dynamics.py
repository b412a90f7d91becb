"""Stage `measure_pretraining_dynamics`: the geometry of every layer over a published training.

And what Razzhigaev et al. (2024, arXiv 2311.05928) claim of layers and training, held against it.
"""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.clouds.layers import Change
from embspace.device import Device, choose_device
from embspace.errors import InputError
from embspace.files.rows import load_rows
from embspace.files.scalars import load_scalars
from embspace.files.tables import Row, load_table, save_table
from embspace.measure.layers.model_kinds import kind_of_class
from embspace.measure.runs.dynamics_rows import COLUMNS, Settings, rows_of_layers, states_of
from embspace.measure.runs.training_claims_rows import CLAIMED_OF, ClaimRules, claim_rows
from embspace.models.checkpoints import PublishedCheckpoint, published_checkpoints
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.models.windows import largest_window
from embspace.settings.model import Model, describe_model
from embspace.settings.stage import StageConfig, run_stage
from embspace.train.heads import be_quiet

# What a run of ours has several of. Of a training, makers publish one model and one phase.
PLACE = {"seed": 0, "phase": "pretraining"}


@dataclass(frozen=True)
class PretrainingDynamics:
    """The tables of the stage."""

    dynamics: pd.DataFrame
    claims: pd.DataFrame


def measure_pretraining_dynamics(
    name: str,
    model: Model,
    kind: str,
    checkpoints: list[PublishedCheckpoint],
    texts: dict[str, pd.DataFrame],
    *,
    corpus: str,
    n_documents: PositiveInt,
    window_length: PositiveInt,
    changes: list[Change],
    left_out: list[str],
    batch_size: Annotated[int, Field(ge=64)],
    tokens_per_batch: PositiveInt,
    rules: ClaimRules,
    seed: NonNegativeInt,
    device: Device,
) -> PretrainingDynamics:
    """A row per checkpoint, layer, change and measure, as in `measure_dynamics`; and claims.

    `texts` has the texts by corpus. `n_documents` of `corpus`, at equal distances, are read in
    disjoint windows of `window_length` or of the model's length, with the model's own tokenizer and
    equal tokens for all checkpoints. One checkpoint is in memory at a time. `claims` has all claims
    of the paper, on encoders and on decoders, decided by `rules` as in `measure_training_claims`;
    `kind` is the model's kind.

    Raises:
        InputError: naming model and step, if a checkpoint was not fetched, differs from the fetched
            files, does not load, or reads windows of a different length than the first.
    """
    from tqdm import tqdm

    be_quiet()
    tokenizer = load_tokenizer(name, model)
    read = some_documents(texts[corpus], n_documents)
    settings = Settings(changes, left_out, batch_size, tokens_per_batch, seed)
    lengths: dict[str, int] = {}
    rows: list[Row] = []
    for each in tqdm(checkpoints, desc="checkpoints", disable=None):
        length, found = _of_checkpoint(
            each, tokenizer, read, window_length, settings, choose_device(device)
        )
        lengths[each.name] = length
        _check_lengths(lengths)
        rows += [{**PLACE, "step": each.step, **row} for row in found]
    dynamics = pd.DataFrame(rows, columns=COLUMNS)
    return PretrainingDynamics(dynamics, claim_rows(dynamics, kind, CLAIMED_OF, rules))


def some_documents(texts: pd.DataFrame, n_documents: int) -> pd.DataFrame:
    """The texts of so many documents, at equal distances in the corpus; all if it has no more."""
    documents = texts["document"].drop_duplicates().to_numpy()
    n = min(n_documents, len(documents))
    kept = documents[np.linspace(0, len(documents) - 1, n).round().astype(int)]
    return texts[texts["document"].isin(kept)].reset_index(drop=True)


def _of_checkpoint(
    checkpoint: PublishedCheckpoint,
    tokenizer: Any,
    texts: pd.DataFrame,
    window_length: int,
    settings: Settings,
    device: str,
) -> tuple[int, list[Row]]:
    """Return the window's length of a checkpoint and the rows of its layers; keep nothing of it."""
    model = checkpoint.model
    module = load_model(checkpoint.name, model)
    length = min(window_length, largest_window(model, module))
    tokens = settings.tokens_per_batch
    states = states_of(module, tokenizer, length, texts, model.final_norm, tokens, device)
    del module
    return length, rows_of_layers(states, settings)


def _check_lengths(lengths: dict[str, int]) -> None:
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError(
            f"checkpoints that read windows of different lengths read different tokens: {found}"
        )


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name, corpus = config.model_name, config.settings["corpus"]
    model = describe_model(name, config.model)
    pins = load_scalars(f"data/prepared/checkpoints/{name}.json")
    module = str(load_table(f"results/architecture/{name}.csv")["module"].iloc[0])
    tables = measure_pretraining_dynamics(
        name,
        model,
        kind_of_class(module),
        [each for each in published_checkpoints(name, model) if str(each.step) in pins],
        {corpus: load_rows(f"data/prepared/texts/{corpus}.parquet")},
        **config.settings,
    )
    save_table(tables.dynamics, f"results/pretraining_dynamics/{name}.csv")
    save_table(tables.claims, f"results/pretraining_dynamics/claims/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_pretraining_dynamics)
