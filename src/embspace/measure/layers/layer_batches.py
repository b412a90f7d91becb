"""Measures of neighbors, within disjoint batches of vectors."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from embspace.clouds.layers import LayerCloud
from embspace.files.tables import Row
from embspace.geometry.inference.half_samples import (
    TextEstimate,
    half_units,
    text_estimate,
    units_of,
    with_spare,
)
from embspace.geometry.inference.shared_inputs import (
    Result,
    defined_results_of,
    inputs_of_graph,
    n_neighbors,
)
from embspace.geometry.measures.declaration import Definition, Estimate, value_of
from embspace.geometry.measures.registry import definitions
from embspace.geometry.pairs.graph_among import graph_among
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of
from embspace.geometry.pairs.types import RowNumbers, Vectors
from embspace.measure.layers.layer_limits import within_range
from embspace.measure.layers.layer_protocol import Protocol, measures_of

SPREAD = "standard_deviation_over_batches"
IN_ORDER = "mean_over_batches_in_order"
FEWEST = 4  # distinct vectors of which neighbors say anything


def batches_of(cloud: LayerCloud, size: int | None, rng: np.random.Generator) -> list[RowNumbers]:
    """Return rows of disjoint batches of shuffled vectors; a single batch for up to `size` vectors.

    The last vectors, too few for a batch, are left out: in a small batch, neighbors are farther
    away.

    All vectors are shuffled, including those dropped as equal, and the dropped ones are then passed
    over: any order of the rest is equally likely. Which vectors are equal depends on a processor's
    rounding. One more vector moves only one vector from every later batch to the next, and leaves
    the order of the rest.
    """
    n = len(cloud.x)
    if size is None or n <= size:
        return [np.arange(n)]
    kept = np.ones(n, dtype=bool) if cloud.kept is None else cloud.kept
    order = rng.permutation(len(kept))
    order = (np.cumsum(kept) - 1)[order[kept[order]]]
    return [np.sort(order[first : first + size]) for first in range(0, n - size + 1, size)]


def in_order(x: Vectors, measure: str, size: int) -> Row:
    """Return mean and spread of a measure over batches of vectors, in the order of their texts.

    Batches are disjoint and have `size` vectors; the last one also has the rest.
    """
    starts = np.arange(1, max(len(x) // size, 1)) * size
    parts = np.split(x, starts)
    values = np.array([value_of(definitions()[measure].function(part)) for part in parts])
    return {
        "n_batches": len(parts),
        IN_ORDER: float(values.mean()),
        SPREAD: float(values.std()),
    }


def measures_of_batches(
    cloud: LayerCloud,
    protocol: Protocol,
    rng: np.random.Generator,
    *,
    with_slow: bool,
    n_batches: int | None = None,
) -> Iterator[Row]:
    """Yield the mean of every measure over batches, with its interval and its spread over batches.

    A half of the texts is a half of every batch, and the measure of a half is the mean over
    batches. `n_batches` at most; None: all. Measures under `few_batches` of the protocol have only
    the first batches. NaN for a measure that needs more neighbors than a batch has, and for all
    measures of fewer than 4 vectors. Equal vectors, which tell nothing about neighbors, are
    expected to be dropped before.
    """
    quick = measures_of(protocol, slow=False)
    measures = quick + (measures_of(protocol, slow=True) if with_slow else [])
    if len(cloud.x) < FEWEST:
        yield from _undefined(measures, cloud)
        return
    batches = batches_of(cloud, protocol.batch_size, rng)[:n_batches]
    unit = units_of(cloud.text)
    n_units = int(unit.max()) + 1
    halves = half_units(n_units, protocol.n_half_samples, rng)
    whole: list[dict[str, Result]] = []
    half_results: list[list[dict[str, Result]]] = []
    for number, rows in enumerate(batches):
        x, batch_units = cloud.x[rows], unit[rows]
        taken, half_measures = (_taken(some, number, protocol) for some in (measures, quick))
        k = n_neighbors(half_measures, {})
        n_looked_up = with_spare(k) if len(halves) else n_neighbors(taken, {})
        graph = neighbor_graph_of(x, min(n_looked_up, len(x) - 1))
        whole.append(_results(taken, x, graph))
        inside = [np.flatnonzero(half[batch_units]) for half in halves]
        half_results.append([_part_results(half_measures, x, graph, part, k) for part in inside])
    for measure in measures:
        numbers = [number for number, batch in enumerate(whole) if measure.name in batch]
        results = [whole[number][measure.name] for number in numbers]
        values = np.array([value_of(result) for result in results])
        drawn = [
            [value_of(half.get(measure.name, np.nan)) for half in half_results[number]]
            for number in numbers
        ]
        estimate = text_estimate(
            Estimate(
                value=float(values.mean()),
                standard_error=float("nan"),
                n=sum(len(batches[number]) for number in numbers),
                dropped=sum(getattr(result, "dropped", 0) for result in results),
            ),
            np.array(drawn).mean(axis=0),
            n=len(cloud.x),
            n_texts=len(np.unique(cloud.text)),
            n_units=n_units,
            level=protocol.level,
            tolerance=protocol.tolerance,
        )
        facts = {"n_batches": len(numbers), SPREAD: float(values.std())}
        yield {"measure": measure.name, **asdict(within_range(estimate, measure.name)), **facts}


def _taken(measures: Sequence[Definition], number: int, protocol: Protocol) -> Sequence[Definition]:
    """Return the measures that are taken in the batch with this number, counted from 0."""
    most = protocol.n_batches_of_changes
    if most is None or number < most:
        return measures
    return [measure for measure in measures if measure.name not in protocol.few_batches]


def _undefined(measures: Sequence[Definition], cloud: LayerCloud) -> Iterator[Row]:
    """Yield NaN for every measure of a cloud with too few vectors."""
    nothing = dict.fromkeys([field.name for field in fields(TextEstimate)], float("nan"))
    counts = {"n": len(cloud.x), "n_texts": len(np.unique(cloud.text)), "dropped": 0}
    facts = {"converged": False, "n_batches": 0, SPREAD: float("nan")}
    for measure in measures:
        yield {"measure": measure.name, **nothing, **counts, **facts}


def _part_results(
    measures: Sequence[Definition], x: np.ndarray, graph: Any, rows: RowNumbers, k: int
) -> dict[str, Result]:
    if len(rows) < 2:
        return {}
    among = graph_among(graph, x, rows, min(k, len(rows) - 1))
    return _results(measures, x[rows], among)


def _results(measures: Sequence[Definition], x: np.ndarray, graph: Any) -> dict[str, Result]:
    return defined_results_of(measures, inputs_of_graph(x, graph), {}, {})
