"""Two corpora by one model: where they differ, in clusters, directions, words and texts."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from embspace.errors import InputError
from embspace.geometry.groups.two_clouds import FEWEST_DOCUMENTS, TwoClouds
from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.practice.shifts import mean_shifts
from embspace.geometry.practice.word_contrast import contrast_words
from embspace.measure.practice.text_vectors import TextVectors, snippet

SURE = 0.05
N_DIRECTIONS = 10
MOST_CLUSTERS = 12
TEXTS_PER_CLUSTER = 25  # at least, on average
N_WORDS = 6


class BothCorpora(NamedTuple):
    """Two corpora by the same model, the second below the first."""

    first: TextVectors
    second: TextVectors
    x: Float[np.ndarray, "text dim"]
    """Vectors of unit length."""
    is_first: Bool[np.ndarray, " text"]
    document: Int[np.ndarray, " text"]


def joined(first: TextVectors, second: TextVectors, *, has_names: bool) -> BothCorpora:
    """Return two corpora, copies and vectors of length 0 left out.

    Documents of one name are one. Without `has_names`, ascending numbers, as rows without an id
    have, join nothing.

    Raises:
        InputError: for different dimensions, or fewer than 4 documents in a corpus.
    """
    sides = [side.originals() for side in (first, second)]
    dims = [side.vectors.shape[1] for side in sides]
    if dims[0] != dims[1]:
        raise InputError(f"{second.corpus}: found {dims[1]} dimensions, allowed: {dims[0]}")
    for side in sides:
        n = len(np.unique(side.documents))
        if n < FEWEST_DOCUMENTS:
            raise InputError(
                f"{side.corpus}: found {n} documents, allowed: {FEWEST_DOCUMENTS} or more"
            )
    names = [side.table["document"].astype(str) for side in sides]
    if not has_names and any(map(_is_numbered, sides)):
        names = [side + f"/{place}" for place, side in enumerate(names)]
    document = np.asarray(pd.factorize(pd.concat(names))[0], dtype=np.int64)
    is_first = np.arange(len(document)) < len(sides[0])
    x = unit_rows(np.concatenate([side.vectors for side in sides]).astype(np.float64))
    return BothCorpora(sides[0], sides[1], x, is_first, document)


def _is_numbered(originals: TextVectors) -> bool:
    """Return whether documents are called by ascending numbers, as rows without an id are."""
    if not originals.has_texts:
        return True
    names, ids = (originals.table[column].astype(str) for column in ("document", "id"))
    if not (names.str.isdecimal().all() and (names == ids).all()):
        return False
    return bool(names.astype(int).is_monotonic_increasing)


def distance_row(apart: TwoClouds, n_first: int, n_second: int) -> pd.DataFrame:
    """Return the row of a comparison."""
    names = ("distance", "distance_low", "distance_high", "auc", "auc_low", "auc_high")
    row = {name: getattr(apart, name) for name in (*names, "null_auc", "p_value")}
    documents = dict(zip(("first_documents", "second_documents"), apart.n_documents, strict=True))
    return pd.DataFrame([row | documents | {"first_texts": n_first, "second_texts": n_second}])


def texts_table(
    both: BothCorpora, apart: TwoClouds, cluster: Int[np.ndarray, " text"]
) -> pd.DataFrame:
    """Return the texts; those that lie farthest on the second side come first."""
    sides = (both.first, both.second)
    about = pd.concat([side.table.assign(corpus=side.corpus) for side in sides])
    table = pd.DataFrame(
        {
            "corpus": about["corpus"].to_numpy(),
            "is_first": both.is_first,
            "id": about["id"].to_numpy(),
            "lean_to_second": -apart.lean,
            "cluster": cluster,
            "text": [snippet(text, 200) for text in about["text"]],
        }
    )
    order = table.sort_values("lean_to_second", ascending=False, kind="stable")
    return order.reset_index(drop=True)


def clusters_of(x: Float[np.ndarray, "text dim"], seed: int) -> Int[np.ndarray, " text"]:
    """Return the texts' clusters by k-means, without labels: 25 texts a cluster, 12 at most."""
    from sklearn.cluster import KMeans

    n = min(MOST_CLUSTERS, max(len(x) // TEXTS_PER_CLUSTER, 2))
    labels = KMeans(n, n_init=3, random_state=seed).fit_predict(x)
    return np.asarray(labels, dtype=np.int64)


def clusters_table(
    both: BothCorpora, cluster: Int[np.ndarray, " text"], *, n_permutations: int, seed: int
) -> pd.DataFrame:
    """Return the corpora's shares by cluster, and the words of the cluster's texts."""
    n = int(cluster.max()) + 1
    made = mean_shifts(
        np.eye(n)[cluster],
        both.is_first,
        both.document,
        n_permutations=n_permutations,
        rng=np.random.default_rng(seed),
    )
    read = _words_of_texts(both)
    named = [_words_of_cluster(read, both, cluster == number) for number in range(n)]
    table = pd.DataFrame(
        {
            "cluster": np.arange(n),
            "first_share": made.first,
            "second_share": made.second,
            "p_value": made.p_value,
            "words": named,
        }
    )
    order = np.argsort(-np.abs(made.second - made.first), kind="stable")
    return table.iloc[order].reset_index(drop=True)


def _words_of_cluster(
    read: list[set[str]], both: BothCorpora, is_inside: Bool[np.ndarray, " text"]
) -> str:
    """Return words of more documents inside than outside, of the corpus with more texts inside.

    Against both corpora, most words would tell the corpus, not the cluster.
    """
    in_corpus = both.is_first == (2 * both.is_first[is_inside].mean() >= 1)
    rows = np.flatnonzero(in_corpus)
    outside, inside = _words_of_documents(
        [read[row] for row in rows], both.document[rows], ~is_inside[rows]
    )
    if not outside or not inside:
        return ""
    made = [word for word in contrast_words(outside, inside) if word.log_odds > 0]
    return " ".join(contrast.word for contrast in made[:N_WORDS] if contrast.p_value <= SURE)


def directions_table(both: BothCorpora, *, n_permutations: int, seed: int) -> pd.DataFrame:
    """Return how far the means are apart along the principal components of all texts."""
    centered = both.x - both.x.mean(axis=0)
    _, singular, axes = np.linalg.svd(centered, full_matrices=False)
    scores = centered @ axes[:N_DIRECTIONS].T
    made = mean_shifts(
        scores,
        both.is_first,
        both.document,
        n_permutations=n_permutations,
        rng=np.random.default_rng(seed),
    )
    shift = both.x[~both.is_first].mean(axis=0) - both.x[both.is_first].mean(axis=0)
    squared = np.square(axes[:N_DIRECTIONS] @ shift) / max(float(shift @ shift), 1e-300)
    variance = np.square(singular[:N_DIRECTIONS]) / np.square(singular).sum()
    return pd.DataFrame(
        {
            "component": 1 + np.arange(scores.shape[1]),
            "variance_share": variance,
            "effect": made.effect,
            "p_value": made.p_value,
            "share_of_shift": squared,
        }
    )


def _words_of_texts(both: BothCorpora) -> list[set[str]]:
    from embspace.scripts.words import longer_words_in

    texts = [*both.first.table["text"], *both.second.table["text"]]
    return [set(longer_words_in(text.lower())) for text in texts]


def _words_of_documents(
    read: list[set[str]],
    document: Int[np.ndarray, " text"],
    is_first: Bool[np.ndarray, " text"],
) -> tuple[list[set[str]], list[set[str]]]:
    """Return the words of each document in a first and in a second set of texts."""
    sides: tuple[dict[int, set[str]], dict[int, set[str]]] = ({}, {})
    for words, number, own in zip(read, document.tolist(), is_first, strict=True):
        sides[0 if own else 1].setdefault(number, set()).update(words)
    return list(sides[0].values()), list(sides[1].values())


def words_table(both: BothCorpora) -> pd.DataFrame:
    """Return words that more documents of one corpus have; no rows for vectors alone."""
    sides = _words_of_documents(_words_of_texts(both), both.document, both.is_first)
    columns = ["word", "first", "second", "log_odds", "p_value"]
    return pd.DataFrame(contrast_words(*sides), columns=columns)
