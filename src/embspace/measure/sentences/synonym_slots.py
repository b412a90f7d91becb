"""Measures in `measure_synonyms` how a sentence changes with the words in a frame."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from embspace.geometry.groups.groups import group_means, within_and_between
from embspace.geometry.pairs.safe_ratio import ratio
from embspace.measure.sentences.synonym_vectors import (
    Statistic,
    Stimuli,
    codes,
    cosines_of,
    distances_of,
    estimate_names,
    estimate_table,
    vectors_of,
)
from embspace.measure.tables.deviations import units_named

ALL = "all"
QUANTITIES = ["cosine", "euclidean_distance", "relative_distance", "additivity"]
COLUMNS = ["group", "pooling", "layer", "n_changed", "n_pairs", *estimate_names(QUANTITIES)]


@dataclass(frozen=True)
class Frames:
    """Sentences made from frames, and which pairs of a frame differ in how many words."""

    names: list[str]
    label: Int[np.ndarray, " sentence"]
    pairs: Bool[np.ndarray, "group changed sentence sentence"]
    """Every pair once; without a change, every sentence with itself."""


def frames_of(table: pd.DataFrame) -> Frames:
    """Return the frames of rows; `slots` has the numbers of the chosen words."""
    label, names = codes(table["group"]), list(dict.fromkeys(table["group"]))
    slots = pd.DataFrame([list(digits) for digits in table["slots"]]).to_numpy()
    changed = (slots[:, np.newaxis] != slots).sum(axis=-1)
    once = np.triu(label[:, np.newaxis] == label)
    # Rows of equal slots are one sentence; only a row and itself is a pair without a change.
    once &= (changed > 0) | np.eye(len(table), dtype=bool)
    numbers = np.arange(slots.shape[1] + 1)
    in_group = label == np.arange(len(names))[:, np.newaxis]
    pairs = (changed == numbers[:, np.newaxis, np.newaxis]) & once
    return Frames(names, label, pairs & in_group[:, np.newaxis, :, np.newaxis])


def slot_table(
    synonyms: Stimuli, *, n_half_samples: int, level: float, generator: np.random.Generator
) -> pd.DataFrame:
    """One row a frame, pooling, layer and number of changed words; `all` is the mean of frames.

    `relative_distance` is over the mean distance of two frames. `additivity` is the mean squared
    distance over `n_changed` times that of one change: 1 if the changes of words add up, since
    then the cross terms of a complete design cancel. Half-samples are of sentences within frames.
    """
    rows = np.flatnonzero(synonyms.table["kind"] == "slots")
    if not len(rows):
        return pd.DataFrame(columns=COLUMNS)
    frames = frames_of(synonyms.table.iloc[rows])
    units = units_named(synonyms.table["id"].iloc[rows])
    groups = [*frames.names, ALL] if len(frames.names) > 1 else frames.names
    n_pairs = frames.pairs.sum(axis=(2, 3))
    counts = np.concatenate([n_pairs, n_pairs.sum(axis=0, keepdims=True)])[: len(groups)]
    parts = []
    every = [vectors.of(rows) for vectors in vectors_of(synonyms)]
    for vectors, halves in zip(every, generator.spawn(len(every)), strict=True):
        n_layers = len(vectors.trained)
        table = estimate_table(
            {
                "group": groups,
                "pooling": [vectors.pooling],
                "n_changed": range(counts.shape[1]),
                "layer": range(n_layers),
            },
            QUANTITIES,
            [slot_statistic(x, frames) for x in vectors.by_weights()],
            frames.label,
            n_half_samples=n_half_samples,
            level=level,
            generator=halves,
        )
        table["n_pairs"] = np.repeat(counts.ravel(), n_layers)
        parts.append(table.assign(**units)[COLUMNS])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def slot_statistic(x: Float[np.ndarray, "layer sentence dim"], frames: Frames) -> Statistic:
    """Return `QUANTITIES` by frame and for all frames, as a function of the chosen sentences."""
    cosines, distances = cosines_of(x), distances_of(x)
    n_frames = len(frames.names)

    def statistic(
        rows: Int[np.ndarray, " drawn"],
    ) -> Float[np.ndarray, "quantity group changed layer"]:
        square = np.ix_(np.arange(len(x)), rows, rows)
        pairs = frames.pairs[:, :, rows][..., rows]
        cosine, distance, squared = (
            _means(matrix, pairs)
            for matrix in (cosines[square], distances[square], distances[square] ** 2)
        )
        _, between = within_and_between(
            group_means(distances[square], frames.label[rows], n_frames)
        )
        expected = np.arange(pairs.shape[1])[:, np.newaxis] * squared[:, 1:2]
        relative, additivity = ratio(distance, between), ratio(squared, expected)
        quantities = np.stack([cosine, distance, relative, additivity])
        if n_frames == 1:
            return quantities
        return np.concatenate([quantities, quantities.mean(axis=1, keepdims=True)], axis=1)

    return statistic


def _means(
    values: Float[np.ndarray, "layer n n"], pairs: Bool[np.ndarray, "group changed n n"]
) -> Float[np.ndarray, "group changed layer"]:
    n_groups, n_changed = pairs.shape[:2]
    chosen = pairs.reshape(n_groups * n_changed, -1).astype(np.float64)
    sums = chosen @ values.reshape(len(values), -1).T
    means = ratio(sums, chosen.sum(axis=1, keepdims=True))
    return means.reshape(n_groups, n_changed, len(values))
