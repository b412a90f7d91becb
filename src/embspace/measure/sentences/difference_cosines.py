"""Compares the mean differences of two categories: one row a pair of categories."""

from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.geometry.groups.offsets import (
    consistency_of_draws,
    half_sample_weights,
    mean_offsets,
    mean_weights,
)
from embspace.geometry.inference.resampling import interval_bounds, stream_of
from embspace.geometry.pairs.safe_ratio import mean_of_defined
from embspace.measure.sentences.difference_pairs import Draws, PairedStates, SentencePairs
from embspace.measure.tables.deviations import UNITS, by_row, units_named
from embspace.measure.tables.nulls import Columns, null_columns, with_q_values

CategoryNumbers = Int[np.ndarray, " two"]  # of a category, one for each two of them
COLUMNS = ["layer", "pooling", "category_1", "category_2", "cosine", "cosine_low", "cosine_high"]
COLUMNS += ["corrected_cosine", "corrected_cosine_low", "corrected_cosine_high"]
COLUMNS += ["random_weights_cosine", "null_cosine", "null_cosine_low", "null_cosine_high"]
COLUMNS += ["p_value", "q_value"]
COLUMNS += [*UNITS, "cosine_deviations", "corrected_cosine_deviations"]


def cosine_table(
    states: PairedStates,
    draws: Draws,
    *,
    smallest_reliability: float,
    n_half_samples: int,
    level: float,
    generator: np.random.Generator,
) -> pd.DataFrame:
    """Cosine of the mean differences of any two categories, plain and corrected for noise.

    `corrected_cosine` is NaN if a mean has a reliability under `smallest_reliability`, may exceed 1
    and is not clipped, whereas intervals of `cosine` end at -1 and 1. The null are cosines between
    two differences of unrelated sentences, as for two random directions of this space; the p-value
    is two-sided. Flipping signs would be no null: consistent differences stay consistent when
    flipped, up to the sign of the mean, with the same size of the cosine.
    """
    names, category = np.array(states.pairs.categories, dtype=object), states.pairs.category
    one, two = np.triu_indices(len(names), 1)
    if not len(one):
        return pd.DataFrame(columns=COLUMNS)
    every = mean_weights(category)
    streams = [stream_of(generator, name) for name in names]
    halves = half_sample_weights(category, n_draws=n_half_samples, generators=streams)
    scale = _half_sample_scale(np.bincount(category), one, two)
    parts = []
    cells = zip(states.differences(), states.random_differences(), states.grams(), strict=True)
    for d, random_d, sentence_gram in cells:
        gram = d @ d.T
        whole, half = (mean_offsets(gram, category, weights) for weights in (every, halves))
        random = mean_offsets(random_d @ random_d.T, category, every)
        cosine, drawn = whole.cosine[0, one, two], half.cosine[:, one, two]
        # Noise draws the cosine of fewer pairs nearer to 0, so that halves deviate from their own
        # mean as new samples of all pairs would from theirs, not from the cosine of all.
        deviations = (drawn - mean_of_defined(drawn, axis=0)) * scale
        columns = _with_bounds("cosine", cosine, deviations, level)
        reliable = whole.reliability[0] >= smallest_reliability
        corrected = whole.corrected_cosine[0, one, two]
        corrected = np.where(reliable[one] & reliable[two], corrected, np.nan)
        deviations = (half.corrected_cosine[:, one, two] - corrected) * scale
        columns |= _with_bounds("corrected_cosine", corrected, deviations, level)
        # One null for all: directions of single differences vary as those of means do.
        null = consistency_of_draws(sentence_gram, *draws.two_unrelated)
        draws_by_pair = np.broadcast_to(null[:, np.newaxis], (len(null), len(cosine)))
        columns |= null_columns("cosine", "", cosine, draws_by_pair, level=level, two_sided=True)
        columns["random_weights_cosine"] = random.cosine[0, one, two]
        parts.append(pd.DataFrame({"category_1": names[one], "category_2": names[two], **columns}))
    units = pd.DataFrame([_units(states.pairs, a, b) for a, b in zip(one, two, strict=True)])
    keys = states.cells.loc[states.cells.index.repeat(len(one))].reset_index(drop=True)
    table = keys.join(pd.concat([part.join(units) for part in parts], ignore_index=True))
    return with_q_values(table, ["layer", "pooling"])[COLUMNS]


def _units(pairs: SentencePairs, one: np.integer, two: np.integer) -> dict[str, Any]:
    """The pairs of two categories, which `UNITS` say."""
    rows = [*pairs.of(int(one)), *pairs.of(int(two))]
    return units_named((pairs.categories[pairs.category[row]], pairs.names[row]) for row in rows)


def _half_sample_scale(
    n: Int[np.ndarray, " category"], one: CategoryNumbers, two: CategoryNumbers
) -> Float[np.ndarray, " two"]:
    """Return the factor for half-samples' deviations; of two categories, the wider interval's."""
    half = n // 2
    scale = np.sqrt(half / (n - half))
    return np.maximum(scale[one], scale[two])


def _with_bounds(
    name: str,
    value: Float[np.ndarray, " two"],
    deviations: Float[np.ndarray, "draw two"],
    level: float,
) -> Columns:
    low, high = interval_bounds(value, deviations, level=level)
    if name == "cosine":  # holds no value beyond; one corrected for noise may
        low, high = np.clip(low, -1, 1), np.clip(high, -1, 1)
    return {
        name: value,
        f"{name}_low": low,
        f"{name}_high": high,
        f"{name}_deviations": by_row(deviations),
    }
