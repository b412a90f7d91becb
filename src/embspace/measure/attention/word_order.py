"""Stage `measure_word_order`: does the model know the order of tokens, and by what means?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.device import Device, choose_device
from embspace.geometry.inference.resampling import Interval, half_sample_interval
from embspace.measure.attention.attention_reader import (
    AttentionReader,
    known_windows,
    load_reader,
    padded,
    spread_texts,
)
from embspace.measure.attention.word_order_states import Moved, moved_states
from embspace.measure.tables.columns import shown, with_bounds
from embspace.models.encoder import batch_rule, batches_by_length
from embspace.models.final_norm import layer_states
from embspace.models.stream.positions import removable_positions, without_positions
from embspace.models.weights import with_random_weights
from embspace.models.windows import Window
from embspace.settings.stage import run_stage
from embspace.settings.types import Share

SETTINGS = "conf/measure/attention/word_order.yaml"
WORD_ORDER = Analysis(
    noun="word_order",
    question=(
        "What is the order of tokens to the model, with its positions and without? Section 3.2.8"
    ),
    reads={"reader": Source(load_reader)},
    tables={
        "csv": Table(  # positions are `kept` or `removed`
            shown("row", "layer", "positions")
            | with_bounds("cosine", "cosine", "cosine")
            | with_bounds("distance", "distance", "distance over the norm")
            | shown("distance", "largest_distance", "distance_of_other_tokens")
            | {"random_weights_cosine": "distance"}
            | {"random_weights_distance": ("distance", "distance, random weights")}
            | {"n_texts": "count", "level": "setting"}
        )
    },
    scalars={
        "removed": "name",
        "sees_later_tokens": "name",
        "largest_distance_without_positions": "distance",
        "tolerance": "setting",
        "knows_no_order_without_positions": "name",
        "n_*": "count",
    },
)


def measure_word_order(
    reader: AttentionReader | None,
    *,
    texts: str,
    n_texts: PositiveInt,
    most_tokens: PositiveInt,
    largest_unknown_share: Share,
    tokens_per_batch: PositiveInt,
    tolerance: PositiveFloat,
    n_seeds: Annotated[int, Field(ge=0)],
    n_half_samples: PositiveInt,
    level: Share,
    device: Device,
    seed: NonNegativeInt,
) -> Outcome:
    """Return how far the states of a layer move when the ordinary tokens of a text are permuted.

    A state is compared with the state of the same token in the unchanged text: the cosine, and the
    distance over the norm of the unchanged state, as means over tokens and then over texts, with
    intervals over texts. `largest_distance` is over all tokens and texts. With positions `removed`,
    the learned table is zero, or all position ids are equal; positions inside attention cannot be
    removed, and these rows are NaN. `distance_of_other_tokens` is between two tokens of the
    unchanged text, half of the text apart.

    An encoder without positions gives permuted states. A decoder does not, for the mask hides later
    tokens: a decoder knows order even without positions.
    """
    windows = _windows(reader, texts, n_texts, most_tokens, largest_unknown_share)
    if reader is None or not windows:
        return WORD_ORDER.empty(removed=None)
    for_orders, for_halves = np.random.default_rng(seed).spawn(2)
    chosen = choose_device(device)
    orders = [_order(window, for_orders) for window in windows]
    read = _Read(windows, orders, reader.model.final_norm, tokens_per_batch, chosen)
    kept = _moved(reader.module, read)
    random = [
        _moved(with_random_weights(reader.module, seed + number), read) for number in range(n_seeds)
    ]
    removed = removable_positions(reader.module, reader.model)
    with without_positions(reader.module, reader.model):
        without = kept.undefined() if removed == "nothing" else _moved(reader.module, read)
    states = (n_half_samples, level, for_halves)
    tables = [_table("kept", kept, random, *states), _table("removed", without, [], *states)]
    largest = float(without.largest.max()) if removed != "nothing" else float("nan")
    scalars = {
        "removed": removed,
        "sees_later_tokens": _sees_later_tokens(reader, windows, chosen, tolerance),
        "largest_distance_without_positions": largest,
        "tolerance": tolerance,
        "knows_no_order_without_positions": None if np.isnan(largest) else largest <= tolerance,
        "n_texts": len(windows),
        "n_tokens": sum(len(window.ids) for window in windows),
    }
    return {"csv": pd.concat(tables, ignore_index=True), "json": scalars}


def _windows(
    reader: AttentionReader | None, texts: str, n_texts: int, most_tokens: int, largest: float
) -> list[Window]:
    if reader is None:
        return []
    spread = spread_texts(texts, n_texts)
    return known_windows(reader, spread, most_tokens, SETTINGS, largest_unknown_share=largest)


@dataclass(frozen=True, eq=False)
class _Read:
    """Texts, each with an order for its tokens."""

    windows: Sequence[Window]
    orders: Sequence[Int[np.ndarray, " _"]]
    final_norm: str | None
    tokens_per_batch: int
    device: str


def _order(window: Window, generator: np.random.Generator) -> Int[np.ndarray, " token"]:
    """Return a random order of the ordinary tokens; special tokens keep their places."""
    order = np.arange(len(window.ids))
    ordinary = np.flatnonzero(~window.special)
    order[ordinary] = generator.permutation(ordinary)
    return order


def _moved(module: Any, read: _Read) -> Moved:
    """Return how far all layers' states of all texts move."""
    moved = dict(_moved_texts(module, read))
    return Moved.stacked([moved[index] for index in range(len(read.windows))])


def _moved_texts(module: Any, read: _Read) -> Iterator[tuple[int, Moved]]:
    module = module.to(read.device)
    lengths = [len(window.ids) for window in read.windows]
    for batch in batches_by_length(lengths, read.tokens_per_batch, batch_rule(module)):
        as_is = [read.windows[index] for index in batch]
        permuted = [
            replace(window, ids=window.ids[read.orders[index]])
            for window, index in zip(as_is, batch, strict=True)
        ]
        both = [_states(module, texts, read.final_norm, read.device) for texts in (as_is, permuted)]
        for row, index in enumerate(batch):
            own, other = (states[:, row, : lengths[index]] for states in both)
            yield index, moved_states(own, other, read.orders[index])


def _states(
    module: Any, windows: Sequence[Window], final_norm: str | None, device: str
) -> Float[np.ndarray, "layer row token dim"]:
    states = layer_states(module, *padded(windows, device), final_norm).layers
    return np.asarray(states.float().cpu().numpy())


def _sees_later_tokens(
    reader: AttentionReader, windows: Sequence[Window], device: str, tolerance: float
) -> bool | None:
    """Return whether a change of the last token changes the first state; None for one token."""
    window = max(windows, key=lambda window: len(window.ids))
    if len(window.ids) < 2:
        return None
    changed = window.ids.copy()
    changed[-1] = changed[-1] - 1 if changed[-1] else 1
    both = [window, replace(window, ids=changed)]
    one, other = _states(reader.module.to(device), both, reader.model.final_norm, device)[-1, :, 0]
    return bool(np.linalg.norm(one - other) > tolerance * np.linalg.norm(one))


def _table(
    positions: str,
    moved: Moved,
    random: Sequence[Moved],
    n_half_samples: int,
    level: float,
    generator: np.random.Generator,
) -> pd.DataFrame:
    """Return a row per layer."""
    table = pd.DataFrame({"layer": range(moved.cosine.shape[1]), "positions": positions})
    stack = np.stack([moved.cosine, moved.distance])
    interval: Interval = half_sample_interval(
        lambda units: stack[:, units].mean(axis=1),
        stack.shape[1],
        n_resamples=n_half_samples,
        level=level,
        generator=generator,
    )
    for number, name in enumerate(("cosine", "distance")):
        table[name] = stack[number].mean(axis=0)
        table[f"{name}_low"] = interval.low[number]
        table[f"{name}_high"] = interval.high[number]
        means = [getattr(seed, name).mean(axis=0) for seed in random]
        table[f"random_weights_{name}"] = np.mean(means, axis=0) if means else np.nan
    table["largest_distance"] = moved.largest.max(axis=0)
    table["distance_of_other_tokens"] = moved.between.mean(axis=0)
    table["n_texts"], table["level"] = stack.shape[1], level
    return table


main = WORD_ORDER.main(measure_word_order)

if __name__ == "__main__":
    run_stage(main, measure_word_order)
