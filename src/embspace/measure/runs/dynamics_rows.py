"""The geometry of every layer of a checkpoint: rows of the tables of all trainings."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.clouds.layers import Change, CorpusStates, LayerCloud, layer_clouds
from embspace.files.tables import Row
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.inference.shared_inputs import applicable
from embspace.geometry.measures.declaration import Family
from embspace.geometry.measures.registry import definitions
from embspace.measure.layers.layer_batches import SPREAD, measures_of_batches
from embspace.measure.layers.layer_nulls import groups_of, values_of
from embspace.measure.layers.layer_protocol import Protocol
from embspace.measure.layers.layer_states import window_states
from embspace.models.windows import cut_windows, token_table

FEWEST = 4  # vectors of which neighbors say anything
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
    states = window_states(module, windows, final_norm, tokens_per_batch, device)
    document = pd.factorize(texts["document"])[0].astype(np.int64)
    tokens = token_table(windows, tokenizer)
    return CorpusStates(states, document[[each.text for each in windows]], tokens)


def rows_of_layers(states: CorpusStates, settings: Settings) -> list[Row]:
    """One row a layer, change and measure of the tokens that a checkpoint has read."""
    return [
        {"layer": layer, "change": change, **row}
        for layer in range(len(states.states["token"]))
        for _, change, cloud in layer_clouds(
            states, layer, settings.changes, n_top=0, spaces=["token"]
        )
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
        families=("intrinsic_dimension",),
        changes=settings.changes,
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

    Sequences that share their beginning have the same vectors there, of which neighbors say
    nothing. Two rows are one if they differ by 1e-5 of the root mean square norm, or less.
    """
    x = x.astype(np.float64)
    rows = _unequal_rows(x)
    x = x[rows]
    reach = 1e-5 * float(np.sqrt(np.square(x).sum(axis=1).mean()))
    direction = np.random.default_rng(0).normal(size=x.shape[1])
    along = x @ (direction / np.linalg.norm(direction))  # rows so near are so near along it, too
    order, again = np.argsort(along), np.zeros(len(x), dtype=bool)
    for step in range(1, len(x)):
        near = np.flatnonzero(along[order[step:]] - along[order[:-step]] <= reach)
        if not len(near):
            break
        pairs = np.sort([order[near], order[near + step]], axis=0)
        is_one = np.linalg.norm(x[pairs[0]] - x[pairs[1]], axis=1) <= reach
        again[pairs[1][is_one]] = True
    return rows[~again]


def _unequal_rows(x: Float[np.ndarray, "n dim"]) -> Int[np.ndarray, " row"]:
    """The first of all equal rows: of a hundred thousand, chance makes two equal once in 10^9."""
    factors = np.random.default_rng(0).integers(2**63, size=x.shape[1])
    keys = (x + 0.0).view(np.int64) @ factors  # modulo 2^64; 0.0 and -0.0 are one
    return np.sort(np.unique(keys, return_index=True)[1])
