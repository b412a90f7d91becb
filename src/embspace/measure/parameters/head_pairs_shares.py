"""The shares of categories among the top pairs of heads, beside the shares expected by chance."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.parameters.pair_categories import (
    PairLists,
    Relation,
    category_shares,
    p_values,
    paired_anew_shares,
    permuted_shares,
)
from embspace.measure.parameters.head_pairs_forms import TopPairs
from embspace.measure.parameters.head_pairs_words import EQUAL, Words


@dataclass(frozen=True)
class Rules:
    """Settings of shares and their nulls."""

    n_pairs: int
    n_permutations: int
    least_share: float
    significance: float
    seed: int


@dataclass(frozen=True, eq=False)
class _Lists:
    """The same heads' lists with and without pairs of equal tokens."""

    unequal: PairLists
    all: PairLists
    """Twice as long."""
    first: PairLists
    """The first half of `all`, from which the share of equal pairs is computed."""

    @classmethod
    def of(cls, top_pairs: Sequence[TopPairs], n_pairs: int) -> "_Lists":
        unequal = [(pairs.unequal.rows, pairs.unequal.columns) for pairs in top_pairs]
        whole = [(pairs.all.rows, pairs.all.columns) for pairs in top_pairs]
        return cls(
            PairLists.of(unequal, n_pairs),
            PairLists.of(whole, 2 * n_pairs),
            PairLists.of(whole, n_pairs),
        )

    def shares(self, words: Words) -> dict[str, Float[np.ndarray, " list"]]:
        """Return the shares of every category."""
        others = {
            name: category_shares(self.unequal, relation)
            for name, relation in words.relations.items()
        }
        return {EQUAL: category_shares(self.first, words.equal), **others}


def share_rows(
    trained: Sequence[TopPairs],
    shuffled: Sequence[TopPairs],
    heads: pd.DataFrame,
    words: Words,
    tokens: Int[np.ndarray, " some"],
    rules: Rules,
) -> pd.DataFrame:
    """Return a row per head and category, for one form; `heads` has layer and head by list.

    Three nulls. `permuted`: the tokens of the rows in random order, against the tokens of the
    columns; the p-value is also over all heads, by the largest share of a draw. `paired_anew`: rows
    and columns of a head's own pairs joined at random: only single pairs can exceed this null.
    `shuffled`: heads with entries in random order. A head is `above_null` in a category if the
    share is at least `least_share`, above all shuffled heads, and the p-value over heads is at most
    `significance`.
    """
    lists, shuffled_lists = _Lists.of(trained, rules.n_pairs), _Lists.of(shuffled, rules.n_pairs)
    permuted, anew = _permuted(lists, words, tokens, rules), _anew(lists, words, rules)
    chance = shuffled_lists.shares(words)
    rows = []
    for category, share in lists.shares(words).items():
        largest = np.nanmax(chance[category], initial=0)
        over_heads = p_values(share, np.nanmax(permuted[category], axis=1, initial=0))
        head_shares = heads.assign(
            category=category,
            n_pairs=(lists.unequal.rows >= 0).sum(axis=1),
            share=share,
            permuted_mean=_mean(permuted[category]),
            p_value=p_values(share, permuted[category]),
            p_value_over_heads=over_heads,
            paired_anew_mean=_mean(anew[category]),
            paired_anew_p_value=p_values(share, anew[category]),
            shuffled_mean=float(_mean(chance[category])),
            shuffled_largest=largest,
            shuffled_p_value=p_values(share, chance[category]),
            above_null=(share >= rules.least_share - 1e-12)
            & (share > largest)
            & (over_heads <= rules.significance),
        )
        rows.append(head_shares)
    return pd.concat(rows, ignore_index=True)


def _mean(shares: Float[np.ndarray, "draw ..."]) -> Float[np.ndarray, "..."]:
    """Return the mean over the draws that have a pair; NaN if none has."""
    n = (~np.isnan(shares)).sum(axis=0)
    return np.divide(np.nansum(shares, axis=0), n, out=np.full(n.shape, np.nan), where=n > 0)


DrawnShares = dict[str, Float[np.ndarray, "draw list"]]


def _never(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.zeros(np.broadcast(first, second).shape, dtype=bool)


def _permuted(lists: _Lists, words: Words, tokens: np.ndarray, rules: Rules) -> DrawnShares:
    """Return the shares with the tokens of rows permuted; the same permutations for all."""

    def drawn(of: PairLists, relations: dict[str, Relation], equal: Relation) -> DrawnShares:
        return permuted_shares(
            of,
            relations,
            equal,
            tokens,
            n_pairs=rules.n_pairs,
            n_draws=rules.n_permutations,
            generator=stream_of(np.random.default_rng(rules.seed), "permuted_tokens"),
        )

    others = drawn(lists.all, words.relations, words.equal)
    return drawn(lists.first, {EQUAL: words.equal}, _never) | others


def _anew(lists: _Lists, words: Words, rules: Rules) -> DrawnShares:
    """Return the shares with the columns of every head's pairs in random order."""

    def drawn(of: PairLists, relations: dict[str, Relation], equal: Relation) -> DrawnShares:
        return paired_anew_shares(
            of,
            relations,
            equal,
            n_draws=rules.n_permutations,
            generator=stream_of(np.random.default_rng(rules.seed), "paired_anew"),
        )

    others = drawn(lists.unequal, words.relations, words.equal)
    return drawn(lists.first, {EQUAL: words.equal}, _never) | others
