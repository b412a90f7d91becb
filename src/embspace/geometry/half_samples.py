"""Measures of the vectors of texts, with intervals over texts and what fewer texts would give."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.declared import DEFINED, Definition, Estimate, as_vectors, value_of
from embspace.geometry.direction_sums import direction_sums_of
from embspace.geometry.graph_among import graph_among
from embspace.geometry.moments import moments_of
from embspace.geometry.neighbor_graph import neighbor_graph_of
from embspace.geometry.together import (
    Groups,
    Options,
    Result,
    Vectors,
    applicable,
    inputs_of,
    n_neighbors,
    results_of,
)
from embspace.geometry.unit_sums import UnitSums

Rows = Int[np.ndarray, " row"]
MOST_UNITS = 200  # texts hang together in so many units at most: each keeps a matrix (dim, dim)
FEWEST_UNITS = 4
SPARE = 4  # times as many are looked up, so that halves find theirs among them


@dataclass(frozen=True)
class TextEstimate:
    """A measure of the vectors of some texts, and how far other such texts would move it."""

    value: float
    low: float
    """Of the interval that holds the mean over other such texts, as many, at the level asked."""
    high: float
    standard_error: float
    """Standard deviation over other such texts, as many."""
    n: int
    """Vectors."""
    n_texts: int
    dropped: int
    """Vectors that the measure left out, as its definition says."""
    of_half: float
    """Mean of the measure over halves of the texts; twice that of a sum over vectors."""
    converged: bool
    """Whether halves give the same, within the tolerance asked or what chance moves them."""


def estimate_over_texts(
    x: Any,
    text: Int[np.ndarray, " n"],
    *,
    word: Int[np.ndarray, " n"] | None = None,
    measures: Sequence[Definition] | None = None,
    options: Options | None = None,
    n_half_samples: int = 200,
    level: float = 0.95,
    tolerance: float = 0.05,
    rng: np.random.Generator,
) -> dict[str, TextEstimate]:
    """Every measure of the vectors `x`, (n, dim), of the texts that `text` numbers.

    Texts, not vectors, are what is independent. The interval is by half-samples of the texts
    without replacement (Politis and Romano 1994, Annals of Statistics 22): halves scatter about
    their own mean as the whole does about its expectation, so that what fewer vectors do to a
    measure moves no bound; their standard deviation times Student's quantile with as many degrees
    of freedom as there are texts less one. Bounds are NaN with fewer than 4 texts. Texts beyond
    200 are joined to units, of which halves are taken.

    A measure is `converged` if halves differ from the whole by no more than `tolerance` of it, or
    by no more than twice the error of their mean. `measures` are all that are declared, `options`
    what single ones take, by name; a measure that needs `word`, or an option, is left out without.

    Raises:
        ValueError: `x` is no array of vectors, or `text` or `word` do not number each of them.
    """
    x = as_vectors(x)
    groups: dict[str, Int[np.ndarray, " n"]] = {"text": text}
    groups |= {} if word is None else {"word": word}
    for name, group in groups.items():
        if group.shape != (len(x),):
            raise ValueError(f"{name}: expected {len(x)} numbers, found shape {group.shape}")
    options = options or {}
    known = DEFINED.values() if measures is None else measures
    chosen = applicable(known, groups, options)
    unit = units_of(text)
    n_texts, n_units = len(np.unique(text)), int(unit.max()) + 1
    halves = half_units(n_units, n_half_samples, rng)
    whole = results_of(chosen, inputs_of(x, chosen, options), groups, options)
    of_halves = _Cloud(x, unit, groups, chosen, options).measured(halves) if len(halves) else []
    return {
        name: text_estimate(
            found,
            np.array([value_of(half[name]) for half in of_halves]),
            len(x),
            n_texts,
            n_units,
            level,
            tolerance,
        )
        for name, found in whole.items()
    }


def units_of(text: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
    """The number from 0 of each vector's unit: its text, or one of 200 joints of several texts."""
    number = np.unique(text, return_inverse=True)[1]
    return number // -(-(int(number.max()) + 1) // MOST_UNITS)


def half_units(
    n_units: int, n_half_samples: int, rng: np.random.Generator
) -> Bool[np.ndarray, "half unit"]:
    """Which units are in each half; each half is followed by the other one.

    None with fewer than 4 units. Where their number is odd, the two differ by one.
    """
    if n_units < FEWEST_UNITS:
        return np.zeros((0, n_units), dtype=bool)
    ranks = [rng.permutation(n_units) for _ in range(-(-n_half_samples // 2))]
    first = np.array(ranks) < n_units // 2
    return np.stack([first, ~first], axis=1).reshape(-1, n_units)[:n_half_samples]


def half_sample_error(drawn: Float[np.ndarray, "half ..."], n_units: int) -> Any:
    """Standard error of the whole from the values of halves, whose mean may differ from it's.

    A half varies about the mean of halves by 1/b - 1/n times what one unit does, the whole by 1/n.
    NaN for what fewer than two halves have.
    """
    half = n_units // 2
    known = np.where(np.isnan(drawn), 0.0, 1.0)
    n_known = known.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.nansum(drawn, axis=0) / n_known
        variance = np.nansum(np.square(drawn - mean), axis=0) / (n_known - 1)
    return np.where(n_known > 1, np.sqrt(variance * half / max(n_units - half, 1)), np.nan)


class _Cloud:
    """Vectors in units of texts, and what measures share, by unit."""

    def __init__(
        self,
        x: Vectors,
        unit: Int[np.ndarray, " n"],
        groups: Groups,
        measures: Sequence[Definition],
        options: Options,
    ) -> None:
        self.x, self.groups, self.measures, self.options = x, groups, measures, options
        order = np.argsort(unit, kind="stable")
        self.units = np.split(order, np.flatnonzero(np.diff(unit[order])) + 1)
        kinds = {each.shared for each in measures}
        self._sums: dict[str, UnitSums[Any]] = {}
        if "directions" in kinds:
            self._sums["directions"] = UnitSums([direction_sums_of(x[rows]) for rows in self.units])
        if "moments" in kinds:
            origin = x.mean(axis=0)
            self._sums["moments"] = UnitSums([moments_of(x[rows], origin) for rows in self.units])
        if "neighbors" in kinds:
            self._k = n_neighbors(options)
            self._graph = neighbor_graph_of(x, min(SPARE * self._k, len(x) - 1))

    def measured(self, chosen: Bool[np.ndarray, "choice unit"]) -> list[dict[str, Result]]:
        """Every measure of each choice of units."""
        sums = {kind: each.of(chosen) for kind, each in self._sums.items()}
        return [
            self._of_choice(
                np.flatnonzero(choice), {kind: each[number] for kind, each in sums.items()}
            )
            for number, choice in enumerate(chosen)
        ]

    def _of_choice(self, units: Rows, sums: dict[str | None, Any]) -> dict[str, Result]:
        rows = np.sort(np.concatenate([self.units[unit] for unit in units]))
        inputs, kinds = dict(sums), {each.shared for each in self.measures}
        if None in kinds:
            inputs[None] = self.x[rows]
        if "neighbors" in kinds:
            k = min(self._k, len(rows) - 1)
            inputs["neighbors"] = graph_among(self._graph, self.x, rows, k)
        groups = {name: group[rows] for name, group in self.groups.items()}
        found = results_of(self.measures, inputs, groups, self.options)
        for each in self.measures:
            if each.is_sum:
                found[each.name] = value_of(found[each.name]) * len(self.x) / len(rows)
        return found


def text_estimate(
    whole: Result,
    drawn: Float[np.ndarray, " half"],
    n: int,
    n_texts: int,
    n_units: int,
    level: float,
    tolerance: float,
) -> TextEstimate:
    """What a measure of the whole and of halves of its units says; see `estimate_over_texts`."""
    value, error = value_of(whole), float(half_sample_error(drawn, n_units))
    reach = error * student_quantile(n_units, level)
    of_half = float(np.nanmean(drawn)) if not np.isnan(drawn).all() else float("nan")
    n_drawn = max(int((~np.isnan(drawn)).sum()), 1)
    by_chance = 2 * np.nanstd(drawn) / np.sqrt(n_drawn) if n_drawn > 1 else 0.0
    return TextEstimate(
        value=value,
        low=value - reach,
        high=value + reach,
        standard_error=error,
        n=whole.n if isinstance(whole, Estimate) else n,
        n_texts=n_texts,
        dropped=whole.dropped if isinstance(whole, Estimate) else 0,
        of_half=of_half,
        converged=bool(abs(value - of_half) <= max(tolerance * abs(value), by_chance)),
    )


def student_quantile(n_units: int, level: float) -> float:
    """How many standard errors an interval reaches on each side."""
    from scipy.special import stdtrit  # scipy.stats takes seconds to import

    return float(stdtrit(max(n_units - 1, 1), (1 + level) / 2))
