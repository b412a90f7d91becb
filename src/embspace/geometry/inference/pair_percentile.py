"""Ranks the cosine of two vectors among those of all pairs of rows of different texts."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.inference.half_samples import (
    FEWEST_UNITS,
    half_sample_error,
    half_units,
    student_quantile,
    units_of,
)
from embspace.geometry.pairs.directions import cosine_matrix, norms, unit_rows

STEPS = 10**6  # of a cosine of vectors in float32; finer ones tell rounding apart
ROUNDING = 1e-6  # of the largest length: what is shorter, as equal vectors less their mean, is 0
BLOCK_ROWS = 512  # of the cosines that are in memory at once
BLOCK_PAIRS = 128  # of them at once
MOST_PAIRS = 25_000  # that say how far another mean would move the percentile


@dataclass(frozen=True)
class PairPercentile:
    """Holds a cosine and its percentile among all pairs of rows of different texts."""

    cosine: float
    percentile: float
    """The share in 100 of pairs with a lower cosine, and half of those with the same; NaN: none."""
    low: float
    """The lower bound of the interval of the percentile, over texts."""
    high: float
    z: float
    """Standard deviations of the pairs' cosines above their mean; NaN if all are the same."""
    mean: float
    """The mean of the pairs' cosines."""
    standard_deviation: float
    n_pairs: int
    n_documents: int
    """Documents with a row of nonzero length."""


class _Rows(NamedTuple):
    """Vectors about the mean, by unit in ascending order, and the two compared vectors."""

    x: Float[np.ndarray, "n dim"]
    text: Int[np.ndarray, " n"]
    unit: Int[np.ndarray, " n"]
    weight: Float[np.ndarray, " n"]
    """The row's share of its text."""
    pair: Float[np.ndarray, "2 dim"]


def percentile_among_pairs(
    pair: Float[np.ndarray, "2 dim"],
    x: Float[np.ndarray, "n dim"],
    text: Int[np.ndarray, " n"],
    *,
    centered: bool,
    n_half_samples: int,
    level: float,
    rng: np.random.Generator,
) -> PairPercentile:
    """Return the percentile of a cosine of two vectors among all pairs of rows of different texts.

    No sampling: every pair counts. Cosines are rounded to six digits, to make equal cosines equal.
    A row of length zero has no cosine and is left out. The interval is over texts, with the two
    vectors fixed, by half-samples of at most 200 units of texts; NaN with fewer than 4. For extreme
    percentiles, two artificial texts are added, with all pairs lower and all pairs higher (as
    Agresti and Coull 1998, American Statistician 52, add successes and failures). The interval is
    about the share with both texts added, and holds the share itself.

    Args:
        pair: The two vectors.
        x: Of any lengths.
        text: The number of a row's text.
        centered: Whether to subtract the mean over texts first. The two vectors count as two texts,
            to be as near to the mean as any pair; the interval allows for a changed mean.
        n_half_samples: Number of halves.
        level: How often such intervals hold.
        rng: Draws the halves.
    """
    rows = _about_mean(np.array(pair, np.float64), x.astype(np.float64), text, centered)
    cosine = float(cosine_matrix(rows.pair)[0, 1])
    sums = _sums_by_units(cosine, rows)
    n, lower, excess, squared = sums.sum(axis=(1, 2)) / 2  # each pair stands there twice
    n_documents = len(np.unique(rows.text))
    if not n or np.isnan(cosine):
        nan = float("nan")
        return PairPercentile(cosine, nan, nan, nan, nan, nan, nan, 0, n_documents)
    extended = _with_extremes(sums[:2], np.unique(rows.unit, return_counts=True)[1], n_documents)
    halves = half_units(extended.shape[1], n_half_samples, rng)
    half_shares = _lower_in(extended, halves)
    if centered:
        half_shares += _shifts_by_mean(rows, halves[:, :-2], rng)
    share, deviation = float(lower / n), float(np.sqrt(max(squared / n - (excess / n) ** 2, 0)))
    middle = float(_lower_in(extended, np.ones((1, extended.shape[1]), dtype=bool))[0])
    low, high = _bounds(share, middle, half_shares, sums.shape[1], level)
    return PairPercentile(
        cosine=cosine,
        percentile=100 * share,
        low=100 * low,
        high=100 * high,
        z=-float(excess / n) / deviation if deviation else float("nan"),
        mean=cosine + float(excess / n),
        standard_deviation=deviation,
        n_pairs=int(n),
        n_documents=n_documents,
    )


def _about_mean(
    pair: Float[np.ndarray, "2 dim"],
    x: Float[np.ndarray, "n dim"],
    text: Int[np.ndarray, " n"],
    centered: bool,
) -> _Rows:
    """Return the vectors less the mean over texts, without those of length zero, by unit."""
    _, number, counts = np.unique(text, return_inverse=True, return_counts=True)
    weight, tiny = 1 / counts[number], ROUNDING * norms(np.concatenate([x, pair])).max()
    if centered:
        # Relative to one of them, so that equal rows leave exact zeros.
        x, pair = x - pair[0], pair - pair[0]
        mean = (weight @ x + pair.sum(axis=0)) / (len(counts) + 2)
        x, pair = x - mean, pair - mean
    pair[norms(pair) <= tiny] = 0
    has_direction = norms(x) > tiny
    x, text, weight = x[has_direction], text[has_direction], weight[has_direction]
    unit = units_of(text) if len(text) else text
    order = np.argsort(unit, kind="stable")
    return _Rows(x[order], text[order], unit[order], weight[order], pair)


def _sums_by_units(cosine: float, rows: _Rows) -> Float[np.ndarray, "4 unit unit"]:
    """Return sums over the pairs of rows of two units.

    The number of pairs, the number of lower pairs, excess over `cosine`, squared excess.
    """
    directions = unit_rows(rows.x)
    starts = np.flatnonzero(np.diff(rows.unit, prepend=-1))
    sums = np.zeros((4, len(starts), len(starts)))
    for first in range(0, len(directions), BLOCK_ROWS):
        block = slice(first, first + BLOCK_ROWS)
        # Whole numbers, so that equal ones are equal.
        steps = np.rint(STEPS * (directions[block] @ directions.T)) - np.rint(STEPS * cosine)
        lower, excess = (steps < 0) + (steps == 0) / 2, steps / STEPS
        values = np.stack([np.ones_like(excess), lower, excess, excess**2])
        values *= rows.text[block, None] != rows.text
        by_column = np.add.reduceat(values, starts, axis=2)
        for unit, row_sums in zip(rows.unit[block], by_column.swapaxes(0, 1), strict=True):
            sums[:, unit] += row_sums
    return sums


def _with_extremes(
    sums: Float[np.ndarray, "2 unit unit"], n_rows: Int[np.ndarray, " unit"], n_texts: int
) -> Float[np.ndarray, "2 unit_and_two unit_and_two"]:
    """Return the numbers of pairs and of lower pairs with two artificial units, a text each.

    The pairs of the first are all lower, the pairs of the second all higher; an artificial text has
    the average number of rows.
    """
    n = len(sums[0])
    extended = np.zeros((2, n + 2, n + 2))
    extended[:, :n, :n] = sums
    rows_of_text = n_rows.sum() / n_texts
    extended[0, n:, :n] = rows_of_text * n_rows
    extended[1, n, :n] = rows_of_text * n_rows
    extended[:, :n, n:] = extended[:, n:, :n].swapaxes(1, 2)
    extended[0, n, n + 1] = extended[0, n + 1, n] = rows_of_text**2
    extended[1, n, n + 1] = extended[1, n + 1, n] = rows_of_text**2 / 2
    return extended


def _lower_in(
    sums: Float[np.ndarray, "_ unit unit"], chosen: Bool[np.ndarray, "half unit"]
) -> Float[np.ndarray, " half"]:
    """Return the share of lower cosines among the pairs of which both lie in chosen units."""
    n, lower = (((chosen @ unit_sums) * chosen).sum(axis=1) for unit_sums in sums[:2])
    return np.divide(lower, n, where=n > 0, out=np.full(len(chosen), np.nan))


def _shifts_by_mean(
    rows: _Rows, chosen: Bool[np.ndarray, "half unit"], rng: np.random.Generator
) -> Float[np.ndarray, " half"]:
    """Return the shift of the share of lower cosines with a mean from chosen units only.

    Computed with the shift of further pairs: to first order, the result for a half.
    """
    i, j = _some_pairs(rows.text, rng)
    dot_products = np.einsum("ij,ij->i", rows.x[i], rows.x[j])
    # The first is the mean of all, which is 0 here; none chosen stands for that.
    units = np.concatenate([np.zeros((1, chosen.shape[1]), dtype=bool), chosen])
    weight = rows.weight * units[:, rows.unit]
    total = (weight.sum(axis=1) + 2)[:, None]
    shift = (weight @ rows.x + rows.pair.sum(axis=0)) / total
    shift[~np.any(units, axis=1)] = 0
    square = np.square(shift).sum(axis=1)
    along, lengths = _about_shifts(rows.x, shift, square)
    along_pair, lengths_pair = _about_shifts(rows.pair, shift, square)
    pair_cosine = (rows.pair[0] @ rows.pair[1] - along_pair.sum(axis=0)) / lengths_pair.prod(axis=0)
    n_lower = np.zeros(len(units))
    for first in range(0, len(i), BLOCK_PAIRS):
        block = slice(first, first + BLOCK_PAIRS)
        a, b = i[block], j[block]
        products = dot_products[block, None] - along[a] - along[b]
        n_lower += (products < pair_cosine * lengths[a] * lengths[b]).sum(axis=0)
    shares: np.ndarray = n_lower / len(i)
    return shares[1:] - shares[0]


def _about_shifts(
    x: Float[np.ndarray, "n dim"],
    shift: Float[np.ndarray, "half dim"],
    square: Float[np.ndarray, " half"],
) -> tuple[Float[np.ndarray, "n half"], Float[np.ndarray, "n half"]]:
    """Return what each row takes off dot products about a shift, and its length about the shift.

    The dot product of two rows about the shift is their dot product less what both take off.
    """
    along = x @ shift.T
    lengths = np.sqrt(np.square(norms(x))[:, None] - 2 * along + square)
    return along - square / 2, lengths


def _some_pairs(
    text: Int[np.ndarray, " n"], rng: np.random.Generator
) -> tuple[Int[np.ndarray, " pair"], Int[np.ndarray, " pair"]]:
    """Return all pairs of rows of different texts or, of very many, some at random."""
    n = len(text)
    if n * (n - 1) // 2 <= MOST_PAIRS:
        i, j = np.triu_indices(n, k=1)
    else:
        i, j = rng.integers(n, size=(2, MOST_PAIRS))
    apart = text[i] != text[j]
    return i[apart], j[apart]


def _bounds(
    lower: float,
    middle: float,
    half_shares: Float[np.ndarray, " half"],
    n_units: int,
    level: float,
) -> tuple[float, float]:
    """Return the bounds of a share of lower cosines about `middle`, that with two more texts."""
    if n_units < FEWEST_UNITS:
        return float("nan"), float("nan")
    n_defined = int((~np.isnan(half_shares)).sum())
    error = float(half_sample_error(half_shares, n_units + 2))
    reach = error * student_quantile(n_units + 2, n_defined, level)
    low, high = min(lower, middle - reach), max(lower, middle + reach)
    return max(low, 0.0), min(high, 1.0)
