"""Many measures of a cloud, with shared inputs computed once."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from inspect import Parameter, signature
from types import MappingProxyType
from typing import Any

import numpy as np
from jaxtyping import Int

from embspace.geometry.measures.declaration import OF_NEIGHBORS, Definition, Estimate, Shared
from embspace.geometry.measures.direction_sums import direction_sums_of
from embspace.geometry.measures.texts.text_cosines import text_cosines_of
from embspace.geometry.measures.texts.text_curvature import text_angles_of
from embspace.geometry.measures.texts.text_entropy import text_entropies_of
from embspace.geometry.measures.word_axes import word_axes_of
from embspace.geometry.measures.word_directions import word_directions_of
from embspace.geometry.pairs.moments import moments_of
from embspace.geometry.pairs.neighbor_graph import VectorsAndNeighbors, neighbor_graph_of
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.types import Vectors

Result = float | Estimate
Groupings = Mapping[str, Int[np.ndarray, " n"]]  # by what measures are grouped by: word, text
Options = Mapping[str, Mapping[str, Any]]  # of measures by name, such as `k`
Inputs = Mapping[Shared | None, Any]  # what measures take, by what they share
# How that which measures share is made of vectors, their groups and what was made before it in this
# order; neighbors need their number.
MAKERS: Mapping[Shared, Callable[[Vectors, Groupings, Inputs], Any]] = {
    "directions": lambda x, *_: direction_sums_of(x),
    "moments": lambda x, *_: moments_of(x),
    "word_directions": lambda x, groups, _: word_directions_of(x, groups["word"]),
    "word_axes": lambda x, groups, made: word_axes_of(x, groups["word"], made.get("moments")),
    "text_cosines": lambda x, groups, _: text_cosines_of(x, groups["text"]),
    "text_angles": lambda x, groups, _: text_angles_of(x, groups["text"]),
    "text_entropies": lambda x, groups, _: text_entropies_of(x, groups["text"]),
}
N_NEIGHBORS = 20  # that are looked for if no measure asks for more
# The factor of an option that counts neighbors: gride needs 2k neighbors.
MULTIPLES = {"k": 2, "max_k": 1, "largest_k": 2}


def applicable(
    measures: Iterable[Definition], groups: Groupings, options: Options
) -> list[Definition]:
    """Return the measures with all needed inputs."""
    return [
        measure
        for measure in measures
        if (measure.grouped_by is None or measure.grouped_by in groups)
        and _required(measure) <= {*options.get(measure.name, {})}
    ]


def inputs_of(
    x: Vectors,
    measures: Sequence[Definition],
    groups: Groupings,
    options: Options,
    known: Inputs = MappingProxyType({}),
) -> Inputs:
    """Return the measures' inputs from `x`, (n, dim) in float64; some inputs may be `known`."""
    kinds = {measure.shared for measure in measures} - known.keys()
    inputs = made_of(x, kinds, groups, {None: x, **known})
    if kinds & OF_NEIGHBORS:
        k = min(n_neighbors(measures, options), len(x) - 1)
        inputs |= inputs_of_graph(x, neighbor_graph_of(x, k))
    return inputs


def made_of(
    x: Vectors, kinds: Collection[Shared | None], groups: Groupings, known: Inputs
) -> dict[Shared | None, Any]:
    """Return the `known` inputs and, of `kinds`, all inputs made of vectors alone."""
    inputs = dict(known)
    for kind, make in MAKERS.items():
        if kind in kinds:
            inputs[kind] = make(x, groups, inputs)
    return inputs


def inputs_of_graph(x: Vectors, graph: NeighborGraph) -> Inputs:
    """Return the inputs of measures of neighbors, from vectors and their graph."""
    return {None: x, "neighbors": graph, "vectors_and_neighbors": VectorsAndNeighbors(x, graph)}


def results_of(
    measures: Iterable[Definition], inputs: Inputs, groups: Groupings, options: Options
) -> dict[str, Result]:
    """Return every measure by name, from the result of `inputs_of`.

    Raises:
        ValueError: the error of a measure, after the measure's name.
    """
    results: dict[str, Result] = {}
    for measure in measures:
        group = {} if measure.grouped_by is None else {"group": groups[measure.grouped_by]}
        arguments = {**group, **options.get(measure.name, {})}
        try:
            results[measure.name] = measure.function(inputs[measure.shared], **arguments)
        except ValueError as error:
            raise ValueError(f"{measure.name}: {error}") from error
    return results


def defined_results_of(
    measures: Iterable[Definition], inputs: Inputs, groups: Groupings, options: Options
) -> dict[str, Result]:
    """Return `results_of`, with NaN for a measure undefined for so few vectors."""
    results: dict[str, Result] = {}
    for measure in measures:
        try:
            results |= results_of([measure], inputs, groups, options)
        except ValueError:
            results[measure.name] = float("nan")
    return results


def n_neighbors(measures: Iterable[Definition], options: Options) -> int:
    """Return how many neighbors the measures need, by their options or by default."""
    by_option = [
        MULTIPLES[name] * given[name]
        for given in options.values()
        for name in MULTIPLES.keys() & given.keys()
    ]
    usual = [_usual_neighbors(measure) for measure in measures]
    return max([N_NEIGHBORS, *by_option, *usual])


def _usual_neighbors(measure: Definition) -> int:
    """Return how many neighbors a measure needs by default."""
    times = {**MULTIPLES, "k": 1}
    defaults = {name: one.default for name, one in _parameters(measure).items() if name in times}
    return max((times[name] * n for name, n in defaults.items() if isinstance(n, int)), default=0)


def _required(measure: Definition) -> set[str]:
    """Return the options without a default."""
    given = {"group"} if measure.grouped_by else set()
    parameters = list(_parameters(measure).values())[1:]
    named = [one for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    return {one.name for one in named if one.default is one.empty} - given


def _parameters(measure: Definition) -> Mapping[str, Parameter]:
    return signature(measure.function).parameters
