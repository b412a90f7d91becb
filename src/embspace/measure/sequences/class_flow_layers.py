"""How well the classes of documents hold together at each layer of a model."""

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.files.tables import Row
from embspace.geometry.groups.groups import nearest_in_group
from embspace.geometry.groups.silhouettes import silhouettes
from embspace.geometry.inference.resampling import (
    half_of_each,
    half_sample_bounds,
    upper_p_value,
)
from embspace.geometry.pairs.directions import unit_rows
from embspace.measure.sequences.class_flow_states import FirstTokenStates
from embspace.measure.sequences.sequence_classifiers import RANDOM
from embspace.measure.sequences.sequence_texts import Sequences
from embspace.measure.tables.nulls import mean_and_range

DIGITS = 6  # of a cosine distance: float32 states that are equal differ by less
QUANTITIES = ("silhouette", "nearest_in_class")
Means = Float[np.ndarray, "choice quantity"]


def separation_rows(
    states: FirstTokenStates,
    sequences: Sequences,
    *,
    n_resamples: int,
    level: float,
    n_shuffles: int,
    seed: int,
) -> Iterator[Row]:
    """Yield a row per layer: silhouette and nearest neighbor, with interval and null.

    NaN where all documents have the same vector, as the first token before the first block.
    """
    stratum = sequences.stratum
    chosen = _halves(stratum, n_resamples, np.random.default_rng(seed))
    shuffling = np.random.default_rng(seed).spawn(1)[0]
    shuffled = [shuffling.permutation(stratum) for _ in range(n_shuffles)]
    everyone = np.ones((1, len(stratum)), dtype=bool)
    for layer, cls in enumerate(states.cls):
        distances = document_distances(cls, sequences.document)
        row: Row = {"weights": states.weights, "model_seed": states.model_seed, "layer": layer}
        row |= {"n": cls.shape[0], "n_documents": len(stratum), "n_classes": stratum.max() + 1}
        if not distances.any():
            yield row
            continue
        value, *drawn = _means(distances, stratum, np.concatenate([everyone, chosen]))
        interval = half_sample_bounds(value, np.array(drawn), len(stratum), level=level)
        null = np.concatenate([_means(distances, labels, everyone) for labels in shuffled])
        for number, quantity in enumerate(QUANTITIES):
            row[quantity] = value[number]
            row[f"{quantity}_low"] = interval.low[number]
            row[f"{quantity}_high"] = interval.high[number]
            mean, low, high = mean_and_range(null[:, number], level)
            row[f"null_{quantity}"] = float(mean)
            row[f"null_{quantity}_low"] = float(low)
            row[f"null_{quantity}_high"] = float(high)
            row[f"{quantity}_p_value"] = upper_p_value(float(value[number]), null[:, number])
        yield row


def with_verdicts(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with the verdict on each layer of a model that was trained.

    `is_parted`: the interval of the silhouette is above the null's range, and above the silhouette
    of the same layer with all random weights. None of random weights and undefined layers.
    """
    largest = dict[int, float]()
    for row in rows:
        if row["weights"] == RANDOM and "silhouette" in row:
            layer = row["layer"]
            largest[layer] = max(largest.get(layer, -1.0), row["silhouette"])
    for row in rows:
        if row["weights"] != RANDOM and "silhouette" in row:
            at_random = largest.get(row["layer"], float("nan"))
            row["largest_random_silhouette"] = at_random
            bounds = (at_random, row["null_silhouette_high"])
            row["is_parted"] = all(row["silhouette_low"] > bound for bound in bounds)
    return list(rows)


def document_distances(
    vectors: Float[np.ndarray, "text dim"], document: Int[np.ndarray, " text"]
) -> Float[np.ndarray, "document document"]:
    """Return the cosine distances of the mean vectors of documents, in [0, 2]."""
    n = np.bincount(document)
    sums = np.zeros((len(n), vectors.shape[1]))
    np.add.at(sums, document, vectors.astype(np.float64))
    unit = unit_rows(sums / n[:, np.newaxis])
    distances = np.round(1 - unit @ unit.T, DIGITS)
    np.fill_diagonal(distances, 0)
    return np.abs(distances)


def _halves(
    stratum: Int[np.ndarray, " document"], n_resamples: int, generator: np.random.Generator
) -> Bool[np.ndarray, "half document"]:
    """Return which documents are in each half: half of every class; none of fewer than four."""
    chosen = np.zeros((n_resamples if len(stratum) >= 4 else 0, len(stratum)), dtype=bool)
    for row in chosen:
        row[half_of_each(stratum, generator)] = True
    return chosen


def _means(
    distances: Float[np.ndarray, "n n"],
    label: Int[np.ndarray, " n"],
    chosen: Bool[np.ndarray, "choice n"],
) -> Means:
    """Return the quantities of chosen documents; the nearest is looked for among all of them."""
    nearest = nearest_in_group(distances, label)
    neighbor_shares = [float(nearest[inside].mean()) for inside in chosen]
    return np.stack([silhouettes(distances, label, chosen), neighbor_shares], axis=1)
