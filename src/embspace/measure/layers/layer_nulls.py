"""Draws the null values of a layer's measures, by the nulls of their family."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from embspace.clouds.layers import LayerCloud
from embspace.files.tables import Row
from embspace.geometry.inference.null_clouds import (
    NULLS_OF_FAMILY,
    draws_of,
    exchanged_between_texts,
)
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.inference.shared_inputs import applicable, defined_results_of, inputs_of
from embspace.geometry.measures.declaration import Definition, value_of
from embspace.geometry.measures.registry import definitions
from embspace.measure.layers.layer_batches import batches_of
from embspace.measure.layers.layer_protocol import Protocol, drawn_measures

DRAWN = ["null_mean", "null_smallest", "null_largest"]


def null_rows(
    cloud: LayerCloud,
    values: Mapping[str, float],
    protocol: Protocol,
    rng: np.random.Generator,
) -> Iterator[Row]:
    """Yield the measures under their families' nulls, over draws; for neighbors, a batch per draw.

    `values` are the cloud's own. If a null has only some of the vectors, the value is computed
    again for these vectors.
    """
    all_measures = applicable(drawn_measures(protocol), groups_of(cloud), {})
    batches = batches_of(cloud, protocol.batch_size, rng)[: protocol.n_null_draws]
    parts = [cloud.among(rows) for rows in batches]
    for null in dict.fromkeys(
        null for measure in all_measures for null in NULLS_OF_FAMILY[measure.family]
    ):
        measures = [measure for measure in all_measures if null in NULLS_OF_FAMILY[measure.family]]
        is_unitless = all("scale" in measure.invariant_to for measure in measures)
        if null == "isotropic_gaussian" and is_unitless:
            nulls = _isotropic_values(measures, cloud, protocol)
        else:
            draws = [draws_of(null, part.x) for part in parts]
            turns = [number % len(parts) for number in range(protocol.n_null_draws)]
            nulls = [
                values_of(measures, replace(parts[turn], x=draws[turn](rng))) for turn in turns
            ]
        facts = {"null": null, "n": len(parts[0].x), "n_draws": protocol.n_null_draws}
        for measure in measures:
            drawn = [draw[measure.name] for draw in nulls]
            yield {"measure": measure.name, **facts, **null_facts(values[measure.name], drawn)}
    if "context" in protocol.families and cloud.word is not None:
        yield from _exchanged(cloud, all_measures, protocol, rng)


def _isotropic_values(
    measures: Sequence[Definition], cloud: LayerCloud, protocol: Protocol
) -> Sequence[dict[str, float]]:
    """Return values for all layers alike: for measures without a unit, only the size counts."""
    shape = [str(number) for number in cloud.x.shape]
    seed = int(stream_of(protocol.rng, "isotropic_gaussian", *shape).integers(2**32))
    names = tuple(measure.name for measure in measures)
    return _drawn_once(names, *cloud.x.shape, protocol.n_null_draws, seed)


@lru_cache(maxsize=16)
def _drawn_once(
    names: tuple[str, ...], n: int, dim: int, n_draws: int, seed: int
) -> Sequence[dict[str, float]]:
    rng, measures = np.random.default_rng(seed), [definitions()[name] for name in names]
    text = np.arange(n)
    clouds = (LayerCloud(rng.normal(size=(n, dim)), text, None, None) for _ in range(n_draws))
    return [values_of(measures, cloud) for cloud in clouds]


def null_facts(value: float, drawn: Sequence[float]) -> Row:
    """Return a value beside the mean, the smallest and the largest of the draws of its null."""
    facts = (np.mean(drawn), np.min(drawn), np.max(drawn))
    return {"value": value, **dict(zip(DRAWN, map(float, facts), strict=True))}


def values_of(measures: Sequence[Definition], cloud: LayerCloud) -> dict[str, float]:
    """Return the measures of a cloud by name; NaN for a measure that needs more vectors."""
    groups = groups_of(cloud)
    results = defined_results_of(measures, inputs_of(cloud.x, measures, groups, {}), groups, {})
    return {name: value_of(result) for name, result in results.items()}


def groups_of(cloud: LayerCloud) -> dict[str, np.ndarray]:
    """Return the groups for measures of context: the text, and the word if it is known."""
    return {"text": cloud.text} | ({} if cloud.word is None else {"word": cloud.word})


def _exchanged(
    cloud: LayerCloud,
    measures: Sequence[Definition],
    protocol: Protocol,
    rng: np.random.Generator,
) -> Iterator[Row]:
    """Yield nulls with tokens exchanged between texts, within one word and band of positions.

    There are no rows if no token can be exchanged. Only measures grouped by text have this null: an
    exchange within a word does not change measures grouped by word.
    """
    measures = [measure for measure in measures if measure.grouped_by == "text"]
    assert cloud.word is not None and cloud.position is not None  # as tokens have them
    band = cloud.position // protocol.position_band
    pairs = []
    for _ in range(protocol.n_null_draws):
        x, moved = exchanged_between_texts(cloud.x, cloud.word, band, cloud.text, rng)
        if not moved.any():
            return
        versions = [version.among(moved) for version in (cloud, replace(cloud, x=x))]
        pairs.append([values_of(measures, version) for version in versions])
    facts = {"null": "exchanged_between_texts", "n": int(moved.sum()), "n_draws": len(pairs)}
    for measure in measures:
        value = float(np.mean([own[measure.name] for own, _ in pairs]))
        drawn = [null[measure.name] for _, null in pairs]
        yield {"measure": measure.name, **facts, **null_facts(value, drawn)}
