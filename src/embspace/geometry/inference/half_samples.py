"""Measures of the vectors of texts, with intervals over texts and what fewer texts would give."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.inference.shared_inputs import (
    Groupings,
    Inputs,
    Options,
    Result,
    applicable,
    inputs_of,
    inputs_of_graph,
    made_of,
    n_neighbors,
    results_of,
)
from embspace.geometry.measures import declaration as declared
from embspace.geometry.measures.declaration import (
    OF_NEIGHBORS,
    Definition,
    Estimate,
    Shared,
    value_of,
)
from embspace.geometry.measures.direction_sums import direction_sums_of
from embspace.geometry.measures.registry import definitions
from embspace.geometry.measures.texts.text_cosines import text_cosines_of
from embspace.geometry.measures.texts.text_curvature import text_angles_of
from embspace.geometry.measures.texts.text_entropy import text_entropies_of
from embspace.geometry.measures.unit_sums import UnitMoments, UnitSums
from embspace.geometry.measures.word_directions import UnitWordDirections
from embspace.geometry.pairs.door import takes_arrays
from embspace.geometry.pairs.graph_among import graph_among
from embspace.geometry.pairs.moments import moments_of
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of
from embspace.geometry.pairs.types import Vectors

GroupNumbers = Int[np.ndarray, " n"]
MOST_UNITS = 200  # texts hang together in so many units at most
FEWEST_UNITS = 4
MOST_SPARE = 100  # neighbors that are looked up beyond twice as many as are needed
OF_TEXTS: dict[Shared, Callable[[Any, Any], Any]] = {
    "text_cosines": text_cosines_of,
    "text_angles": text_angles_of,
    "text_entropies": text_entropies_of,
}
MOST_NUMBERS = 2**25  # that sums of units, and those of halves, may hold: 256 MB
MOST_HELD = 2**24  # of sums of units, where all of them are more than that
UNIT_COST = 200  # vectors whose products take as long as to keep those of a unit apart, measured
BLOCK = 16  # halves whose sums are held at once


@dataclass(frozen=True)
class TextEstimate:
    """A measure of the vectors of some texts, and how far as many new texts would move it."""

    value: float
    low: float
    """Lower bound for the mean over as many new texts, at the given level."""
    high: float
    standard_error: float
    """Standard deviation over as many new texts."""
    n: int
    """Vectors."""
    n_texts: int
    dropped: int
    """Vectors that the measure left out, as its definition says."""
    of_half: float
    """Mean of the measure over halves of the texts; twice that of a sum over vectors."""
    converged: bool
    """Whether halves give the same value, up to the tolerance or what chance moves it."""


@takes_arrays()
def estimate_over_texts(
    x: Vectors,
    text: GroupNumbers,
    *,
    word: GroupNumbers | None = None,
    measures: Sequence[Definition] | None = None,
    options: Options | None = None,
    n_half_samples: int = 200,
    level: float = 0.95,
    tolerance: float = 0.05,
    rng: np.random.Generator,
) -> dict[str, TextEstimate]:
    """Estimate every measure of the vectors `x`, (n, dim), with an interval over texts `text`.

    Texts, not vectors, are independent. The interval is by half-samples of the texts without
    replacement (Politis and Romano 1994, Annals of Statistics 22): halves scatter about their own
    mean as the whole does about the expectation, and the bias of fewer vectors moves no bound. The
    width is the standard deviation of halves times Student's quantile, with the degrees of freedom
    from the texts and the drawn halves. Bounds are NaN with fewer than 4 texts, and for a measure
    defined in fewer than two halves. More than 200 texts are joined to 200 units.

    A measure is `converged` if halves differ from the whole by no more than the share `tolerance`,
    or by no more than twice the error of their mean. `measures` are, by default, all profiled
    measures of this library and of declarations elsewhere; `options` has options of single
    measures, by name. A measure without the needed `word`, or option, is left out.

    Raises:
        ValueError: as `takes_arrays`, if `x` is no array of vectors, `text` or `word` have a
            different length, `level` is not between 0 and 1, or a measure, named in the message, is
            undefined for so few vectors.
    """
    if not 0 < level < 1:
        raise ValueError(f"level: expected a share between 0 and 1, found {level}")
    groups = {"text": text} if word is None else {"text": text, "word": word}
    options = options or {}
    if measures is None:
        by_name = {**definitions(), **declared.DEFINED}
        measures = [measure for measure in by_name.values() if measure.profiled]
    chosen = applicable(measures, groups, options)
    unit = units_of(text)
    n_units = int(unit.max()) + 1
    halves = half_units(n_units, n_half_samples, rng)
    units = _UnitsOfTexts(x, unit, halves, groups, chosen, options) if len(halves) else None
    known = units.whole_inputs() if units else {}
    whole = results_of(chosen, inputs_of(x, chosen, groups, options, known), groups, options)
    drawn = units.half_values() if units else np.empty((0, len(chosen)))
    counts = {"n": len(x), "n_texts": len(np.unique(text)), "n_units": n_units}
    return {
        name: text_estimate(result, half_values, **counts, level=level, tolerance=tolerance)
        for (name, result), half_values in zip(whole.items(), drawn.T, strict=True)
    }


def units_of(text: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
    """Return the number of every vector's unit, from 0: its text, or one of 200 joints of texts."""
    number = np.unique(text, return_inverse=True)[1]
    n_texts = int(number.max()) + 1
    return number * min(n_texts, MOST_UNITS) // n_texts


def half_units(
    n_units: int, n_half_samples: int, rng: np.random.Generator
) -> Bool[np.ndarray, "half unit"]:
    """Return the units of every half, as masks; every half is followed by its complement.

    None with fewer than 4 units. For an odd number, half and complement differ by 1.
    """
    if n_units < FEWEST_UNITS:
        return np.zeros((0, n_units), dtype=bool)
    ranks = [rng.permutation(n_units) for _ in range(-(-n_half_samples // 2))]
    first = np.array(ranks) < n_units // 2
    return np.stack([first, ~first], axis=1).reshape(-1, n_units)[:n_half_samples]


def with_spare(k: int) -> int:
    """Return how many neighbors to look up so that nearly all of a half find k among the half."""
    return min(4 * k, 2 * k + MOST_SPARE)


def half_sample_error(drawn: Float[np.ndarray, "half ..."], n_units: int) -> Any:
    """Return the standard error of the whole, from the scatter of halves about their own mean.

    In `drawn` a half is accompanied by its complement. With s the standard deviation of a unit, a
    mean of b units of n varies about the mean of all by s^2 (1/b - 1/n), and the mean of all by s^2
    / n: equal if b is a half. NaN with fewer than two halves.
    """
    error = np.full(drawn.shape[1:], np.nan)
    defined = (~np.isnan(drawn)).sum(axis=0) > 1
    if defined.any():
        sizes = np.array([n_units // 2, n_units - n_units // 2])  # that take turns
        inflation = (n_units / sizes - 1).mean()
        error[defined] = np.nanstd(drawn[:, defined], axis=0) / np.sqrt(inflation)
    return error


def student_quantile(n_units: int, n_halves: int, level: float) -> float:
    """Return the number of standard errors from the value to a bound.

    A variance of n units has n - 1 degrees of freedom. The draw of halves is chance, too: a pair of
    half and complement adds one squared difference. Relative variances, 2 over the degrees of
    freedom, add up.
    """
    from scipy.special import stdtrit  # scipy.stats takes seconds to import

    n_pairs = max(n_halves / 2, 1)
    freedom = 1 / (1 / max(n_units - 1, 1) + 1 / n_pairs)
    return float(stdtrit(freedom, (1 + level) / 2))


class _UnitsOfTexts:
    """Vectors in units of texts, and the measures' shared sums, by unit."""

    def __init__(
        self,
        x: Vectors,
        unit: Int[np.ndarray, " n"],
        halves: Bool[np.ndarray, "half unit"],
        groups: Groupings,
        measures: Sequence[Definition],
        options: Options,
    ) -> None:
        self.x, self.groups, self.measures, self.options = x, groups, measures, options
        self._halves = halves
        order = np.argsort(unit, kind="stable")
        self.units = np.split(order, np.flatnonzero(np.diff(unit[order])) + 1)
        self._kinds = {measure.shared for measure in measures}
        self._sums: dict[Shared | None, UnitSums[Any] | UnitMoments | UnitWordDirections] = {}
        self._n_at_once = BLOCK
        if "directions" in self._kinds:
            self._sums["directions"] = UnitSums([direction_sums_of(x[rows]) for rows in self.units])
        if "moments" in self._kinds:
            self._keep_moments()
        if "word_directions" in self._kinds:
            self._sums["word_directions"] = UnitWordDirections(x, unit, groups["word"])
        for kind in [kind for kind in OF_TEXTS if kind in self._kinds]:
            text, sums_of = groups["text"], OF_TEXTS[kind]
            self._sums[kind] = UnitSums([sums_of(x[rows], text[rows]) for rows in self.units])
        if self._kinds & OF_NEIGHBORS:
            self._k = n_neighbors(measures, options)
            self._graph = neighbor_graph_of(x, min(with_spare(self._k), len(x) - 1))
        self._in_turn = self._sums_in_turn()

    def _keep_moments(self) -> None:
        """Keep sums of products by unit, or add the sums up unit by unit, whichever is quicker."""
        n, dim, n_units = *self.x.shape, len(self.units)
        n_halves = len(self._halves)
        fit = n_units * dim**2 <= MOST_NUMBERS
        n_at_once = BLOCK if fit else MOST_NUMBERS // dim**2
        # Units that do not fit are looked at for the whole and some halves, and again for others.
        n_looks = 1 if fit else -(-(1 + n_halves) // max(n_at_once, 1))
        if n_looks * (n + UNIT_COST * n_units) >= n_halves * n / 2:
            return
        self._n_at_once = n_at_once
        # The whole's origin by default, so that equal rows have exact zeros here, too.
        origin = self.x[0]
        if fit:
            unit_moments = [moments_of(self.x[rows], origin) for rows in self.units]
            self._sums["moments"] = UnitSums(unit_moments)
        else:
            self._sums["moments"] = UnitMoments(self.x, self.units, origin, MOST_HELD)

    def whole_inputs(self) -> Inputs:
        """Return the inputs of the measures, from all units, as far as units give them."""
        known = dict(next(self._in_turn))
        if self._kinds & OF_NEIGHBORS:
            graph = self._graph.first(min(self._k, len(self.x) - 1))
            known |= inputs_of_graph(self.x, graph)
        return known

    def half_values(self) -> Float[np.ndarray, "half measure"]:
        """Every measure of the units of every half, after `whole_inputs`; NaN with too few vectors.

        The sums of the first halves come from the same pass as the whole.
        """
        values = np.empty((len(self._halves), len(self.measures)))
        for number, sums in enumerate(self._in_turn):
            units = np.flatnonzero(self._halves[number])
            rows = np.sort(np.concatenate([self.units[unit] for unit in units]))
            groups = {name: group[rows] for name, group in self.groups.items()}
            inputs = self._inputs(rows, groups, sums)
            values[number] = [
                self._value(measure, inputs, groups, len(rows)) for measure in self.measures
            ]
        return values

    def _sums_in_turn(self) -> Iterator[Inputs]:
        """The sums of the whole, then of each half; of some at a time."""
        whole = np.ones((1, len(self.units)), dtype=bool)
        chosen = np.concatenate([whole, self._halves])
        for first in range(0, len(chosen), self._n_at_once):
            block = chosen[first : first + self._n_at_once]
            sums = {kind: unit_sums.of(block) for kind, unit_sums in self._sums.items()}
            for number in range(len(block)):
                yield {kind: chosen_sums[number] for kind, chosen_sums in sums.items()}

    def _inputs(self, rows: Int[np.ndarray, " row"], groups: Groupings, sums: Inputs) -> Inputs:
        """Return the arguments of the measures for some rows."""
        inputs: dict[Shared | None, Any] = {**sums}
        lacking = self._kinds - sums.keys() - OF_NEIGHBORS
        if lacking:
            part = inputs[None] = self.x[rows]
            inputs = made_of(part, lacking, groups, inputs)
        if self._kinds & OF_NEIGHBORS:
            k = min(self._k, len(rows) - 1)
            among = graph_among(self._graph, self.x, rows, k)
            inputs |= inputs_of_graph(self.x[rows], among)
        return inputs

    def _value(self, measure: Definition, inputs: Inputs, groups: Groupings, n: int) -> float:
        try:
            result = results_of([measure], inputs, groups, self.options)[measure.name]
        except ValueError:  # of so few vectors, for all of them have the measure
            return float("nan")
        return value_of(result) * (len(self.x) / n if measure.is_sum else 1)


def text_estimate(
    whole: Result,
    drawn: Float[np.ndarray, " half"],
    *,
    n: int,
    n_texts: int,
    n_units: int,
    level: float,
    tolerance: float,
) -> TextEstimate:
    """Return the estimate of a measure from all units and halves; see `estimate_over_texts`."""
    value, error = value_of(whole), float(half_sample_error(drawn, n_units))
    defined = drawn[~np.isnan(drawn)]
    reach = error * student_quantile(n_units, len(defined), level)
    half_mean = float(defined.mean()) if len(defined) else float("nan")
    by_chance = 2 * float(defined.std()) / np.sqrt(len(defined)) if len(defined) else 0.0
    return TextEstimate(
        value=value,
        low=value - reach,
        high=value + reach,
        standard_error=error,
        n=whole.n if isinstance(whole, Estimate) else n,
        n_texts=n_texts,
        dropped=whole.dropped if isinstance(whole, Estimate) else 0,
        of_half=half_mean,
        converged=bool(abs(value - half_mean) <= max(tolerance * abs(value), by_chance)),
    )
