"""Describes a table of position embeddings around every position: outliers and features.

Everything is local: a position is compared with its neighbors along the axis, so that a table may
have parts of different nature, each measured by its own standard.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from embspace.geometry.pairs.directions import norms, unit_rows

MAD_TO_DEVIATION = 1.4826  # median absolute deviation to standard deviation, of a Gaussian
SMALLEST_SCALE = 1e-6  # float32 cosines that should be equal differ by less


def offset_cosines(x: Float[np.ndarray, "n dim"], offset: int) -> Float[np.ndarray, " pair"]:
    """Return the cosines of rows i and i + `offset`, by i; 0 where a row is zero.

    Raises:
        ValueError: `offset` under 1.
    """
    if offset < 1:
        raise ValueError(f"offset: expected at least 1, found {offset}")
    unit = unit_rows(x.astype(np.float64))
    return _offset_products(unit, offset)


def _offset_products(x: np.ndarray, offset: int) -> np.ndarray:
    return np.einsum("ij,ij->i", x[:-offset], x[offset:])


@dataclass(frozen=True, eq=False)
class Outlyingness:
    """The distance of every position from its surroundings."""

    neighbor_cosine: Float[np.ndarray, " n"]
    """The larger of the cosines with the position before and the one after, in [-1, 1]."""
    score: Float[np.ndarray, " n"]
    """That cosine less the median around, in robust standard deviations; of the two sides, the
    larger."""
    outlying: Bool[np.ndarray, " n"]


def outlying_positions(
    x: Float[np.ndarray, "n dim"], *, window: int, threshold: float
) -> Outlyingness:
    """Return single positions that do not belong to the surrounding table.

    A position is outlying if the larger neighbor cosine is small in two ways: more than `threshold`
    robust standard deviations (1.4826 times the median absolute deviation) under the median of the
    surroundings, and under the median cosine of positions two apart. The first criterion alone
    would find the slightest kink of a smooth table, the second alone a quarter of all random
    vectors. Surroundings are the `window` positions before and the `window` positions after; the
    position must stand apart from both. An end has a single neighbor: if the neighbor is outlying,
    the end cannot be told apart, and both are named.

    Args:
        x: One row a position, in order; at least 6 rows, with 3 on one side of any row.
        window: Positions on a side for the medians; 3 at least.
        threshold: In standard deviations.

    Raises:
        ValueError: fewer than 6 rows, or a smaller window.
    """
    if len(x) < 6 or window < 3:
        raise ValueError(f"expected at least 6 rows and a window of 3, found {len(x)}, {window}")
    beside, skipping = offset_cosines(x, 1), offset_cosines(x, 2)
    nearest = np.maximum(np.append(-1, beside), np.append(beside, -1))
    skip = np.pad(skipping, 1, mode="edge")
    # Of the positions before and, all turned round, of those after.
    before = _surroundings(nearest, skip, window)
    after = _surroundings(nearest[::-1], skip[::-1], window)[:, ::-1]
    median, scale, typical_skip = np.stack([before, after], axis=1)
    scores = (nearest - median) / scale
    less_than_skip = nearest < typical_skip
    absent = np.isnan(scores)  # at an end there is one side alone
    outlying = (((scores < -threshold) & less_than_skip) | absent).all(axis=0)
    return Outlyingness(nearest, np.nanmax(scores, axis=0), outlying)


def _surroundings(nearest: np.ndarray, skip: np.ndarray, window: int) -> np.ndarray:
    """Median and robust deviation of `nearest`, median of `skip`, over the positions before each.

    NaN where fewer than 3 are before.
    """
    surroundings = np.full((3, len(nearest)), np.nan)
    for i in range(3, len(nearest)):
        before = slice(max(0, i - window), i)
        median = np.median(nearest[before])
        scale = MAD_TO_DEVIATION * np.median(np.abs(nearest[before] - median))
        surroundings[:, i] = median, max(scale, SMALLEST_SCALE), np.median(skip[before])
    return surroundings


@dataclass(frozen=True, eq=False)
class LocalFeatures:
    """The length of every position and its cosines with those a few steps on, standardized.

    In robust standard deviations from the median of the table, cut at a limit.
    """

    offsets: tuple[int, ...]
    """0 stands for the norm."""
    values: Float[np.ndarray, "feature n"]
    """Values of the pair that begins at a position; NaN without a pair."""

    def at_centers(self) -> Float[np.ndarray, "n feature"]:
        """Return every pair's value at the pair's center; missing values are interpolated."""
        n = self.values.shape[1]
        columns = []
        for offset, row in zip(self.offsets, self.values, strict=True):
            present = np.flatnonzero(np.isfinite(row))
            columns.append(np.interp(np.arange(n), present + offset / 2, row[present]))
        return np.column_stack(columns)


def local_features(
    x: Float[np.ndarray, "n dim"],
    left_out: Bool[np.ndarray, " n"],
    *,
    offsets: Sequence[int],
    limit: float,
) -> LocalFeatures:
    """Return the log norm, and the cosine with the position `offset` further on, for all `offsets`.

    Positions in `left_out`, and pairs with these positions, take no part.

    Raises:
        ValueError: an offset under 1, or an offset without a pair.
    """
    n = len(x)
    length = np.log(np.maximum(norms(x), np.finfo(np.float64).tiny))
    rows = [np.where(left_out, np.nan, length)]
    unit = unit_rows(x.astype(np.float64))
    for offset in offsets:
        row = np.full(n, np.nan)
        apart = left_out[:-offset] | left_out[offset:]
        row[:-offset] = np.where(apart, np.nan, _offset_products(unit, offset))
        rows.append(row)
    for offset, row in zip((0, *offsets), rows, strict=True):
        if not np.isfinite(row).any():
            raise ValueError(f"offsets: no pair of {n} positions is {offset} apart")
    standardized = [_standardized(row).clip(-limit, limit) for row in rows]
    return LocalFeatures((0, *offsets), np.array(standardized))


def _standardized(values: np.ndarray) -> np.ndarray:
    centered = values - np.nanmedian(values)
    scale = MAD_TO_DEVIATION * float(np.nanmedian(np.abs(centered)))
    return centered / max(scale, SMALLEST_SCALE)
