"""Stage `measure_pretraining_dynamics`: the geometry of every layer over a published training.

With verdicts on the claims of Razzhigaev et al. (2024, arXiv 2311.05928) on layers and training.
"""

from typing import Annotated, Any

import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.clouds.layers import Change
from embspace.device import Device, choose_device
from embspace.errors import InputError
from embspace.files.tables import Row, load_table
from embspace.measure.layers.model_kinds import kind_of_class
from embspace.measure.runs.dynamics_rows import Settings, columns_of, rows_of_layers, states_of
from embspace.measure.runs.published_training import READ, place_of, some_documents
from embspace.measure.runs.training_claims_rows import CLAIMED_OF, COLUMNS, ClaimRules, claim_rows
from embspace.models.checkpoints import PublishedCheckpoint
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.models.windows import largest_window
from embspace.settings.model import Model
from embspace.settings.stage import run_stage
from embspace.train.heads import be_quiet

PRETRAINING_DYNAMICS = Analysis(
    noun="pretraining_dynamics",
    question=(
        "How did the geometry of a model's layers change over its pretraining? [Of models whose "
        "checkpoints are on the hub](layers.md#over-a-published-training)"
    ),
    reads={
        **READ,
        "kind": Source(
            lambda path: kind_of_class(str(load_table(path)["module"].iloc[0])),
            "results/architecture/{model}.csv",
        ),
    },
    tables={"csv": Table(columns_of("profile", "profile_bound")), "claims": Table(COLUMNS)},
    over="checkpointed",
)


def measure_pretraining_dynamics(
    name: str,
    model: Model,
    checkpoints: list[PublishedCheckpoint],
    texts: dict[str, pd.DataFrame],
    kind: str,
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
) -> Outcome:
    """Return a row per checkpoint, layer, change and measure, as in `measure_dynamics`; and claims.

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
    for checkpoint in tqdm(checkpoints, desc="checkpoints", disable=None):
        length, own = _measured(
            checkpoint, tokenizer, read, window_length, settings, choose_device(device)
        )
        lengths[checkpoint.name] = length
        _check_lengths(lengths)
        rows += [{**place_of(checkpoint), **row} for row in own]
    dynamics = PRETRAINING_DYNAMICS.tables["csv"].of(rows)
    claims = claim_rows(dynamics, kind, CLAIMED_OF, rules)
    return {"csv": dynamics, "claims": PRETRAINING_DYNAMICS.tables["claims"].of(claims)}


def _measured(
    checkpoint: PublishedCheckpoint,
    tokenizer: Any,
    texts: pd.DataFrame,
    window_length: int,
    settings: Settings,
    device: str,
) -> tuple[int, list[Row]]:
    """Return the window's length of a checkpoint and the layers' rows; keep no weights."""
    model = checkpoint.model
    module = load_model(checkpoint.name, model)
    length = min(window_length, largest_window(model, module))
    tokens = settings.tokens_per_batch
    states = states_of(module, tokenizer, length, texts, model.final_norm, tokens, device)
    del module
    return length, rows_of_layers(states, settings)


def _check_lengths(lengths: dict[str, int]) -> None:
    if len(set(lengths.values())) > 1:
        windows = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError(
            f"checkpoints that read windows of different lengths read different tokens: {windows}"
        )


main = PRETRAINING_DYNAMICS.main(measure_pretraining_dynamics)

if __name__ == "__main__":
    run_stage(main, measure_pretraining_dynamics)
