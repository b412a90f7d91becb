"""Dimension and neighbors, which sums do not give: measured on the vectors kept as a sample."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Int

from embspace.clouds.layers import LayerCloud
from embspace.files.tables import Row
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.measures.declaration import Family
from embspace.geometry.measures.registry import definitions, profiled_measures
from embspace.geometry.pairs.distinct import distinct_rows
from embspace.measure.layers.layer_batches import FEWEST, measures_of_batches
from embspace.measure.layers.layer_protocol import Protocol
from embspace.stream.shard import SAMPLED
from embspace.stream.tables import Intervals, sample_of

OF_SAMPLE: tuple[Family, ...] = ("intrinsic_dimension", "hubs")
SLOW = ("correlation_dimension",)


def sampled_measures(family: Family) -> list[str]:
    """Return the measures of a family that are taken from the sample."""
    names = (measure.name for measure in profiled_measures().values() if measure.family == family)
    return [name for name in names if name not in SLOW]


def sample_rows(
    corpus: str, paths: Sequence[Path], layer: int, intervals: Intervals
) -> dict[str, list[Row]]:
    """Return the rows of a layer for the families of neighbors, over the texts of the sample.

    `n` is the number of vectors in the sample, and the intervals hold for this number: the larger
    the sample, the narrower they are. A sample of fewer than 4 vectors gives no rows.
    """
    sampled: list[Row] = []
    for space in SAMPLED:
        sample = sample_of(paths, layer, space)
        if len(sample.documents) < FEWEST:
            continue
        x = sample.vectors.astype(np.float64)
        kept = distinct_rows(x)
        cloud = LayerCloud(x, _numbers(sample.documents), None, None).among(kept)
        rng = stream_of(np.random.default_rng(intervals.seed), corpus, space, "as_is")
        place = {"corpus": corpus, "space": space, "change": "as_is", "layer": layer}
        rows = measures_of_batches(cloud, _protocol(intervals, rng), rng, with_slow=False)
        sampled += [{**place, **row, "n_equal": len(x) - len(kept)} for row in rows]
    families = {name: definition.family for name, definition in definitions().items()}
    return {
        family: [row for row in sampled if families[row["measure"]] == family]
        for family in OF_SAMPLE
    }


def _numbers(names: Sequence[str]) -> Int[np.ndarray, " text"]:
    """Return numbers for names, in the order in which the names first appear."""
    order: dict[str, int] = {}
    return np.array([order.setdefault(name, len(order)) for name in names], np.int64)


def _protocol(intervals: Intervals, rng: np.random.Generator) -> Protocol:
    return Protocol(
        families=OF_SAMPLE,
        changes=["as_is"],
        value_only=SLOW,
        few_batches=[],
        batch_size=intervals.batch_size,
        n_half_samples=intervals.n_half_samples,
        level=intervals.level,
        tolerance=intervals.tolerance,
        rng=rng,
    )
