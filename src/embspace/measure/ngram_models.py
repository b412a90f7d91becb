"""What counting words alone predicts: the unigram and the bigram model of a training text."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int


@dataclass(frozen=True, eq=False)
class NgramModels:
    """Counts of single tokens and of pairs of neighbours."""

    unigram: Float[np.ndarray, " token"]
    """Probability of each ordinary token, with 1 added to each count; 0 for special ones."""
    bigram: Int[np.ndarray, "token token"]
    """How often the second token follows the first."""

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
        counts = self.bigram[previous]
        n, t = counts.sum(axis=1), (counts > 0).sum(axis=1)
        seen = counts[np.arange(len(target)), target]
        probability = (seen + t * self.unigram[target]) / np.maximum(n + t, 1)
        return -np.log(np.where(n > 0, probability, self.unigram[target]))

    def unigram_guess(self) -> int:
        """The most frequent token."""
        return int(self.unigram.argmax())

    def bigram_guess(self, previous: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
        """The most frequent follower; where there was none, the most frequent token."""
        counts = self.bigram[previous]
        return np.where(counts.any(axis=1), counts.argmax(axis=1), self.unigram_guess())

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
    pairs = np.zeros((n_kinds, n_kinds), dtype=np.int64)
    np.add.at(pairs, (rows[:, :-1][both], rows[:, 1:][both]), 1)
    return NgramModels(single / single.sum(), pairs)
