"""Rows of tables on attention along a gene, with intervals over documents."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from embspace.files.tables import Row
from embspace.geometry.inference.resampling import Interval, stratified_interval
from embspace.measure.sequences.sequence_attention_maps import (
    OF_ATTENTION,
    OF_STATES,
    READERS,
    SequenceAttention,
)
from embspace.measure.sequences.sequence_classifiers import TRAINED
from embspace.measure.sequences.sequence_intervals import class_means, numbered
from embspace.measure.sequences.sequence_texts import PlacedSequences

HEAD = ("region", "reader", "layer", "head")


def region_rows(
    models: Sequence[SequenceAttention], placed: PlacedSequences, **options: Any
) -> Iterator[Row]:
    """A row per model, layer, head, reader and region: attention on the region over the rest.

    The ratio of means over documents with the region. For a trained model `largest_random_ratio` is
    the largest ratio of the same head in all random weights, and `looks_there` the verdict: the
    interval is above this ratio and above 1. A head is above random heads if the interval is above
    1 and above every head of all random weights, in any layer, for this region and reader; below
    random heads if the interval is below 1 and below all these.
    """
    at_random = list(
        _ratio_rows([model for model in models if model.weights != TRAINED], placed, **options)
    )
    yield from at_random
    by_head, by_region = _ratios_by(at_random, HEAD), _ratios_by(at_random, HEAD[:2])
    for row in _ratio_rows(
        [model for model in models if model.weights == TRAINED], placed, **options
    ):
        same = by_head.get(_values_of(row, HEAD), [float("nan")])
        pooled = by_region.get(_values_of(row, HEAD[:2]), [float("nan")])
        yield row | {
            "largest_random_ratio": max(same),
            "looks_there": _is_above(row, max(same)),
            "smallest_ratio_of_random_heads": min(pooled),
            "largest_ratio_of_random_heads": max(pooled),
            "above_random_heads": _is_above(row, max(pooled)),
            "below_random_heads": row["ratio_high"] < 1 and row["ratio_high"] < min(pooled),
        }


def _is_above(row: Row, at_random: float) -> bool:
    return row["ratio_low"] > 1 and row["ratio_low"] > at_random


def _values_of(row: Row, columns: Sequence[str]) -> tuple[Any, ...]:
    return tuple(row[column] for column in columns)


def _ratios_by(rows: Sequence[Row], columns: Sequence[str]) -> dict[tuple[Any, ...], list[float]]:
    ratios = dict[tuple[Any, ...], list[float]]()
    for row in rows:
        ratios.setdefault(_values_of(row, columns), []).append(row["ratio"])
    return ratios


def _ratio_rows(
    models: Sequence[SequenceAttention], placed: PlacedSequences, **options: Any
) -> Iterator[Row]:
    label = placed.sequences.label
    for model in models:
        for region, inside in model.inside.items():
            outside = model.outside[region]
            rows = np.flatnonzero(~np.isnan(inside + outside).any(axis=(0, 1, 2)))
            if not len(rows):
                continue
            sides = np.stack([inside[..., rows], outside[..., rows]])
            means, interval = _ratios(sides, label[rows], **options)
            ratio = means[0] / means[1]
            for reader, layer, head in np.ndindex(*ratio.shape):
                place = (reader, layer, head)
                yield {
                    **_key(model, layer + 1),
                    "head": head + 1,
                    "reader": READERS[reader],
                    "region": region,
                    "n_documents": len(rows),
                    "attention_inside": float(means[0][place]),
                    "attention_outside": float(means[1][place]),
                    "ratio": float(ratio[place]),
                    "ratio_low": max(float(interval.low[place]), 0.0),
                    "ratio_high": float(interval.high[place]),
                }


def layer_rows(
    models: Sequence[SequenceAttention], placed: PlacedSequences, **options: Any
) -> Iterator[Row]:
    """One row a model, layer and quantity: the mean over documents."""
    stratum = numbered(placed.sequences.label)
    for model in models:
        tables = ((OF_STATES, model.states, 0), (OF_ATTENTION, model.attention, 1))
        for quantities, values, first_layer in tables:
            mean, interval = class_means(np.moveaxis(values, -1, 0), stratum, **options)
            for number, layer in np.ndindex(*mean.shape):
                yield {
                    **_key(model, layer + first_layer),
                    "quantity": quantities[number],
                    "n_documents": len(stratum),
                    "value": float(mean[number, layer]),
                    "value_low": float(interval.low[number, layer]),
                    "value_high": float(interval.high[number, layer]),
                }


def place_rows(models: Sequence[SequenceAttention], placed: PlacedSequences) -> Iterator[Row]:
    """One row a layer, reader and place: mean attention over heads, documents and trained seeds."""
    gene = placed.gene
    n_changes = gene.covers.sum(axis=0)
    mean = np.mean([model.places for model in models if model.weights == TRAINED], axis=0)
    for layer in range(mean.shape[1]):
        for number, reader in enumerate(READERS):
            for place in range(gene.n_places):
                yield {
                    "layer": layer + 1,
                    "reader": reader,
                    "place": place,
                    "first_codon": gene.codons[place, 0],
                    "last_codon": gene.codons[place, 1],
                    "n_changes": n_changes[place],
                    "attention": float(mean[number, layer, place]),
                }


def _key(model: SequenceAttention, layer: int) -> Row:
    return {"weights": model.weights, "model_seed": model.model_seed, "layer": layer}


def _ratios(
    sides: Float[np.ndarray, "side reader layer head document"],
    label: Int[np.ndarray, " document"],
    *,
    n_resamples: int,
    level: float,
    seed: int,
) -> tuple[Float[np.ndarray, "side reader layer head"], Interval]:
    """Return the means inside and outside of a region, and the interval of their ratio."""
    stratum = numbered(label)
    sizes = np.bincount(stratum)

    def means(chosen: Int[np.ndarray, " drawn"]) -> Float[np.ndarray, "side reader layer head"]:
        counts = np.bincount(stratum[chosen], minlength=len(sizes))
        weights = (sizes / np.maximum(counts, 1))[stratum[chosen]]
        return np.asarray(sides[..., chosen] @ (weights / weights.sum()))

    def ratio(chosen: Int[np.ndarray, " drawn"]) -> Float[np.ndarray, "reader layer head"]:
        inside, outside = means(chosen)
        return np.asarray(inside / outside)

    generator = np.random.default_rng(seed)
    interval = stratified_interval(
        ratio, stratum, n_resamples=n_resamples, level=level, generator=generator
    )
    if 1 in sizes:
        interval = Interval(*(np.full_like(array, np.nan) for array in interval))
    return means(np.arange(len(label))), interval
