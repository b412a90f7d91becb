"""The rank of a row of a table among all rows by nearness to a vector, and the nearest rows.

For states of a token and the rows of a vocabulary: how many rows are nearer than the token's own.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.directions import norms
from embspace.geometry.pairs.safe_ratio import ratio

Nearness = Literal["cosine", "euclidean_distance", "dot_product"]
NEARNESSES: tuple[Nearness, ...] = get_args(Nearness)
ROWS, COLUMNS = 512, 8192  # of vectors and table at once: 16 MB in float32
# Float32 products of unit vectors are off by 1e-6 at most in a thousand dimensions, measured; what
# lies within this of the own row is compared again in float64.
BAND = 1e-5
TIE = 1e-12  # of the scale of the scores in float64: as near


@dataclass(frozen=True, eq=False)
class VocabularyRanks:
    """Every vector beside its own row, and the rows that are nearest to it."""

    rank: Float[np.ndarray, " n"]
    """Number of rows nearer than the own row, 0 for none; an equally near row counts half.

    NaN where vector or own row has no nearness, as the cosine of a zero vector.
    """
    cosine: Float[np.ndarray, " n"]
    """With the own row; NaN of a zero vector."""
    euclidean_distance: Float[np.ndarray, " n"]
    """From the own row."""
    nearest: Int[np.ndarray, "n k"]
    """Numbers of rows, the nearest first; -1 where the table has fewer that have a nearness."""
    nearest_value: Float[np.ndarray, "n k"]
    """The cosine, distance or product of the rows in `nearest`."""


@dataclass(frozen=True, eq=False)
class _Scores:
    """A nearness as a sum that grows: scale * x . (row + shift) + offset, by shift and row."""

    x: Float[np.ndarray, "n dim"]
    table: Float[np.ndarray, "row dim"]
    shift: Float[np.ndarray, "shift dim"]
    shift_of: Int[np.ndarray, " n"]
    scale: Float[np.ndarray, "shift row"]
    offset: Float[np.ndarray, "shift row"]
    size: Float[np.ndarray, " n"]
    """The magnitude of the largest term in a vector's scores, which bounds their rounding."""

    def pair_scores(
        self, number: Int[np.ndarray, " pair"], row: Int[np.ndarray, " pair"]
    ) -> Float[np.ndarray, " pair"]:
        """Return the scores of some vectors and rows in float64."""
        scores = np.empty(len(number))
        for start in range(0, len(number), COLUMNS):
            some = slice(start, start + COLUMNS)
            at = self.shift_of[number[some]]
            shifted = self.table[row[some]].astype(np.float64) + self.shift[at]
            product = np.einsum("ij,ij->i", self.x[number[some]], shifted)
            scores[some] = product * self.scale[at, row[some]] + self.offset[at, row[some]]
        return scores

    def blocks(self, rows: slice) -> Iterator[tuple[int, Float[np.ndarray, "some column"]]]:
        """The scores of some vectors in float32, by the number of the block's first column."""
        x, at = self.x[rows].astype(np.float32), self.shift_of[rows]
        moved = np.einsum("ij,ij->i", self.x[rows], self.shift[at]).astype(np.float32)
        for start in range(0, len(self.table), COLUMNS):
            columns = slice(start, start + COLUMNS)
            scores = x @ self.table[columns].astype(np.float32, copy=False).T
            scores += moved[:, None]
            scores *= self.scale[:, columns].astype(np.float32)[at]
            scores += self.offset[:, columns].astype(np.float32)[at]
            yield start, scores


def vocabulary_ranks(
    x: Float[np.ndarray, "n dim"],
    own: Int[np.ndarray, " n"],
    table: Float[np.ndarray, "row dim"],
    *,
    nearness: Nearness = "cosine",
    k: int = 0,
    shift: Float[np.ndarray, "shift dim"] | None = None,
    shift_of: Int[np.ndarray, " n"] | None = None,
    bias: Float[np.ndarray, " row"] | None = None,
) -> VocabularyRanks:
    """The rank of row `own` of each vector among all rows of `table`, and the `k` nearest rows.

    With `shift`, a vector is compared with every row plus the shift of its number in `shift_of`.
    `bias` is added to products, and to these alone. Exact: as in float64. A block of 512 vectors
    and 8,192 rows is in memory at a time.

    Raises:
        ValueError: for numbers outside of the table, a shift without its numbers, a bias without
            products.
    """
    _check(own, len(table), shift, shift_of)
    if bias is not None and nearness != "dot_product":
        raise ValueError(f"bias: expected with 'dot_product' alone, found with {nearness!r}")
    x = x.astype(np.float64)
    if shift is None or shift_of is None:
        shift, shift_of = np.zeros((1, x.shape[1])), np.zeros(len(x), dtype=np.int64)
    shift = shift.astype(np.float64)
    shifted_own = table[own].astype(np.float64) + shift[shift_of]
    cosine = ratio(np.einsum("ij,ij->i", x, shifted_own), norms(x) * norms(shifted_own))
    scores = _scores(x, table, shift, shift_of, nearness, bias)
    rank = np.empty(len(x))
    nearest = np.full((len(x), k), -1, dtype=np.int64)
    for start in range(0, len(x), ROWS):
        rows = slice(start, min(start + ROWS, len(x)))
        rank[rows], nearest[rows] = _block_ranks(scores, rows, own, k)
    if nearness == "cosine":
        rank[np.isnan(cosine)] = np.nan
        nearest[norms(x) == 0] = -1
    return VocabularyRanks(
        rank=rank,
        cosine=cosine.clip(-1, 1),
        euclidean_distance=norms(x - shifted_own),
        nearest=nearest,
        nearest_value=_values(scores, nearest, nearness),
    )


def _scores(
    x: Float[np.ndarray, "n dim"],
    table: Float[np.ndarray, "row dim"],
    shift: Float[np.ndarray, "shift dim"],
    shift_of: Int[np.ndarray, " n"],
    nearness: Nearness,
    bias: Float[np.ndarray, " row"] | None,
) -> _Scores:
    """Return the nearness in the form of scores; of a row without one, minus infinity."""
    squares = _squared_norms(table, shift)
    scale, offset = np.ones_like(squares), np.zeros_like(squares)
    lengths = norms(x)
    size = lengths * np.sqrt(squares.max())
    if nearness == "cosine":
        x = np.nan_to_num(ratio(x, lengths[:, None]), nan=0.0)
        scale = np.nan_to_num(ratio(np.ones_like(squares), np.sqrt(squares)), nan=0.0)
        offset = np.where(squares > 0, 0.0, -np.inf)
        size = np.ones(len(x))
    elif nearness == "euclidean_distance":
        offset = -squares / 2
        size = size + squares.max() / 2
    elif bias is not None:
        offset = np.repeat(bias.astype(np.float64)[None], len(shift), axis=0)
        size = size + np.abs(bias).max()
    return _Scores(x, table, shift, shift_of, scale, offset, size)


def _squared_norms(
    table: Float[np.ndarray, "row dim"], shift: Float[np.ndarray, "shift dim"]
) -> Float[np.ndarray, "shift row"]:
    """Squared lengths of every row plus every shift, exactly 0 where the two cancel."""
    squared_norms = np.empty((len(shift), len(table)))
    for start in range(0, len(table), COLUMNS):
        part = table[start : start + COLUMNS].astype(np.float64)
        own = np.einsum("ij,ij->i", part, part)
        squares = own + 2 * shift @ part.T + np.einsum("ij,ij->i", shift, shift)[:, None]
        # What is left of two vectors that cancel is rounding.
        squares[squares < TIE * own.max(initial=0.0)] = 0.0
        squared_norms[:, start : start + COLUMNS] = squares
    return squared_norms


def _block_ranks(
    scores: _Scores, rows: slice, own: Int[np.ndarray, " n"], k: int
) -> tuple[Float[np.ndarray, " some"], Int[np.ndarray, "some k"]]:
    """The ranks of the own rows of some vectors, and their nearest rows."""
    numbers = np.arange(rows.start, rows.stop)
    target, band = scores.pair_scores(numbers, own[rows]), BAND * scores.size[rows]
    # Nothing is compared with what has no nearness.
    target[np.isneginf(target) | ~scores.x[rows].any(axis=1)] = np.inf
    upper, lower = (target + band).astype(np.float32), (target - band).astype(np.float32)
    rank = np.zeros(len(numbers))
    close: list[tuple[np.ndarray, np.ndarray]] = []
    kept = np.full((len(numbers), 0), -1, dtype=np.int64)
    best = np.empty((len(numbers), 0), dtype=np.float32)
    for start, block_scores in scores.blocks(rows):
        above = np.count_nonzero(block_scores > upper[:, None], axis=1)
        within = np.count_nonzero(block_scores >= lower[:, None], axis=1) - above
        rank += above
        some = np.flatnonzero(within)
        at, column = np.nonzero(
            (block_scores[some] >= lower[some, None]) & (block_scores[some] <= upper[some, None])
        )
        close.append((some[at], column + start))
        if k:
            kept, best = _merged(kept, best, block_scores, start, k)
    number, row = (np.concatenate(parts) for parts in zip(*close, strict=True))
    other = row != own[rows][number]
    number, row = number[other], row[other]
    difference = scores.pair_scores(numbers[number], row) - target[number]
    tolerance = TIE * scores.size[rows][number]
    np.add.at(rank, number, (difference > tolerance) + 0.5 * (np.abs(difference) <= tolerance))
    return rank, _sorted(scores, numbers, kept, k)


def _merged(
    kept: Int[np.ndarray, "some kept"],
    best: Float[np.ndarray, "some kept"],
    scores: Float[np.ndarray, "some column"],
    start: int,
    k: int,
) -> tuple[Int[np.ndarray, "some more"], Float[np.ndarray, "some more"]]:
    """The rows of highest score so far and in this block, with some to spare for rounding."""
    wanted = 2 * k + 8
    n = scores.shape[1]
    at = np.argpartition(scores, n - wanted, axis=1)[:, n - wanted :] if n > wanted else None
    columns = np.repeat(np.arange(n)[None], len(scores), axis=0) if at is None else at
    ids = np.concatenate([kept, columns + start], axis=1)
    values = np.concatenate([best, np.take_along_axis(scores, columns, axis=1)], axis=1)
    if ids.shape[1] > wanted:
        order = np.argpartition(values, values.shape[1] - wanted, axis=1)[:, -wanted:]
        ids, values = (np.take_along_axis(array, order, axis=1) for array in (ids, values))
    return ids, values


def _sorted(
    scores: _Scores, numbers: Int[np.ndarray, " some"], kept: Int[np.ndarray, "some kept"], k: int
) -> Int[np.ndarray, "some k"]:
    """Return the `k` nearest of the kept rows by scores in float64, equal scores by number."""
    nearest = np.full((len(numbers), k), -1, dtype=np.int64)
    if not k:
        return nearest
    kept = np.sort(kept, axis=1)
    exact = scores.pair_scores(np.repeat(numbers, kept.shape[1]), kept.ravel()).reshape(kept.shape)
    order = np.argsort(-exact, axis=1, kind="stable")[:, :k]
    rows = np.take_along_axis(kept, order, axis=1)
    rows[np.isneginf(np.take_along_axis(exact, order, axis=1))] = -1
    nearest[:, : rows.shape[1]] = rows
    return nearest


def _values(
    scores: _Scores, nearest: Int[np.ndarray, "n k"], nearness: Nearness
) -> Float[np.ndarray, "n k"]:
    """Return the nearness of the nearest rows; NaN without a row."""
    number = np.repeat(np.arange(len(nearest)), nearest.shape[1])
    row = nearest.ravel()
    known = row >= 0
    values = np.full(len(row), np.nan)
    if nearness == "euclidean_distance":
        shifted = scores.table[row[known]] + scores.shift[scores.shift_of[number[known]]]
        values[known] = norms(scores.x[number[known]] - shifted)
    else:
        values[known] = scores.pair_scores(number[known], row[known])
    return values.reshape(nearest.shape)


def _check(own: Int[np.ndarray, " n"], n_rows: int, shift: object, shift_of: object) -> None:
    if len(own) and not 0 <= own.min() <= own.max() < n_rows:
        raise ValueError(f"own: expected numbers of rows, 0 to {n_rows - 1}")
    if (shift is None) != (shift_of is None):
        raise ValueError("shift and shift_of: expected both or neither")
