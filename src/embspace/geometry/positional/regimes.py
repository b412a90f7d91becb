"""Finds the places where a table changes along its axis, and how often chance finds any.

Segments of constant mean of standardized local features, least squares and a penalty for each
change: Killick, Fearnhead and Eckley (2012), "Optimal detection of changepoints with a linear
computational cost", JASA 107, by the library `ruptures` (Truong, Oudre and Vayatis, 2020).
Neighboring features are correlated, since vectors are, and a penalty for independent values would
cut every smooth table to pieces. The penalty therefore comes from stationary tables.

A large change widens the scale by which smaller ones are judged, and mixes the cosines of both
sides. Every regime is therefore tested again by itself, against stationary tables of its own.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float

from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.positional.position_features import LocalFeatures, local_features

BISECTIONS = 12  # of the logarithm of 1 to the total sum of squares: to some 0.3 per cent


@dataclass(frozen=True)
class Search:
    """The settings of the search for changes."""

    offsets: tuple[int, ...]
    """Offsets of the cosines, see `local_features`."""
    limit: float
    """Where features are cut, in robust standard deviations."""
    smallest_regime: int
    """Least number of positions of a regime."""
    n_simulations: int
    """Stationary tables a stretch."""


@dataclass(frozen=True)
class Regime:
    """Positions `begin` to `end` - 1, without a further change."""

    begin: int
    end: int
    silent_penalty: float
    """Largest penalty at which a change is found inside; NaN if it is too short for one."""
    penalty: float
    """Penalty of a change inside; a share `level` of stationary tables would just pass it."""
    next_p_value: float
    """Share of stationary tables, the given table included, with a change as large."""
    start_p_value: float = float("nan")
    """The p-value of the change at the start; NaN for the first regime."""


def find_regimes(
    x: Float[np.ndarray, "n dim"],
    left_out: Bool[np.ndarray, " n"],
    search: Search,
    *,
    level: float,
    rng: np.random.Generator,
    null: Float[np.ndarray, " simulation"] | None = None,
) -> tuple[Regime, ...]:
    """Cut a table at the changes, and every part again, until no part has a change at `level`.

    Simulates on all cores.

    Args:
        x: A row per position, in order.
        left_out: Positions that take no part.
        search: Of 1 / `level` - 1 simulations at least.
        level: Probability of a cut in a stationary stretch.
        rng: Draws the stationary tables.
        null: The result of `null_penalties` for the whole table, if already known.

    Raises:
        ValueError: too few simulations for the level.
    """
    whole = Regime(0, len(x), np.nan, np.nan, np.nan)
    if not is_long_enough(len(x), search):
        return (whole,)
    if null is None:
        null = null_penalties(x, left_out, search, rng)
    features = local_features(x, left_out, offsets=search.offsets, limit=search.limit)
    silent = silent_penalty(features, smallest_regime=search.smallest_regime)
    penalty = penalty_at(null, level)
    p_value = float((1 + np.sum(null >= silent)) / (1 + len(null)))
    whole = Regime(0, len(x), silent, penalty, p_value)
    starts = change_points(features, penalty=penalty, smallest_regime=search.smallest_regime)
    if p_value > level or not starts:
        return (whole,)
    regimes: list[Regime] = []
    for begin, end in pairwise([0, *starts, len(x)]):
        part_of_x, part_left_out = x[begin:end], left_out[begin:end]
        parts = find_regimes(part_of_x, part_left_out, search, level=level, rng=rng)
        for part in parts:
            start = part.start_p_value if part.begin or not begin else p_value
            moved = replace(part, begin=begin + part.begin, end=begin + part.end)
            regimes.append(replace(moved, start_p_value=start))
    return tuple(regimes)


def is_long_enough(n: int, search: Search) -> bool:
    """Whether `n` positions have room for two regimes."""
    return n >= 2 * search.smallest_regime + max(search.offsets)


def null_penalties(
    x: Float[np.ndarray, "n dim"],
    left_out: Bool[np.ndarray, " n"],
    search: Search,
    rng: np.random.Generator,
) -> Float[np.ndarray, " simulation"]:
    """`silent_penalty` of stationary tables with the cosines by offset of `x`; on all cores."""
    from joblib import Parallel, delayed

    kernel = stationary_kernel(x, left_out)
    tables = stationary_tables(kernel, x.shape[1], search.n_simulations, rng)
    simulated = simulated_features(tables, offsets=search.offsets, limit=search.limit)
    # Processes: the search for changes holds Python's lock.
    penalty = delayed(partial(silent_penalty, smallest_regime=search.smallest_regime))
    return np.array(Parallel(n_jobs=-1)(penalty(features) for features in simulated))


def penalty_at(null: Float[np.ndarray, " simulation"], level: float) -> float:
    """Return the penalty that a share `level` of stationary tables would just pass.

    Raises:
        ValueError: too few simulations for the level.
    """
    n_above = int((len(null) + 1) * level)
    if n_above < 1:
        raise ValueError(
            f"n_simulations: expected {np.ceil(1 / level) - 1:g} at least for the level {level:g}, "
            f"found {len(null)}"
        )
    return float(np.sort(null)[-n_above])


def change_points(
    features: LocalFeatures, *, penalty: float, smallest_regime: int
) -> tuple[int, ...]:
    """Return the first positions of all regimes but the first.

    A pair of positions blurs a change over the offset: every change is therefore moved, within the
    largest offset, to where the pairs on each side alone fit best.

    Args:
        features: Of n positions.
        penalty: Least reduction of the sum of squares by a change, in squared robust standard
            deviations.
        smallest_regime: Least number of positions of a regime. A table under twice as long has no
            change.
    """
    starts = _segments(features.at_centers(), penalty, smallest_regime)
    ends = [0, *starts, features.values.shape[1]]
    for number in range(1, len(ends) - 1):
        begin, start, end = ends[number - 1 : number + 2]
        ends[number] = _moved(features, begin, start, end, smallest_regime)
    return tuple(ends[1:-1])


def _segments(signal: np.ndarray, penalty: float, smallest_regime: int) -> list[int]:
    import ruptures

    if len(signal) < 2 * smallest_regime:
        return []
    # The linear kernel's cost is the sum of squares; `jump` of 1, so the optimum is exact.
    search = ruptures.KernelCPD(kernel="linear", min_size=smallest_regime, jump=1).fit(signal)
    return [int(end) for end in search.predict(pen=penalty)[:-1]]


def _moved(features: LocalFeatures, begin: int, start: int, end: int, smallest: int) -> int:
    reach = max(features.offsets)
    first = max(start - reach, begin + smallest)
    last = min(start + reach, end - smallest)
    if first > last:
        return start
    costs = [
        _cost(features, begin, candidate) + _cost(features, candidate, end)
        for candidate in range(first, last + 1)
    ]
    return first + int(np.argmin(costs))


def _cost(features: LocalFeatures, begin: int, end: int) -> float:
    """Sum of squares about the mean, of pairs that lie between `begin` and `end` alone."""
    total = 0.0
    for offset, row in zip(features.offsets, features.values, strict=True):
        inside = row[begin : max(begin, end - offset)]
        inside = inside[np.isfinite(inside)]
        total += float(np.sum((inside - inside.mean()) ** 2)) if len(inside) else 0.0
    return total


def silent_penalty(features: LocalFeatures, *, smallest_regime: int) -> float:
    """Return the smallest penalty at which no change is found, to half a per cent."""
    signal = features.at_centers()
    low, high = 0.0, float(np.log(1 + np.sum((signal - signal.mean(axis=0)) ** 2)))
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        changes = _segments(signal, np.expm1(middle), smallest_regime)
        low, high = (middle, high) if changes else (low, middle)
    return float(np.expm1(high))


def stationary_kernel(
    x: Float[np.ndarray, "n dim"], left_out: Bool[np.ndarray, " n"]
) -> Float[np.ndarray, " n"]:
    """Return the mean cosine of two positions by offset, 0 to n - 1; 0 where no pair is left."""
    unit = unit_rows(x.astype(np.float64))
    cosines = unit @ unit.T
    cosines[left_out] = cosines[:, left_out] = np.nan
    kernel = np.zeros(len(x))
    kernel[0] = 1
    for offset in range(1, len(x)):
        pair_cosines = np.diagonal(cosines, offset)
        pair_cosines = pair_cosines[np.isfinite(pair_cosines)]
        kernel[offset] = pair_cosines.mean() if len(pair_cosines) else 0
    return kernel


def stationary_tables(
    kernel: Float[np.ndarray, " n"], dim: int, n_tables: int, rng: np.random.Generator
) -> Iterator[Float[np.ndarray, "n dim"]]:
    """Yield Gaussian tables whose cosines depend on the offset alone: nothing changes along them.

    Columns are independent. Means over different numbers of pairs need not form a covariance:
    negative eigenvalues are set to 0 and the diagonal back to 1.
    """
    from scipy.linalg import toeplitz

    eigenvalues, vectors = np.linalg.eigh(toeplitz(kernel))
    root = vectors * np.sqrt(eigenvalues.clip(min=0))
    root /= np.linalg.norm(root, axis=1, keepdims=True)
    for _ in range(n_tables):
        yield root @ rng.normal(size=(len(kernel), dim))


def simulated_features(
    tables: Iterable[np.ndarray], *, offsets: Sequence[int], limit: float
) -> list[LocalFeatures]:
    """`local_features` of every table, nothing left out."""
    return [
        local_features(table, np.zeros(len(table), dtype=np.bool_), offsets=offsets, limit=limit)
        for table in tables
    ]
