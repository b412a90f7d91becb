"""Sums of directions by word, for measures of self-similarity."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.groups.grouped_vectors import Groups, checked_groups
from embspace.geometry.pairs.directions import norms
from embspace.geometry.pairs.types import Vectors

MOST_NUMBERS = 2**22  # that products of some words take at once


@dataclass(frozen=True, eq=False)
class WordDirections:
    """The directions u = x / |x| of every word's vectors; zero vectors are left out."""

    counts: Float[np.ndarray, " word"]
    """The number of directions of the word."""
    squares: Float[np.ndarray, " word"]
    """Squared length of the sum of the word's."""
    total_square: float
    """Squared length of the sum of all."""


def word_directions_of(x: "Vectors | WordDirections", group: Groups) -> WordDirections:
    """Return sums over the rows of `x`, with words numbered by `group`; or `x`, if it is sums."""
    if isinstance(x, WordDirections):
        return x
    return UnitWordDirections(x, np.zeros(len(x), dtype=np.int64), group).whole()


class UnitWordDirections:
    """Sums of word directions by unit of texts, for the sums of any choice of units.

    The square of a sum over units is a sum over products, few per word: only units with the word
    count.
    """

    def __init__(self, x: Vectors, unit: Int[np.ndarray, " n"], group: Groups) -> None:
        from scipy.sparse import csr_array

        group = checked_groups(x, group)
        length = norms(x)
        rows = np.flatnonzero(length > 0)
        rows = rows[np.lexsort((unit[rows], group[rows]))]
        word, row_unit = group[rows], unit[rows]
        # A pair: a word and a unit that has it.
        is_first = np.ones(len(rows), dtype=bool)
        is_first[1:] = (np.diff(word) != 0) | (np.diff(row_unit) != 0)
        pair = np.cumsum(is_first) - 1
        self._units, pair_word = row_unit[is_first], word[is_first]
        n_pairs, self._n_units = len(pair_word), int(unit.max()) + 1
        self._counts = np.bincount(pair, minlength=n_pairs).astype(np.float64)
        weights = (1 / length[rows], (pair, rows))
        sums = csr_array(weights, shape=(n_pairs, len(x))) @ x
        ones = (np.ones(n_pairs), (self._units, np.arange(n_pairs)))
        self._totals = csr_array(ones, shape=(self._n_units, n_pairs)) @ sums
        self._starts = np.flatnonzero(np.diff(pair_word, prepend=pair_word[:1] - 1))
        self._products = list(self._products_of(sums))

    def _products_of(
        self, sums: Float[np.ndarray, "pair dim"]
    ) -> Iterator[
        tuple[
            Int[np.ndarray, " word"],
            Int[np.ndarray, "word unit"],
            Float[np.ndarray, "word unit unit"],
        ]
    ]:
        """Yield words with equally many units, their units, and products of the units' sums."""
        n_of_word = np.diff(np.append(self._starts, len(sums)))
        for n in np.unique(n_of_word):
            words = np.flatnonzero(n_of_word == n)
            size = max(1, MOST_NUMBERS // (int(n) * (sums.shape[1] + int(n))))
            for first in range(0, len(words), size):
                some = words[first : first + size]
                pairs = self._starts[some][:, None] + np.arange(n)
                word_sums = sums[pairs]
                yield some, self._units[pairs], word_sums @ word_sums.transpose(0, 2, 1)

    def whole(self) -> WordDirections:
        """The sums over all units."""
        return self.of(np.ones((1, self._n_units), dtype=bool))[0]

    def of(self, chosen: Bool[np.ndarray, "choice unit"]) -> list[WordDirections]:
        """Return the sums over the units of every choice; a word in none of them counts 0."""
        weights = chosen.astype(np.float64)
        counts = np.zeros((len(chosen), len(self._starts)))
        squares = np.zeros_like(counts)
        if len(self._starts):
            pair_counts = weights[:, self._units] * self._counts
            counts = np.add.reduceat(pair_counts, self._starts, axis=1)
        for words, units, products in self._products:
            word_weights = weights.T[units]  # (word, unit, choice)
            squares[:, words] = (word_weights * (products @ word_weights)).sum(axis=1).T
        totals = np.square(weights @ self._totals).sum(axis=1)
        return [
            WordDirections(*sums) for sums in zip(counts, squares, map(float, totals), strict=True)
        ]
