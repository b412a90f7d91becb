"""What counting words alone predicts: the unigram and the bigram model of a training text."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class NgramModels:
    """Counts of single tokens and of pairs of neighbours."""

    unigram: Float[np.ndarray, " token"]
    """Probability of each ordinary token, with 1 added to each count; 0 for special ones."""
    bigram: csr_array
    """How often the second token follows the first; (token, token)."""

    def unigram_loss(self, target: Int[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Negative logarithm of each target's probability, in nats."""
        return -np.log(self.unigram[target])

    def bigram_loss(
        self, previous: Int[np.ndarray, " n"], target: Int[np.ndarray, " n"]
    ) -> Float[np.ndarray, " n"]:
        """The same, given the token before.

        What a token was never followed by keeps a share of its unigram probability: n counts of t
        different followers weigh n / (n + t), the unigram the rest (Witten & Bell 1991).
        """
        n, t = self.bigram.sum(axis=1)[previous], np.diff(self.bigram.indptr)[previous]
        seen = self.bigram[previous, target]
        probability = (seen + t * self.unigram[target]) / np.maximum(n + t, 1)
        return -np.log(np.where(n > 0, probability, self.unigram[target]))

    def unigram_guess(self) -> int:
        """The most frequent token."""
        return int(self.unigram.argmax())

    def bigram_guess(self, previous: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
        """The most frequent follower; where there was none, the most frequent token."""
        best = np.asarray(self.bigram.argmax(axis=1))
        has_followers = np.diff(self.bigram.indptr) > 0
        return np.where(has_followers, best, self.unigram_guess())[previous]

    def unigram_entropy(self) -> float:
        """Of the unigram distribution, in nats: the loss of who knows frequencies alone."""
        p = self.unigram[self.unigram > 0]
        return float(-(p * np.log(p)).sum())


def count_ngrams(
    rows: Int[np.ndarray, "window token"],
    n_tokens: Int[np.ndarray, " window"],
    n_kinds: int,
    special: list[int],
) -> NgramModels:
    """Counts over windows, without what fills them up; all of `n_kinds` ids are possible.

    `special` ids may come before a token, but are never asked for.
    """
    is_ordinary = ~np.isin(np.arange(n_kinds), special)
    inside = np.arange(rows.shape[1]) < n_tokens[:, None]
    single = (np.bincount(rows[inside], minlength=n_kinds) + 1) * is_ordinary
    both = inside[:, 1:] & is_ordinary[rows[:, 1:]]  # what is inside has one before it that is, too
    followed = rows[:, :-1][both], rows[:, 1:][both]
    ones = np.ones(int(both.sum()), dtype=np.int64)
    pairs = csr_array((ones, followed), shape=(n_kinds, n_kinds))
    pairs.sum_duplicates()
    return NgramModels(single / single.sum(), pairs)
