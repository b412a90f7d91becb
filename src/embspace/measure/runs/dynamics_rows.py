"""The geometry of every layer of a checkpoint: rows of the tables of all trainings."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from embspace.analysis import Column
from embspace.clouds.layers import Change, CorpusStates, LayerCloud, layer_clouds
from embspace.files.tables import Row
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.inference.shared_inputs import applicable
from embspace.geometry.measures.declaration import Family
from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.layers.layer_batches import SPREAD, measures_of_batches
from embspace.measure.layers.layer_nulls import groups_of, values_of
from embspace.measure.layers.layer_protocol import Protocol
from embspace.measure.layers.layer_states import window_states
from embspace.measure.tables.runs import CHECKPOINT
from embspace.models.windows import cut_windows, token_table

VALUES = ("value", "n", "n_equal", "dropped", "n_batches", SPREAD)
OF_ALL: tuple[Family, ...] = ("direction", "spectrum")


def columns_of(value: str, spread: str) -> dict[str, Column]:
    """Return the columns of a table over training, with the kinds of values and their spread."""
    keys = CHECKPOINT | dict.fromkeys(("layer", "change", "measure"), "row")
    kinds = dict.fromkeys(VALUES, "count") | {"value": value, SPREAD: spread}
    kinds |= dict.fromkeys(("n_equal", "dropped"), "near_equal_count")
    return {**keys, **kinds}


@dataclass(frozen=True)
class Settings:
    """The settings that every checkpoint is measured with."""

    changes: list[Change]
    left_out: list[str]
    batch_size: int
    tokens_per_batch: int
    seed: int


def states_of(
    module: Any,
    tokenizer: Any,
    window: int,
    texts: pd.DataFrame,
    final_norm: str | None,
    tokens_per_batch: int,
    device: str = "cpu",
) -> CorpusStates:
    """Return the tokens that a checkpoint reads, `window` at once, and their states.

    `texts` has the columns `document` and `text`.
    """
    windows = cut_windows(texts["text"].tolist(), tokenizer, window)
    states = window_states(module, windows, final_norm, tokens_per_batch, device)
    document = pd.factorize(texts["document"])[0].astype(np.int64)
    tokens = token_table(windows, tokenizer)
    return CorpusStates(states, document[[part.text for part in windows]], tokens)


def rows_of_layers(states: CorpusStates, settings: Settings) -> list[Row]:
    """Return a row per layer, change and measure, of the tokens read by a checkpoint.

    Measures of neighbors take distinct vectors; `n_equal` vectors are dropped.
    """
    return [
        {"layer": layer, "change": change, "n_equal": cloud.n_equal, **row}
        for layer in range(len(states.states["token"]))
        for distinct, rows in ((False, _rows_of_all), (True, _rows_of_neighbors))
        for _, change, cloud in layer_clouds(
            states, layer, settings.changes, n_top=0, spaces=["token"], each_once=distinct
        )
        for row in rows(cloud, change, settings)
    ]


def _rows_of_all(cloud: LayerCloud, _: Change, settings: Settings) -> Iterator[Row]:
    chosen = [
        measure
        for measure in profiled_measures().values()
        if measure.family in OF_ALL and measure.name not in settings.left_out
    ]
    chosen = applicable(chosen, groups_of(cloud), {})
    for name, value in values_of(chosen, cloud).items():
        yield {"measure": name, "value": value, "n": len(cloud.x), "dropped": 0}


def _rows_of_neighbors(cloud: LayerCloud, change: Change, settings: Settings) -> Iterator[Row]:
    rng = np.random.default_rng(settings.seed)
    protocol = Protocol(
        families=("intrinsic_dimension",),
        changes=settings.changes,
        rng=rng,
        value_only=settings.left_out,
        batch_size=settings.batch_size,
    )
    for row in measures_of_batches(cloud, protocol, stream_of(rng, change), with_slow=False):
        # Intervals, which a single batch has, are not followed over training.
        yield {name: value for name, value in row.items() if name in ("measure", *VALUES)}
