"""Holds the vectors, pairs and columns that all tables of `measure_synonyms` share."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.clouds.pooling import POOLINGS
from embspace.geometry.inference.resampling import stratified_interval
from embspace.geometry.pairs.directions import cosine_matrix
from embspace.measure.tables.deviations import ENDING, UNITS, by_row
from embspace.measure.tables.text_poolings import poolings_in

BAG_OF_WORDS = "bag_of_words"
# Bounds of an interval that lie beyond these are moved to them.
RANGES = {"auc": (0.0, 1.0), "nearest_in_group": (0.0, 1.0), "silhouette": (-1.0, 1.0)}
RANGES |= dict.fromkeys(("cosine", "within_cosine", "between_cosine"), (-1.0, 1.0))
DIGITS = 12  # of cosines: what rounding leaves of equal ones must not decide who is nearer

Statistic = Callable[[Int[np.ndarray, " drawn"]], Float[np.ndarray, "..."]]
"""Quantities by key, of the units that are in."""


@dataclass(frozen=True)
class Stimuli:
    """A set of sentences: the table, the tokens, and the pooled states by tensor."""

    table: pd.DataFrame
    tokens: pd.DataFrame
    states: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class PooledVectors:
    """A vector per layer and sentence, by one pooling, trained and at random weights."""

    pooling: str
    trained: Float[np.ndarray, "layer sentence dim"]
    random_weights: Float[np.ndarray, "layer sentence dim"] | None

    def by_weights(self) -> list[Float[np.ndarray, "layer sentence dim"]]:
        """Trained, and at random weights where there are any."""
        return [x for x in (self.trained, self.random_weights) if x is not None]

    def of(self, rows: np.ndarray) -> "PooledVectors":
        """Return the vectors of some sentences."""
        random = None if self.random_weights is None else self.random_weights[:, rows]
        return PooledVectors(self.pooling, self.trained[:, rows], random)


def vectors_of(stimuli: Stimuli) -> list[PooledVectors]:
    """Return the vectors by pooling and as a bag of words; none for a model that reads no text.

    The bag of words is a further pooling with one layer, 0: the sum of one direction per token,
    without order or meaning.
    """
    states, n = stimuli.states, len(stimuli.table)
    if not states[POOLINGS[0]].shape[1]:
        return []
    pooled = [
        PooledVectors(name, states[name], states[f"random_{name}"]) for name in poolings_in(states)
    ]
    bag = bag_of_words(stimuli.tokens, n)[np.newaxis]
    return [*pooled, PooledVectors(BAG_OF_WORDS, bag, None)]


def bag_of_words(tokens: pd.DataFrame, n: int) -> Float[np.ndarray, "sentence word"]:
    """Return how often each token stands in each of `n` sentences, without special tokens."""
    ordinary = tokens[~tokens["special"].astype(bool)]
    ids, column = np.unique(ordinary["id"].to_numpy(np.int64), return_inverse=True)
    counts = np.zeros((n, len(ids)))
    np.add.at(counts, (ordinary["window"].to_numpy(np.int64), column), 1)
    return counts


def cosines_of(x: Float[np.ndarray, "layer n dim"]) -> Float[np.ndarray, "layer n n"]:
    """Return all cosines of each layer, to `DIGITS` digits: raw vectors, not centered."""
    return np.stack([cosine_matrix(layer) for layer in x]).round(DIGITS)


def distances_of(x: Float[np.ndarray, "layer n dim"]) -> Float[np.ndarray, "layer n n"]:
    """Return all Euclidean distances of each layer: exactly 0 for equal vectors."""
    from scipy.spatial.distance import cdist

    return np.stack([cdist(layer, layer) for layer in x.astype(np.float64)])


def codes(names: pd.Series) -> Int[np.ndarray, " n"]:
    """Return numbers for names, from 0 in the order of the first occurrence."""
    return np.asarray(pd.factorize(names)[0], dtype=np.int64)


def estimate_names(quantities: Sequence[str]) -> list[str]:
    """The columns of `estimate_table` that are no keys, and `UNITS`."""
    estimates = [name for quantity in quantities for name in _columns(quantity)]
    return [*estimates, *UNITS, *(f"{quantity}{ENDING}" for quantity in quantities)]


def _columns(quantity: str) -> Iterator[str]:
    yield from (quantity, f"{quantity}_low", f"{quantity}_high", f"random_weights_{quantity}")


def estimate_table(
    keys: Mapping[str, Sequence[Any]],
    quantities: Sequence[str],
    statistics: Sequence[Statistic],
    stratum: Int[np.ndarray, " unit"],
    *,
    n_half_samples: int,
    level: float,
    generator: np.random.Generator,
) -> pd.DataFrame:
    """A row per combination of keys: all quantities, with intervals and at random weights.

    Also the deviations of halves. `statistics` give the quantities of some units: trained, and at
    random weights if present; half-samples have half of every stratum.
    """
    whole = np.arange(len(stratum))
    values, *random_weights = (statistic(whole) for statistic in statistics)
    interval = stratified_interval(
        statistics[0], stratum, n_resamples=n_half_samples, level=level, generator=generator
    )
    index = pd.MultiIndex.from_product([*keys.values()], names=[*keys])
    table = index.to_frame(index=False)
    random = random_weights[0] if random_weights else np.full_like(values, np.nan)
    for number, quantity in enumerate(quantities):
        limits = RANGES.get(quantity, (-np.inf, np.inf))
        low, high = (bound[number].clip(*limits) for bound in (interval.low, interval.high))
        parts = (values[number], low, high, random[number])
        for name, part in zip(_columns(quantity), parts, strict=True):
            table[name] = part.ravel()
        table[f"{quantity}{ENDING}"] = by_row(interval.deviations[:, number])
    return table
