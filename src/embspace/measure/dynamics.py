"""Stage `measure_dynamics`: the geometry of every layer of a run's models over their training."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.config import StageConfig, run_stage
from embspace.extract.checkpoints import Form, checkpoint_model, form_of
from embspace.files.rows import load_rows
from embspace.files.tables import save_table
from embspace.geometry.declared import Family
from embspace.geometry.registry import definitions
from embspace.geometry.resampling import stream_of
from embspace.geometry.together import applicable
from embspace.layer_clouds import Change, CorpusStates, LayerCloud, layer_clouds
from embspace.measure.batch_profiles import SPREAD, measures_of_batches
from embspace.measure.layer_nulls import groups_of, values_of
from embspace.measure.profile_protocol import Protocol
from embspace.models.description import FolderModel
from embspace.models.encoder import batches_by_length, encode
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.models.windows import cut_windows, token_table
from embspace.train.checkpoints import Checkpoint, all_checkpoints
from embspace.train.heads import be_quiet
from embspace.training_run import Run, describe_run

Row = dict[str, Any]
FEWEST = 4  # vectors of which neighbours say anything
OF_ALL: tuple[Family, ...] = ("direction", "spectrum")
COLUMNS = ["seed", "phase", "step", "layer", "change", "measure", "value", "n", "dropped"]
COLUMNS += ["n_batches", SPREAD]


@dataclass(frozen=True)
class Settings:
    """What every checkpoint is measured with."""

    changes: list[Change]
    left_out: list[str]
    batch_size: int
    tokens_per_batch: int
    seed: int


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


def rows_of_layers(states: CorpusStates, settings: Settings) -> list[Row]:
    """One row a layer, change and measure of the tokens that a checkpoint has read."""
    return [
        {"layer": layer, "change": change, **row}
        for layer in range(len(states.states["token"]))
        for space, change, cloud in layer_clouds(states, layer, settings.changes, n_top=0)
        if space == "token"
        for row in _rows(cloud, change, settings)
    ]


def _rows(cloud: LayerCloud, change: Change, settings: Settings) -> Iterator[Row]:
    chosen = [
        each
        for each in definitions().values()
        if each.family in OF_ALL and each.name not in settings.left_out
    ]
    chosen = applicable(chosen, groups_of(cloud), {})
    for measure, value in values_of(chosen, cloud).items():
        yield {"measure": measure, "value": value, "n": len(cloud.x), "dropped": 0}
    rng = np.random.default_rng(settings.seed)
    protocol = Protocol(
        family="intrinsic_dimension",
        changes=settings.changes,
        n_half_samples=0,
        level=0.95,
        tolerance=0.05,
        n_null_draws=0,
        shares=[],
        n_share_draws=0,
        rng=rng,
        value_only=settings.left_out,
        batch_size=settings.batch_size,
    )
    distinct = cloud.among(distinct_rows(cloud.x))
    if len(distinct.x) < FEWEST:
        return
    for row in measures_of_batches(distinct, protocol, stream_of(rng, change), with_slow=False):
        yield {**row, "dropped": row["dropped"] + len(cloud.x) - len(distinct.x)}


def distinct_rows(x: Float[np.ndarray, "n dim"]) -> Int[np.ndarray, " row"]:
    """The first of all rows that only rounding tells apart.

    Sequences that share their beginning have the same vectors there, of which neighbours say
    nothing. Rounded to 1e-5 of the root mean square coordinate.
    """
    unit = 1e-5 * (float(np.sqrt(np.square(x).mean())) or 1.0)
    first = np.unique(np.rint(x / unit).astype(np.int64), axis=0, return_index=True)[1]
    return np.sort(first)


def states_of(
    module: Any,
    tokenizer: Any,
    window: int,
    texts: pd.DataFrame,
    final_norm: str | None,
    tokens_per_batch: int,
    device: str = "cpu",
) -> CorpusStates:
    """The tokens that a checkpoint reads, `window` at once, and what it makes of them.

    `texts` has the columns `document` and `text`.
    """
    windows = cut_windows(texts["text"].tolist(), tokenizer, window)
    tokens = token_table(windows, tokenizer)
    lengths = [len(each.ids) for each in windows]
    parts: dict[int, np.ndarray] = {}
    pooled: dict[str, dict[int, np.ndarray]] = {"cls": {}, "mean": {}}
    batches = batches_by_length(lengths, tokens_per_batch)
    for each in encode(module, windows, batches, device, final_norm):
        parts[each.index] = each.tokens
        for kind, rows in pooled.items():
            rows[each.index] = each.pooled[kind]
    order = range(len(windows))
    states = {"token": np.concatenate([parts[index] for index in order], axis=1)}
    states |= {kind: np.stack([rows[i] for i in order], axis=1) for kind, rows in pooled.items()}
    document = pd.factorize(texts["document"])[0].astype(np.int64)
    return CorpusStates(states, document[[each.text for each in windows]], tokens)


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
