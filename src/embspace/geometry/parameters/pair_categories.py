"""Measures what the tokens of top pairs have in common, beside pairs that chance makes.

A relation is a function of pairs of token numbers: true where the relation holds. Lists of pairs
are arrays of shape (list, pair), a list for each head, the most extreme pair first, with -1 where a
list has no more pairs.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

PairIds = Int[np.ndarray, "..."]
Relation = Callable[[PairIds, PairIds], Bool[np.ndarray, "..."]]
NOTHING = -1
AT_ONCE = 1_000_000  # pairs of all draws that are looked at


def equal_tokens(classes: Int[np.ndarray, " token"]) -> Relation:
    """Return the relation of tokens with the same class; -1 equals nothing."""

    def holds(first: PairIds, second: PairIds) -> Bool[np.ndarray, "..."]:
        return (classes[first] == classes[second]) & (classes[first] >= 0)

    return holds


def shared_value(values: Sequence[Sequence[int]]) -> Relation:
    """Return the relation of tokens with a common value; `values` has a token's values."""
    most = max((len(token_values) for token_values in values), default=0)
    slots = np.full((max(most, 1), len(values)), NOTHING, dtype=np.int32)
    for token, token_values in enumerate(values):
        slots[: len(token_values), token] = token_values

    def holds(first: PairIds, second: PairIds) -> Bool[np.ndarray, "..."]:
        shared = np.zeros(np.broadcast(first, second).shape, dtype=bool)
        for slot in slots:
            mine = slot[first]
            for other in slots:
                shared |= (mine >= 0) & (mine == other[second])
        return shared

    return holds


def joined_tokens(texts: Sequence[str], is_word: Sequence[bool]) -> Relation:
    """Return the relation of two tokens whose texts, joined in order, are the text of a token.

    `texts` are the texts of all tokens, without marks; `is_word` marks the tokens that a joined
    text may be: those at the start of a word, if tokens are marked.
    """
    number_of: defaultdict[str, int] = defaultdict(lambda: len(number_of))
    numbers = np.array([number_of[text] for text in texts], dtype=np.int64)
    words = {text for text, word in zip(texts, is_word, strict=True) if word}
    joined = np.array(
        sorted(
            number_of[word[:place]] * len(texts) + number_of[word[place:]]
            for word in words
            for place in range(1, len(word))
            if word[:place] in number_of and word[place:] in number_of
        ),
        dtype=np.int64,
    )

    def holds(first: PairIds, second: PairIds) -> Bool[np.ndarray, "..."]:
        if not len(joined):
            return np.zeros(np.broadcast(first, second).shape, dtype=bool)
        code = numbers[first] * len(texts) + numbers[second]
        place = np.searchsorted(joined, code).clip(max=len(joined) - 1)
        return np.asarray(joined[place] == code)

    return holds


@dataclass(frozen=True, eq=False)
class PairLists:
    """The top pairs of several heads, or of draws of the pairs."""

    rows: Int[np.ndarray, "*list pair"]
    columns: Int[np.ndarray, "*list pair"]

    @classmethod
    def of(cls, lists: Sequence[tuple[np.ndarray, np.ndarray]], n_pairs: int) -> "PairLists":
        """Return the first `n_pairs` of every list of rows and columns."""
        rows, columns = np.full((2, len(lists), n_pairs), NOTHING, dtype=np.int64)
        for number, (first, second) in enumerate(lists):
            n = min(n_pairs, len(first))
            rows[number, :n], columns[number, :n] = first[:n], second[:n]
        return cls(rows, columns)

    def unequal(self, equal: Relation, n_pairs: int) -> "PairLists":
        """Return the first `n_pairs` pairs of every list for which `equal` does not hold."""
        kept = (self.rows >= 0) & ~equal(self.rows, self.columns)
        order = np.argsort(~kept, axis=-1, kind="stable")[..., :n_pairs]
        has = np.take_along_axis(kept, order, axis=-1)
        rows, columns = (
            np.where(has, np.take_along_axis(ids, order, axis=-1), NOTHING)
            for ids in (self.rows, self.columns)
        )
        return PairLists(rows, columns)


def category_shares(lists: PairLists, relation: Relation) -> Float[np.ndarray, "*list"]:
    """Return the share of every list's pairs for which a relation holds; NaN without a pair."""
    has = lists.rows >= 0
    hits = (relation(lists.rows, lists.columns) & has).sum(axis=-1)
    n = has.sum(axis=-1)
    return np.asarray(np.divide(hits, n, out=np.full(n.shape, np.nan), where=n > 0))


def permuted_shares(
    lists: PairLists,
    relations: Mapping[str, Relation],
    equal: Relation,
    tokens: Int[np.ndarray, " some"],
    *,
    n_pairs: int,
    n_draws: int,
    generator: np.random.Generator,
) -> dict[str, Float[np.ndarray, "draw list"]]:
    """Return the shares of heads with rows X permuted against `tokens`, by relation.

    A permuted head has the same top pairs with different tokens of the rows, and `lists`, of all
    pairs, suffice: pairs of equal tokens are left out after the permutation, and the first
    `n_pairs` of the rest taken. Lists have to be longer by the few pairs made equal by a
    permutation. In a draw all lists have the same permutation: a maximum over lists keeps the
    dependence between lists.
    """
    mapping = np.arange(max(tokens.max(initial=0), lists.rows.max(initial=0)) + 1)
    made: list[PairLists] = []
    for n in _parts(n_draws, lists):
        rows = np.empty((n, *lists.rows.shape), dtype=np.int64)
        for draw in range(n):
            mapping[tokens] = generator.permutation(tokens)
            rows[draw] = np.where(lists.rows >= 0, mapping[lists.rows], NOTHING)
        columns = np.broadcast_to(lists.columns, rows.shape)
        made.append(PairLists(rows, columns).unequal(equal, n_pairs))
    return _shares(made, relations)


def paired_anew_shares(
    lists: PairLists,
    relations: Mapping[str, Relation],
    equal: Relation,
    *,
    n_draws: int,
    generator: np.random.Generator,
) -> dict[str, Float[np.ndarray, "draw list"]]:
    """Return the shares of the same rows with the same columns in random order, by relation.

    Rows and columns keep the common traits of a list, for instance names of places; an excess over
    these shares is due to the single pairs. Pairs made equal by chance are left out.
    """
    made: list[PairLists] = []
    for n in _parts(n_draws, lists):
        keys = generator.random((n, *lists.columns.shape))
        keys[:, lists.columns < 0] = 1  # missing pairs stay at the end
        columns = np.broadcast_to(lists.columns, keys.shape)
        columns = np.take_along_axis(columns, np.argsort(keys, axis=-1), axis=-1)
        rows = np.broadcast_to(lists.rows, keys.shape)
        made.append(PairLists(rows, columns).unequal(equal, rows.shape[-1]))
    return _shares(made, relations)


def p_values(
    shares: Float[np.ndarray, " list"], drawn: Float[np.ndarray, "draw ..."]
) -> Float[np.ndarray, " list"]:
    """Return how likely chance alone gives such a share: (1 + draws at least as large) / (1 + n).

    With `drawn` of shape (draw,) the same draws are for all lists. The maximum over lists, draw by
    draw, corrects for the number of lists: Westfall and Young (1993), "Resampling-based multiple
    testing", single step. Draws without a share are left out; NaN where no draw has one, or the
    share itself is not defined.
    """
    drawn = drawn.reshape(len(drawn), -1)
    larger = (drawn >= shares - 1e-12).sum(axis=0)
    n = (~np.isnan(drawn)).sum(axis=0)
    return np.where(np.isnan(shares) | (n == 0), np.nan, (1 + larger) / (1 + n))


def _parts(n_draws: int, lists: PairLists) -> Iterator[int]:
    """Yield how many draws to make at once, to bound the memory."""
    most = max(1, AT_ONCE // max(1, lists.rows.size))
    for start in range(0, n_draws, most):
        yield min(most, n_draws - start)


def _shares(
    made: Sequence[PairLists], relations: Mapping[str, Relation]
) -> dict[str, Float[np.ndarray, "draw list"]]:
    return {
        name: np.concatenate([category_shares(pairs, relation) for pairs in made])
        for name, relation in relations.items()
    }
