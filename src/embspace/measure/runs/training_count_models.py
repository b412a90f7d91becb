"""Predicts tokens by counting alone: by frequency, by the token before, or by place."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array

Ids = Int[np.ndarray, " n"]
Losses = Float[np.ndarray, " n"]


@dataclass(frozen=True, eq=False)
class Unigram:
    """The frequencies of single tokens."""

    probability: Float[np.ndarray, " token"]
    """By token, with 1 added to the counts of ordinary tokens; 0 for special tokens."""

    def loss(self, target: Ids) -> Losses:
        """Return the negative logarithm of each target's probability, in nats."""
        return -np.log(self.probability[target])

    def guess(self) -> int:
        """Return the most frequent token."""
        return int(self.probability.argmax())

    def entropy(self) -> float:
        """Return the distribution's entropy in nats: the loss of who knows frequencies alone."""
        p = self.probability[self.probability > 0]
        return float(-(p * np.log(p)).sum())


@dataclass(frozen=True, eq=False)
class Conditional:
    """The frequencies of tokens, given the context."""

    counts: csr_array  # (context, token)
    unigram: Unigram

    def loss(self, context: Ids, target: Ids) -> Losses:
        """Return the negative logarithm of the targets' probability given the context, in nats.

        A token unseen in a context keeps a share of the unigram probability: n counts of t
        different tokens weigh n / (n + t), the unigram the rest (Witten & Bell 1991).
        """
        n, t = self.counts.sum(axis=1)[context], np.diff(self.counts.indptr)[context]
        prior = self.unigram.probability[target]
        probability = (self.counts[context, target] + t * prior) / np.maximum(n + t, 1)
        return -np.log(np.where(n > 0, probability, prior))

    def guess(self, context: Ids) -> Ids:
        """Return the most frequent token of each context; for an unseen context, of all texts."""
        best = np.asarray(self.counts.argmax(axis=1))
        is_known = np.diff(self.counts.indptr) > 0
        return np.where(is_known, best, self.unigram.guess())[context]


@dataclass(frozen=True, eq=False)
class CountModels:
    """Three models of a token, each of counts."""

    unigram: Unigram
    bigram: Conditional
    """Given the token before."""
    place: Conditional
    """Given the position in the window: what near copies of a text share."""


def count_tokens(
    rows: Int[np.ndarray, "window token"],
    n_tokens: Int[np.ndarray, " window"],
    n_kinds: int,
    special: list[int],
) -> CountModels:
    """Return counts over windows, without padding; all of `n_kinds` ids are possible.

    `special` ids may come before a token, but are never to be predicted.
    """
    is_ordinary = ~np.isin(np.arange(n_kinds), special)
    inside = np.arange(rows.shape[1]) < n_tokens[:, None]
    single = (np.bincount(rows[inside], minlength=n_kinds) + 1) * is_ordinary
    unigram = Unigram(single / single.sum())
    window, position = np.nonzero(inside & is_ordinary[rows])
    token = rows[window, position]
    is_later = position > 0
    before = rows[window[is_later], position[is_later] - 1]
    return CountModels(
        unigram,
        Conditional(_counts(before, token[is_later], n_kinds, n_kinds), unigram),
        Conditional(_counts(position, token, rows.shape[1], n_kinds), unigram),
    )


def _counts(context: Ids, token: Ids, n_contexts: int, n_kinds: int) -> csr_array:
    ones = np.ones(len(token), dtype=np.int64)
    counts = csr_array((ones, (context, token)), shape=(n_contexts, n_kinds))
    counts.sum_duplicates()
    return counts
