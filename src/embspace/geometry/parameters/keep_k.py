"""Measures what is left of inner products when every vector keeps its k strongest tokens.

Dar, Geva, Gupta and Berant 2023, Analyzing Transformers in Embedding Space (ACL), appendix A.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

BLOCK = 128  # rows that are sorted at once
COLUMNS = 4096  # tokens whose scores are cut at once


def keep_k(scores: Float[np.ndarray, "row token"], k: int) -> Float[np.ndarray, "row token"]:
    """Return scores with zero for all but the `k` of largest absolute value in every row.

    Scores equal to the weakest of the `k` stay, too.

    Raises:
        ValueError: if `k` is not positive.
    """
    if k < 1:
        raise ValueError(f"k: expected 1 or more, found {k}")
    return _kept(scores, _weakest(scores, [k])[0])


@dataclass(frozen=True, eq=False)
class Grams:
    """The Gram matrices of some vectors, before and after each keeps k tokens; float64."""

    exact: Float[np.ndarray, "row row"]
    kept: Float[np.ndarray, "k row row"]
    """By number of tokens kept."""

    def cosines(self, members: Bool[np.ndarray, "draw row"]) -> Float[np.ndarray, "draw k"]:
        """Return the cosines of the Gram matrices of some of the vectors alone, draw by draw.

        NaN where one of the matrices is zero.
        """
        chosen = members.astype(np.float64)

        def total(products: Float[np.ndarray, "row row"]) -> Float[np.ndarray, " draw"]:
            return np.asarray(((chosen @ products) * chosen).sum(axis=1))

        exact_total = total(np.square(self.exact))
        made = []
        for kept in self.kept:
            norm = np.sqrt(exact_total * total(np.square(kept)))
            cross = total(self.exact * kept)
            made.append(np.divide(cross, norm, out=np.full(len(norm), np.nan), where=norm > 0))
        return np.stack(made, axis=1)


def keep_k_scores(
    vectors: Float[np.ndarray, "row dim"],
    embedding: Float[np.ndarray, "token dim"],
    readers: Float[np.ndarray, "token dim"],
    ks: Sequence[int],
) -> Float[np.ndarray, " k"]:
    """The cosine of two Gram matrices of the vectors, by number of kept tokens; -1 to 1.

    The first is X X^T; the second keep_k(X E) keep_k(X E')^T, with `readers` E': the embedding, or
    the pseudo-inverse. Both are n by n with diagonals, and the cosine depends on n: independent
    vectors have large diagonals and a small rest, and the rest weighs more with more vectors.

    Raises:
        ValueError: if a `k` is below 1.
    """
    grams = keep_k_grams(vectors, embedding, readers, ks)
    return grams.cosines(np.ones((1, len(vectors)), dtype=bool))[0]


def keep_k_grams(
    vectors: Float[np.ndarray, "row dim"],
    embedding: Float[np.ndarray, "token dim"],
    readers: Float[np.ndarray, "token dim"],
    ks: Sequence[int],
) -> Grams:
    """Return the Gram matrices whose cosine `keep_k_scores` is, for any of the vectors.

    Raises:
        ValueError: if a `k` is below 1.
    """
    if min(ks) < 1:
        raise ValueError(f"ks: found {min(ks)}, allowed: 1 or more")
    x = np.asarray(vectors, dtype=np.float32)
    scores = x @ np.asarray(embedding, dtype=np.float32).T
    weakest = _weakest(scores, ks)
    is_same = readers is embedding
    others = scores if is_same else x @ np.asarray(readers, dtype=np.float32).T
    weakest_others = weakest if is_same else _weakest(others, ks)
    kept = np.zeros((len(ks), len(x), len(x)))
    for start in range(0, scores.shape[1], COLUMNS):
        columns = slice(start, start + COLUMNS)
        for number in range(len(ks)):
            one = _kept(scores[:, columns], weakest[number])
            other = one if is_same else _kept(others[:, columns], weakest_others[number])
            kept[number] += one @ other.T
    return Grams((x @ x.T).astype(np.float64), kept)


def random_members(
    unit: Int[np.ndarray, " row"], size: int, n_draws: int, generator: np.random.Generator
) -> Bool[np.ndarray, "draw row"]:
    """Return draws of `size` vectors, unit by unit in random order, the last unit cut off.

    Vectors of a unit, as states of a document, come together: draws differ as draws of new units
    would. Vectors that are units are drawn without replacement.

    Raises:
        ValueError: if `size` is not between 1 and the number of vectors.
    """
    if not 0 < size <= len(unit):
        raise ValueError(f"size: found {size}, allowed: 1 to {len(unit)}")
    units, numbers = np.unique(unit, return_inverse=True)
    members = np.zeros((n_draws, len(unit)), dtype=bool)
    for draw in members:
        place = generator.permutation(len(units))[numbers]
        order = np.lexsort((generator.permutation(len(unit)), place))
        draw[order[:size]] = True
    return members


def _weakest(
    scores: Float[np.ndarray, "row token"], ks: Sequence[int]
) -> Float[np.ndarray, "k row"]:
    """Return the smallest absolute score that every row keeps; 0 where all stay."""
    n_tokens = scores.shape[1]
    within = [k for k in ks if k < n_tokens]
    weakest = np.zeros((len(ks), len(scores)), dtype=scores.dtype)
    if not within:
        return weakest
    for start in range(0, len(scores), BLOCK):
        rows = slice(start, start + BLOCK)
        ascending = np.sort(np.abs(scores[rows]), axis=1)
        for number, k in enumerate(ks):
            if k < n_tokens:
                weakest[number, rows] = ascending[:, -k]
    return weakest


def _kept(scores: np.ndarray, weakest: Float[np.ndarray, " row"]) -> np.ndarray:
    return np.where(np.abs(scores) >= weakest[:, None], scores, scores.dtype.type(0))
