"""Finds the top pairs of tokens of a low-rank form on the vocabulary, exactly.

The interaction of a head with a vocabulary E, (token, dim), is E A B E' with A of shape (dim, rank)
and B of (rank, dim): Dar et al. (2023), "Analyzing Transformers in Embedding Space", section 3.1,
table 1. It has a number for every pair of tokens, 2.5 billion for GPT-2, but is the product X Y' of
X = E A and Y = E B', both (token, rank). All functions take X and Y; none holds the product. Rows
are the tokens of X, columns the tokens of Y.

`scan_pairs` of geometry/pairs looks for extreme cosines; here norms count, too. Both sides are
therefore sorted by norm, and a block is left out if |x| |y| says that no pair of it can be among
the top. In the remaining blocks, products of 16 bits first rule out rows, on a processor with fast
16-bit products. Both shortcuts leave the result unchanged.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.parameters.rough_products import RoughProducts, product, rough_is_faster

PairOrder = Literal["largest", "smallest"]
TokenFactor = Float[np.ndarray, "token rank"]
SameFactor = Float[np.ndarray, "same_token same_rank"]
"""A second factor, of the same shape unless a function says otherwise."""
Places = Int[np.ndarray, " place"]
Classes = Int[np.ndarray, " classified"]
"""Tokens with the same number count as equal; -1 equals nothing."""
BLOCK_ROWS, BLOCK_COLUMNS = 1024, 8192  # of float32: 34 MB
FIRST_ROWS, FIRST_COLUMNS = 128, 2048
MANY = 1 << 16  # candidates of a block; and pairs whose scores are computed at once
TIE = 2.0**46  # scores are multiples of the largest possible one over this


@dataclass(frozen=True, eq=False)
class VocabularyPairs:
    """Pairs of tokens with their scores, the most extreme first, then by row and column."""

    rows: Int[np.ndarray, " pair"]
    columns: Int[np.ndarray, " pair"]
    scores: Float[np.ndarray, " pair"]

    def merged(
        self, other: "VocabularyPairs", n_pairs: int, order: PairOrder = "largest"
    ) -> "VocabularyPairs":
        """Return the most extreme of both lists, which have no pair in common."""
        rows = np.concatenate([self.rows, other.rows])
        columns = np.concatenate([self.columns, other.columns])
        scores = np.concatenate([self.scores, other.scores])
        return _best(rows, columns, scores, n_pairs, order)

    def transposed(self, order: PairOrder = "largest") -> "VocabularyPairs":
        """Return the pairs of the transposed form: what was a row is a column."""
        return _best(self.columns, self.rows, self.scores, len(self.rows), order)


def token_factor(
    embedding: Float[np.ndarray, "token dim"], factor: Float[np.ndarray, "same_dim rank"]
) -> TokenFactor:
    """Return E A as float32, summed in float64, block by block.

    Raises:
        ValueError: the widths differ.
    """
    if embedding.shape[1] != factor.shape[0]:
        raise ValueError(
            f"factor: expected {embedding.shape[1]} rows, one a dimension, found {factor.shape[0]}"
        )
    wide = factor.astype(np.float64)
    product = np.empty((len(embedding), factor.shape[1]), dtype=np.float32)
    for rows in _slices(len(embedding), 4096):
        product[rows] = embedding[rows].astype(np.float64) @ wide
    return product


def top_pairs(
    x: TokenFactor,
    y: SameFactor,
    *,
    n_pairs: int,
    order: PairOrder,
    classes: Classes | None,
    tokens: Int[np.ndarray, " some"] | None,
) -> VocabularyPairs:
    """Return the `n_pairs` pairs of the largest scores x_i y_j, or of the smallest.

    Pairs of equal `classes` are left out, and, with `tokens`, all pairs with row or column outside
    `tokens`. Fewer pairs if no more exist; none for a form of 0, with all scores alike. Scores are
    in float64, of the float32 numbers of `x` and `y`, rounded to 1.4e-14 of the largest product of
    norms, so scores equal up to rounding are ties; of ties the smaller row comes first, then the
    smaller column. Needs some 100 MB beside both factors, however many tokens.

    Raises:
        ValueError: `x`, `y` and `classes` differ in vocabulary or rank.
    """
    _check(x, y, classes)
    sign = np.float32(1 if order == "largest" else -1)
    left, right = _side(sign * x, classes, tokens), _side(y, classes, tokens)
    if not (len(left.norms) and left.norms[0] * right.norms[0] > 0 and n_pairs > 0):
        return VocabularyPairs(*(np.empty(0, dtype) for dtype in (np.int64, np.int64, np.float64)))
    best = _Best(n_pairs, left, right, _floor(n_pairs, left, right))
    for rows, columns, scores in _formed(left, right, best):
        best.offer(rows, columns, scores)
    return _best(best.rows, best.columns, float(sign) * best.scores, n_pairs, order)


def equal_pairs(x: TokenFactor, y: SameFactor, *, classes: Classes) -> VocabularyPairs:
    """Return all pairs that `top_pairs` leaves out, a token with itself included.

    Raises:
        ValueError: `x`, `y` and `classes` differ in vocabulary or rank.
    """
    _check(x, y, classes)
    members = np.flatnonzero(classes >= 0)
    members = members[np.argsort(classes[members], kind="stable")]
    pairs = [(members, members)]
    for step in range(1, len(members)):
        first, second = members[:-step], members[step:]
        equal = classes[first] == classes[second]
        if not equal.any():
            break
        pairs += [(first[equal], second[equal]), (second[equal], first[equal])]
    rows, columns = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    scores = np.concatenate(
        [_products(x[rows[some]], y[columns[some]]) for some in _slices(len(rows), MANY)]
        or [np.empty(0)]
    )
    largest = _norms(x).max(initial=0) * _norms(y).max(initial=0)
    return _best(rows, columns, _rounded(scores, largest), len(rows), "largest")


def n_pairs_above(x: TokenFactor, y: SameFactor, threshold: float) -> int:
    """Return the number of pairs, equal tokens included, with a score above `threshold`.

    Exact: a score within the rounding of float32 from the threshold is computed again.

    Raises:
        ValueError: `x` and `y` differ in vocabulary or rank.
    """
    _check(x, y, None)
    left, right = _side(x, None, None), _side(y, None, None)
    n = 0
    for rows, columns, scores in _formed(left, right, _Above(threshold, x.shape[1])):
        margin = _margin(x.shape[1]) * left.norms[rows[0]] * right.norms[columns.start]
        low, high = _float32_below(threshold - margin), -_float32_below(-threshold - margin)
        n += int(np.count_nonzero(scores > high))
        near = np.flatnonzero((scores >= low) & (scores <= high))
        for some in _slices(len(near), MANY):
            first, second = np.divmod(near[some], scores.shape[1])
            exact = _products(left.vectors[rows[first]], right.vectors[columns][second])
            n += int(np.count_nonzero(exact > threshold))
    return n


class _Side(NamedTuple):
    """The tokens of a side, the longest vector first."""

    vectors: TokenFactor
    norms: Float[np.ndarray, " token"]
    numbers: Int[np.ndarray, " token"]
    classes: Classes | None


def _side(x: TokenFactor, classes: Classes | None, tokens: np.ndarray | None) -> _Side:
    numbers = np.arange(len(x)) if tokens is None else np.unique(tokens)
    norms = _norms(x)[numbers]
    order = np.argsort(-norms, kind="stable")
    numbers = numbers[order]
    vectors = np.ascontiguousarray(x[numbers], dtype=np.float32)
    return _Side(vectors, norms[order], numbers, None if classes is None else classes[numbers])


class _Above:
    """Pairs above a fixed threshold."""

    def __init__(self, threshold: float, rank: int) -> None:
        self.least, self.margin = threshold, _margin(rank)


class _Best:
    """Gathers the pairs of the largest scores, block by block."""

    def __init__(self, n_pairs: int, left: _Side, right: _Side, floor: float) -> None:
        self.n_pairs, self.left, self.right, self.floor = n_pairs, left, right, floor
        self.margin = _margin(left.vectors.shape[1])
        self.largest = float(left.norms[0] * right.norms[0])
        self.rows = self.columns = np.empty(0, dtype=np.int64)
        self.scores = np.empty(0)

    @property
    def least(self) -> float:
        """A pair of a smaller score can't be among the top any more."""
        known = self.scores[-1] if len(self.scores) == self.n_pairs else -np.inf
        return max(self.floor, float(known))

    def offer(self, rows: Places, columns: slice, scores: np.ndarray) -> None:
        """Take in the top pairs of a block; changes `scores`."""
        # The rounding to a tie is far within the margin of float32.
        margin = self.margin * self.left.norms[rows[0]] * self.right.norms[columns.start]
        cut = _float32_below(self.least - margin)
        if scores.max() < cut:
            return
        if self.least == -np.inf or np.count_nonzero(scores >= cut) > MANY:
            within = self._cut_within(rows, columns, scores) - 2 * margin
            cut = max(cut, _float32_below(within))
        places = np.flatnonzero(scores >= cut)
        for some in _slices(len(places), MANY):
            first, second = np.divmod(places[some], scores.shape[1])
            self._add(rows[first], second + columns.start)

    def _cut_within(self, rows: Places, columns: slice, scores: np.ndarray) -> float:
        """Return the n-th largest score of a block, without equal pairs; -inf without so many."""
        if self.left.classes is not None and self.right.classes is not None:
            row_classes, column_classes = self.left.classes[rows], self.right.classes[columns]
            scores[(row_classes[:, np.newaxis] == column_classes) & (column_classes >= 0)] = -np.inf
        if scores.size <= self.n_pairs:
            return -np.inf
        place = scores.size - self.n_pairs
        return float(np.partition(scores, place, axis=None)[place])

    def _add(self, first: np.ndarray, second: np.ndarray) -> None:
        """Take in the best of pairs given by their places in both sides."""
        if self.left.classes is not None and self.right.classes is not None:
            first_classes, second_classes = self.left.classes[first], self.right.classes[second]
            differ = (first_classes != second_classes) | (first_classes < 0)
            first, second = first[differ], second[differ]
        scores = _products(self.left.vectors[first], self.right.vectors[second])
        best = _best(
            np.concatenate([self.rows, self.left.numbers[first]]),
            np.concatenate([self.columns, self.right.numbers[second]]),
            np.concatenate([self.scores, _rounded(scores, self.largest)]),
            self.n_pairs,
            "largest",
        )
        self.rows, self.columns, self.scores = best.rows, best.columns, best.scores


def _floor(n_pairs: int, left: _Side, right: _Side) -> float:
    """Return a lower bound of the last top pair's score, from some of the longest vectors.

    The first block, of which nothing is known yet, is thereby a small one.
    """
    rows = np.arange(min(FIRST_ROWS, len(left.norms)))
    columns = slice(0, min(FIRST_COLUMNS, len(right.norms)))
    first = _Best(n_pairs, left, right, -np.inf)
    first.offer(rows, columns, product(left.vectors[rows], right.vectors[columns]))
    return first.least


def _formed(
    left: _Side, right: _Side, wanted: _Above | _Best
) -> Iterator[tuple[Places, slice, Float[np.ndarray, "row column"]]]:
    """Yield places of rows, columns and scores in float32, wherever a pair may be wanted."""
    longest = max(left.norms[:1].tolist() + right.norms[:1].tolist(), default=0.0)
    rough = RoughProducts(left.vectors, right.vectors, longest) if rough_is_faster() else None
    for block, columns in _blocks(left, right, wanted):
        rows = np.arange(block.start, block.stop)
        if rough is not None:
            largest = left.norms[block.start] * right.norms[columns.start]
            least = wanted.least - wanted.margin * largest
            rows = rows[rough.rows_that_may_reach(block, columns, least, largest)]
        if len(rows):
            yield rows, columns, product(left.vectors[rows], right.vectors[columns])


def _blocks(left: _Side, right: _Side, wanted: _Above | _Best) -> Iterator[tuple[slice, slice]]:
    """Yield the blocks that may hold a wanted pair, those of the longest vectors first."""
    for rows in _slices(len(left.norms), BLOCK_ROWS):
        longest = left.norms[rows.start] * (1 + wanted.margin)
        for columns in _slices(len(right.norms), BLOCK_COLUMNS):
            # Norms fall: what comes later than the first that is too short is shorter still.
            part = right.norms[columns]
            n_long = int(np.count_nonzero(longest * part >= wanted.least))
            if n_long:
                yield rows, slice(columns.start, columns.start + n_long)
            if n_long < len(part):
                break


def _best(
    rows: np.ndarray, columns: np.ndarray, scores: np.ndarray, n_pairs: int, order: PairOrder
) -> VocabularyPairs:
    key = -scores if order == "largest" else scores
    best = np.lexsort((columns, rows, key))[:n_pairs]
    return VocabularyPairs(rows[best], columns[best], scores[best])


def _products(x: TokenFactor, y: TokenFactor) -> Float[np.ndarray, " pair"]:
    """Return the dot products of rows in float64, in which products of float32 are exact."""
    return np.einsum("ij,ij->i", x.astype(np.float64), y.astype(np.float64))


def _rounded(scores: np.ndarray, largest: float) -> np.ndarray:
    quantum = 2.0 ** np.ceil(np.log2(largest)) / TIE if largest > 0 else 1.0
    # Adding 0 makes -0 a 0.
    return np.asarray(np.rint(scores / quantum) * quantum + 0.0)


def _margin(rank: int) -> float:
    """Bound the error of a float32 score over |x| |y|, as `cosine_margin` of geometry/pairs."""
    roundings = (rank + 8) * 2.0**-24
    return roundings / (1 - roundings)


def _float32_below(value: float) -> np.float32:
    """Return a float32 number below `value`, which a plain conversion might round up."""
    return np.nextafter(np.float32(value), np.float32(-np.inf))


def _norms(x: TokenFactor) -> Float[np.ndarray, " token"]:
    return np.sqrt(np.einsum("ij,ij->i", x, x, dtype=np.float64))


def _slices(n: int, size: int) -> Iterator[slice]:
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def _check(x: TokenFactor, y: SameFactor, classes: Classes | None) -> None:
    if x.shape[1] != y.shape[1]:
        raise ValueError(f"y: expected rank {x.shape[1]}, as x has, found {y.shape[1]}")
    if len(x) != len(y):
        raise ValueError(f"y: expected {len(x)} tokens, as x has, found {len(y)}")
    if classes is not None and len(classes) != len(x):
        raise ValueError(f"classes: expected {len(x)} tokens, as x has, found {len(classes)}")
