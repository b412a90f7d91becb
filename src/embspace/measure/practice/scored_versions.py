"""Scores versions of the vectors of a corpus at search and at labels, text by text."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from embspace.analysis import Column
from embspace.errors import InputError
from embspace.geometry.groups.retrieval import (
    ranks_of_relevant,
    reciprocal_rank,
    reciprocal_rank_by_chance,
)
from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.practice.changes import Affine
from embspace.geometry.practice.links import shares_given
from embspace.geometry.practice.paired import Paired, paired_means
from embspace.measure.practice.text_vectors import HalfVectors, TextVectors
from embspace.measure.tables.columns import value_with_bounds, with_bounds

LEVEL = 0.95
N_HALF_SAMPLES = 200
K = 10  # neighbors
SEED = 0
ROWS = 4096  # of vectors in memory at once
ROUNDING = 1e-6  # of the largest number: vectors that differ by less are equal


RAW, CENTERED = "raw", "centered"
FEWEST_WITH_INTERVAL = 4  # documents
# Of `table_of`, with the corpus before.
EFFECT: dict[str, Column] = {
    "corpus": ("row", "corpus"),
    "task": ("row", "task"),
    "version": ("row", "vectors"),
    **value_with_bounds("profile", bound="profile_bound"),
    **with_bounds("difference", "profile", "difference", "profile_bound"),
    "chance": ("profile", "by chance"),
    "n": ("count", "texts"),
    "n_documents": ("count", "documents"),
}


class Scored(NamedTuple):
    """The score of each version at a task, by text."""

    task: str
    quantity: str
    scores: dict[str, Float[np.ndarray, " text"]]
    documents: Int[np.ndarray, " text"]
    chance: float = 0.0
    """The score of versions without any information."""


def cosines(
    x: Float[np.ndarray, "n dim"], y: Float[np.ndarray, "m dim"]
) -> Float[np.ndarray, "n m"]:
    """Return cosines; 0 with a vector of length 0. Equal ones stay equal."""
    return np.round(unit_rows(x.astype(np.float64)) @ unit_rows(y.astype(np.float64)).T, 12)


def search_ranks(
    halves: HalfVectors, scores: Float[np.ndarray, "query candidate"]
) -> Float[np.ndarray, " query"]:
    """Return 1 / rank of the texts' first halves, with the second halves as queries."""
    return reciprocal_rank(*ranks_of_relevant(scores, halves.relevant))


def scored_search(halves: HalfVectors, ranks: dict[str, Float[np.ndarray, " text"]]) -> Scored:
    """Return the ranks of versions, beside candidates in random order."""
    sizes = halves.relevant.sum(axis=1).tolist()
    chance = np.mean([reciprocal_rank_by_chance(halves.relevant.shape[1], size) for size in sizes])
    return Scored("search", "mean reciprocal rank", ranks, halves.documents, float(chance))


def scored_neighbors(cloud: TextVectors, kept: dict[str, Float[np.ndarray, " text"]]) -> Scored:
    """Return the shares of neighbors that versions keep, beside random texts of other documents."""
    n_others = len(cloud) - np.bincount(cloud.documents)[cloud.documents]
    chance = float(np.mean(K / n_others))
    return Scored("neighbors", f"share of {K} neighbors kept", kept, cloud.documents, chance)


def check_neighbors(cloud: TextVectors, fewest: int = 3 * K) -> None:
    """Stop if texts are too few, or a text has fewer than 10 texts of further documents.

    Raises:
        InputError: with the number of texts.
    """
    n_others = len(cloud) - int(np.bincount(cloud.documents).max(initial=0))
    if len(cloud) < fewest or n_others < K:
        raise InputError(
            f"{cloud.corpus}: found {len(cloud)} texts with a direction that are no copies, "
            f"{n_others} beside the largest document, allowed: {fewest} or more, {K} or more beside"
        )


def centering(cloud: TextVectors) -> Affine:
    """Return the change that subtracts the mean of the texts, copies left out."""
    return Affine(cloud.originals().vectors.mean(axis=0, dtype=np.float64), None)


def prepared(cloud: TextVectors, kind: str) -> Float[np.ndarray, "text dim"]:
    """Return the vectors raw, or centered."""
    return cloud.vectors if kind == RAW else centering(cloud)(cloud.vectors).astype(np.float32)


def has_spread(cloud: TextVectors) -> bool:
    """Return whether two documents or more have a vector apart from the mean, beyond rounding."""
    return len(np.unique(cloud.documents[_is_apart(cloud)])) > 1


def _is_apart(cloud: TextVectors) -> Bool[np.ndarray, " text"]:
    change, blocks = centering(cloud), range(0, len(cloud), ROWS)
    parts = [cloud.vectors[begin : begin + ROWS] for begin in blocks]
    largest = max((float(np.abs(part).max()) for part in parts), default=0.0)
    return np.concatenate([np.abs(change(part)).max(axis=1) > ROUNDING * largest for part in parts])


def check_spread(cloud: TextVectors) -> None:
    """Stop if centered vectors have no pair of documents with a direction.

    Raises:
        InputError: with the number of texts.
    """
    if not has_spread(cloud):
        raise InputError(
            f"{cloud.corpus}: found {int((~_is_apart(cloud)).sum()):,} vectors of {len(cloud):,} "
            "equal to the mean, allowed: two documents or more with another vector, as only those "
            "have a direction from the mean"
        )


def half_of_documents(cloud: TextVectors, seed: int = SEED) -> Bool[np.ndarray, " text"]:
    """Return the texts to fit by: half of the documents, at random."""
    order = np.random.default_rng(seed).permutation(int(cloud.documents.max()) + 1)
    return np.asarray(order[cloud.documents] % 2 == 0)


def held_out(
    cloud: TextVectors, halves: HalfVectors | None, is_fitted: Bool[np.ndarray, " text"]
) -> tuple[TextVectors, HalfVectors | None]:
    """Return the texts, and halves of texts, of documents by which nothing was fitted.

    Raises:
        InputError: as `check_neighbors`.
    """
    measured = cloud.among(~is_fitted)
    check_neighbors(measured, K + 1)
    if halves is not None:
        halves = halves.among(~pd.Index(halves.names).isin(cloud.table["document"][is_fitted]))
        halves = halves if len({*halves.names}) >= FEWEST_WITH_INTERVAL else None
    return measured, halves


def scored_labels(cloud: TextVectors, nearest: Mapping[str, Int[np.ndarray, "text k"]]) -> Scored:
    """Return, for texts with a label, scores whose mean is the share of neighbors with the label.

    A neighbor without a label counts as different. A text's score is its own share and what it
    contributes to the shares of other texts.
    """
    label = pd.factorize(cloud.table["label"])[0]
    is_known = (cloud.table["label"] != "").to_numpy()
    scores = {version: _label_scores(label, rows, is_known) for version, rows in nearest.items()}
    documents = cloud.documents[is_known]
    chance = _label_chance(label, cloud.documents, is_known)
    return Scored("labels", f"share of {K} neighbors with the label", scores, documents, chance)


def _label_chance(
    label: Int[np.ndarray, " text"],
    document: Int[np.ndarray, " text"],
    is_known: Bool[np.ndarray, " text"],
) -> float:
    """Return the mean share of a text's label among the candidates, texts of other documents."""
    counts = np.zeros((document.max() + 1, label.max() + 1))
    np.add.at(counts, (document[is_known], label[is_known]), 1)
    same = (counts.sum(axis=0) - counts)[document[is_known], label[is_known]]
    n_others = len(label) - np.bincount(document)[document[is_known]]
    return float(np.mean(same / n_others))


def _label_scores(
    label: Int[np.ndarray, " text"],
    nearest: Int[np.ndarray, "text k"],
    is_known: Bool[np.ndarray, " text"],
) -> Float[np.ndarray, " known"]:
    neighbors = nearest[is_known]
    same = label[neighbors] == label[is_known, None]
    own = same.mean(axis=1)
    scores = own + shares_given(neighbors, same, len(label))[is_known]
    return np.asarray(scores + own.mean() - scores.mean())


def table_of(scored: list[Scored], seed: int = SEED) -> pd.DataFrame:
    """Return a row per task and version: the mean, and the difference from the first version.

    Intervals are over documents; intervals of differences are simultaneous for all versions.
    """
    rows = []
    for task, quantity, scores, documents, chance in scored:
        paired = paired_means(
            np.stack([*scores.values()]),
            documents,
            n_half_samples=N_HALF_SAMPLES,
            level=LEVEL,
            rng=np.random.default_rng(seed),
        )
        rows.append(rows_of(task, quantity, [*scores], paired, documents).assign(chance=chance))
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(columns=["task"])


def rows_of(
    task: str,
    quantity: str,
    versions: Sequence[str],
    paired: Paired,
    documents: Int[np.ndarray, " text"],
) -> pd.DataFrame:
    """Return a row per version."""
    table = pd.DataFrame({"task": task, "quantity": quantity, "version": list(versions)})
    return table.assign(
        **paired._asdict(),
        n=len(documents),
        n_documents=len(np.unique(documents)),
        level=LEVEL,
    )
