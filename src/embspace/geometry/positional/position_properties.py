"""Measures how the likeness of position embeddings depends on place and offset.

Three properties that Wang et al. (2021), "On Position Embeddings in BERT", ICLR, name: translation
invariance, monotonicity and symmetry. The paper states them as conditions, true or false; here each
is a number, in a definition of our own. The likeness is the cosine.

Cosines come as a symmetric matrix, with NaN in the row and column of a vector without cosines, and
with the number of every row's position, in any order and with gaps. Shuffling these numbers is the
null of all three.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float, Int

Cosines = Float[np.ndarray, "n n"]
PositionNumbers = Int[np.ndarray, " n"]
Ranks = Int[np.ndarray, "n n"]
ByOffset = Float[np.ndarray, "offset position"]
PROPERTIES = ("translation_invariance", "monotonicity", "symmetry")
# Cosines of float64 vectors are off by some 1e-15: a smaller spread is none.
ROUNDING = 1e-12
# So many columns are compared at once, with as many rows and the window on both sides.
BLOCK_COLUMNS = 512


def cosines_by_offset(
    cosines: Cosines, positions: PositionNumbers, largest_offset: int
) -> ByOffset:
    """Return, at [m - 1, k], the cosine of positions k and k + m, m up to `largest_offset`.

    NaN where one of the two is missing or has no cosine.
    """
    span = int(positions.max(initial=-1)) + 1
    grid = np.full((span, span), np.nan)
    grid[np.ix_(positions, positions)] = cosines
    by_offset = np.full((largest_offset, span), np.nan)
    for offset in range(1, min(largest_offset + 1, span)):
        by_offset[offset - 1, : span - offset] = np.diagonal(grid, offset)
    return by_offset


def translation_invariance(by_offset: ByOffset) -> float:
    """Return the share of the cosines' variance explained by the offset alone, in [0, 1].

    From the result of `cosines_by_offset`: the variance between offsets over all variance (eta
    squared). 1 if the cosine depends on the offset alone, as in a Toeplitz matrix. Positions in
    random order have some (offsets - 1) / (pairs - 1), more with a few vectors unlike the rest. NaN
    if all cosines are equal.
    """
    present = np.isfinite(by_offset)
    n_pairs = present.sum(axis=1)
    occupied = n_pairs > 0
    if not occupied.any():
        return np.nan
    deviation = np.where(present, by_offset - by_offset[present].mean(), 0)
    total = np.square(deviation).sum()
    between = np.square(deviation.sum(axis=1)[occupied]) / n_pairs[occupied]
    return float(between.sum() / total) if total > n_pairs.sum() * ROUNDING**2 else np.nan


def symmetry(by_offset: ByOffset) -> float:
    """Return how alike the cosines at equal offsets forward and backward are, in [-1, 1].

    With c(i, j) the cosine of positions i and j: 1 - mean (c(i, i + m) - c(i, i - m))^2 over twice
    the variance of these cosines, over all i and m with both positions present: Fisher's intraclass
    correlation of the two cosines. 1 if every position is equally like the m-th position before and
    after; near 0 in random order. The offset's sign is tested, since c(i, j) = c(j, i) holds for
    any cosines; perfect translation invariance implies symmetry. NaN without any such i and m, or
    if all cosines are equal.
    """
    largest_offset, span = by_offset.shape
    pairs = [
        # c(i, i - m) = c(i - m, i), which is filed under i - m.
        (by_offset[m - 1, m : span - m], by_offset[m - 1, : span - 2 * m])
        for m in range(1, min(largest_offset, (span - 1) // 2) + 1)
    ]
    if not pairs:
        return np.nan
    both = np.concatenate([np.stack(pair) for pair in pairs], axis=1)
    both = both[:, np.isfinite(both).all(axis=0)]
    variance = both.var() if both.size else 0.0
    if variance <= ROUNDING**2:
        return np.nan
    return float(1 - np.square(both[0] - both[1]).mean() / (2 * variance))


def monotonicity(cosines: Cosines, positions: PositionNumbers, largest_offset: int) -> float:
    """Return the probability that the nearer of two positions is more similar.

    Over all triples of a position and two others on the same side of it, both at most
    `largest_offset` away; equal cosines count half. 1 if cosines fall with the distance, 0 if they
    rise; random order gives 0.5 on average. NaN without a triple.
    """
    cosines, positions = _defined(cosines, positions)
    return _monotonicity(*_row_ranks(cosines), positions, largest_offset)


def properties_by_window(
    cosines: Cosines, positions: PositionNumbers, largest_offsets: Sequence[int]
) -> Float[np.ndarray, "window property"]:
    """Return each of `PROPERTIES` of the pairs up to an offset apart, for all `largest_offsets`."""
    cosines, positions = _defined(cosines, positions)
    return _properties(cosines, *_row_ranks(cosines), positions, largest_offsets)


def shuffled_properties_by_window(
    cosines: Cosines,
    positions: PositionNumbers,
    largest_offsets: Sequence[int],
    *,
    n_shuffles: int,
    rng: np.random.Generator,
) -> Float[np.ndarray, "shuffle window property"]:
    """`properties_by_window` of the same vectors, with positions dealt out anew in every shuffle.

    On all cores.
    """
    from joblib import Parallel, delayed

    cosines, positions = _defined(cosines, positions)
    ranks, tied = _row_ranks(cosines)  # in a row the order of others changes, not their ranks
    shuffled = (rng.permutation(positions) for _ in range(n_shuffles))
    calls = (
        delayed(_properties)(cosines, ranks, tied, shuffle, largest_offsets) for shuffle in shuffled
    )
    return np.array(Parallel(n_jobs=-1, prefer="threads")(calls))


def _defined(
    cosines: Cosines, positions: PositionNumbers
) -> tuple[Float[np.ndarray, "k k"], Int[np.ndarray, " k"]]:
    """Return cosines and positions without the vectors that have no cosine."""
    defined = np.flatnonzero(~np.isnan(np.diagonal(cosines)))
    return cosines[np.ix_(defined, defined)], positions[defined]


def _properties(
    cosines: Cosines,
    ranks: Ranks,
    tied: bool,
    positions: PositionNumbers,
    largest_offsets: Sequence[int],
) -> Float[np.ndarray, "window property"]:
    by_offset = cosines_by_offset(cosines, positions, max(largest_offsets))
    return np.array(
        [
            (
                translation_invariance(by_offset[:largest]),
                _monotonicity(ranks, tied, positions, largest),
                symmetry(by_offset[:largest]),
            )
            for largest in largest_offsets
        ]
    )


def _monotonicity(
    ranks: Ranks, tied: bool, positions: PositionNumbers, largest_offset: int
) -> float:
    order = np.argsort(positions)
    numbers, n = positions[order], len(order)
    n_triples, concordant = 0, 0.0
    for start in range(0, n, BLOCK_COLUMNS):
        columns = slice(start, start + BLOCK_COLUMNS)
        ends = numbers[columns][[0, -1]] + [-largest_offset, largest_offset + 1]
        rows = slice(*np.searchsorted(numbers, ends))
        offset = numbers[rows, np.newaxis] - numbers[columns]
        near = np.abs(offset) <= largest_offset
        for side in (near & (offset > 0), near & (offset < 0)):
            others = side.sum(axis=0)
            n_triples += int((others * (others - 1) // 2).sum())
        block_ranks = ranks[np.ix_(order[columns], order[rows])].T
        signed = _signed(block_ranks, offset, near, outside=n + 1)
        concordant += _count_falling(signed, largest_offset, outside=n + 1, tied=tied)
    return concordant / n_triples if n_triples else np.nan


def _row_ranks(cosines: Cosines) -> tuple[Ranks, bool]:
    """Return ranks in every row, 1 to n, equal values alike; and whether a row has equal values."""
    order = np.argsort(cosines, axis=1)
    steps = np.diff(np.take_along_axis(cosines, order, axis=1), axis=1, prepend=-np.inf) > 0
    ranks = np.empty(cosines.shape, dtype=np.min_scalar_type(-len(cosines) - 2))
    np.put_along_axis(ranks, order, steps.cumsum(axis=1, dtype=ranks.dtype), axis=1)
    return ranks, not steps.all()


def _signed(
    ranks: Int[np.ndarray, "row column"],
    offset: Int[np.ndarray, "row column"],
    near: Bool[np.ndarray, "row column"],
    outside: int,
) -> Int[np.ndarray, "row column"]:
    """Return ranks: negative before the column's position, 0 at it, ±`outside` beyond the window.

    So a cell is larger than one further down just if both are in the window, on the same side of
    the column's position, and the nearer cell has the higher rank.
    """
    sign = np.sign(offset).astype(ranks.dtype)
    return np.ascontiguousarray(np.where(near, ranks, ranks.dtype.type(outside)) * sign)


def _count_falling(
    signed: Int[np.ndarray, "row column"], largest_offset: int, *, outside: int, tied: bool
) -> float:
    """Return the number of pairs in a column whose upper cell is larger; ties count half."""
    count = 0.0
    for step in range(1, min(largest_offset, len(signed))):
        upper, lower = signed[:-step], signed[step:]
        count += np.count_nonzero(upper > lower)
        if tied:
            count += np.count_nonzero((upper == lower) & (np.abs(lower) < outside)) / 2
    return count
