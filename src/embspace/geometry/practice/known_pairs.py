"""Precision and recall of a threshold of cosines at pairs known to be the same."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

LEVEL = 0.95


class Curve(NamedTuple):
    """Precision and recall by threshold, ascending; precision is NaN without a pair."""

    threshold: Float[np.ndarray, " threshold"]
    precision: Float[np.ndarray, " threshold"]
    recall: Float[np.ndarray, " threshold"]


class Range(NamedTuple):
    """The median over held-out halves, and the range of the middle 95 %."""

    value: float
    low: float
    high: float


class HeldOut(NamedTuple):
    """A threshold chosen on half of the units and tried on the remaining half."""

    threshold: Range
    precision: Range
    recall: Range
    n_reached: int
    """Halves in which a threshold has the wanted precision."""
    n_halves: int


@dataclass(frozen=True, eq=False)
class JudgedPairs:
    """Cosines of pairs of equal meaning and of all further pairs, with units."""

    same: Float[np.ndarray, " same"]
    same_units: Int[np.ndarray, "2 same"]
    other: Float[np.ndarray, " other"]
    other_units: Int[np.ndarray, "2 other"]
    n_units: int

    def among(self, chosen: Bool[np.ndarray, " unit"]) -> "JudgedPairs":
        """Return the pairs with both rows in chosen units."""
        same = chosen[self.same_units].all(axis=0)
        other = chosen[self.other_units].all(axis=0)
        return JudgedPairs(
            self.same[same],
            self.same_units[:, same],
            self.other[other],
            self.other_units[:, other],
            self.n_units,
        )


def judged_pairs(
    x: Float[np.ndarray, "n dim"],
    document: Int[np.ndarray, " n"],
    same: Bool[np.ndarray, "n n"],
    unit: Int[np.ndarray, " n"],
) -> JudgedPairs:
    """Return all pairs of rows of different documents, and all pairs in `same`.

    Rows without a direction are left out. Memory grows with all pairs.
    """
    from embspace.geometry.pairs.directions import unit_rows

    directions = unit_rows(np.asarray(x, dtype=np.float32))
    rows = np.flatnonzero((directions != 0).any(axis=1))
    first, second = np.triu_indices(len(rows), 1)
    first, second = rows[first], rows[second]
    cosine = (directions @ directions.T)[first, second]
    is_same = same[first, second]
    is_other = ~is_same & (document[first] != document[second])
    units = np.stack([unit[first], unit[second]])
    return JudgedPairs(
        cosine[is_same],
        units[:, is_same],
        cosine[is_other],
        units[:, is_other],
        int(unit.max()) + 1,
    )


def precision_and_recall(
    pairs: JudgedPairs, n_same: int, n_other: int, thresholds: Float[np.ndarray, " threshold"]
) -> Curve:
    """Return the curve of a collection of `n_same` and `n_other` pairs, by the rates of `pairs`.

    The number of other pairs grows with the square of the texts: half of a collection has a higher
    precision than the whole.
    """
    recall = _share_above(pairs.same, thresholds)
    hits, alarms = n_same * recall, n_other * _share_above(pairs.other, thresholds)
    total = hits + alarms
    precision = np.divide(hits, total, where=total > 0, out=np.full_like(total, np.nan))
    return Curve(thresholds, precision, recall)


def _share_above(
    values: Float[np.ndarray, " value"], thresholds: Float[np.ndarray, " threshold"]
) -> Float[np.ndarray, " threshold"]:
    ordered = np.sort(values)
    n = len(ordered)
    return (n - np.searchsorted(ordered, thresholds)) / n if n else np.full(len(thresholds), np.nan)


def held_out_threshold(
    pairs: JudgedPairs,
    wanted: float,
    *,
    sizes: tuple[int, int] | None = None,
    n_splits: int,
    rng: np.random.Generator,
) -> HeldOut:
    """Return the least threshold of the wanted precision, chosen on halves, tried on the rest.

    Halves are of units, and hold only pairs within. Precision is for a collection with `sizes`, the
    numbers of pairs in `same` and of other pairs; by default all of `pairs` together. A half has no
    threshold without a pair in `same`, or if no threshold keeps the precision at all higher
    thresholds.
    """
    thresholds = (
        np.unique(np.quantile(pairs.same, np.linspace(0, 1, 400)))
        if len(pairs.same)
        else np.empty(0)
    )
    sizes = (len(pairs.same), len(pairs.other)) if sizes is None else sizes
    tried_thresholds, n_halves = [], 0
    for _ in range(n_splits):
        first = rng.permutation(pairs.n_units) < pairs.n_units // 2
        halves = pairs.among(first), pairs.among(~first)
        for fitted, tried in (halves, halves[::-1]):
            if not len(fitted.same) or not len(tried.same):
                continue
            n_halves += 1
            curve = precision_and_recall(fitted, *sizes, thresholds)
            least = _least(curve, wanted)
            if least is not None:
                held = precision_and_recall(tried, *sizes, np.array([least]))
                tried_thresholds.append((least, held.precision[0], held.recall[0]))
    if not tried_thresholds:
        nothing = Range(*[float("nan")] * 3)
        return HeldOut(nothing, nothing, nothing, 0, n_halves)
    ranges = [_range(values) for values in np.array(tried_thresholds).T]
    return HeldOut(ranges[0], ranges[1], ranges[2], len(tried_thresholds), n_halves)


def _least(curve: Curve, wanted: float) -> float | None:
    """Return the least threshold with the wanted precision at and above the threshold."""
    is_below = np.nan_to_num(curve.precision, nan=1.0) < wanted
    place = len(is_below) - int(is_below[::-1].argmax()) if is_below.any() else 0
    if place >= len(is_below) or np.isnan(curve.precision[place]):
        return None
    return float(curve.threshold[place])


def _range(values: Float[np.ndarray, " half"]) -> Range:
    known = values[~np.isnan(values)]
    if not len(known):
        return Range(*[float("nan")] * 3)
    tail = (1 - LEVEL) / 2
    return Range(float(np.median(known)), *map(float, np.quantile(known, [tail, 1 - tail])))
