"""The tables `profiles` of direction and spectrum, from the sums of shards of a large corpus."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from embspace.files.tables import Row
from embspace.geometry.inference.half_samples import (
    half_units,
    text_estimate,
)
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.inference.shared_inputs import applicable, defined_results_of
from embspace.geometry.measures.declaration import Definition, Family, value_of
from embspace.geometry.measures.direction_sums import DirectionSums
from embspace.geometry.measures.registry import profiled_measures
from embspace.geometry.measures.unit_sums import UnitSums
from embspace.geometry.pairs.distinct import ROUNDING
from embspace.geometry.pairs.moments import Moments
from embspace.measure.layers.layer_batches import IN_ORDER, SPREAD
from embspace.measure.layers.layer_limits import within_range
from embspace.measure.layers.layer_profiles import TABLES
from embspace.stream.batches import top_share
from embspace.stream.layers import CLOUDS
from embspace.stream.moments import CentralMoments, merge, merge_tree
from embspace.stream.store import StoredShard
from embspace.stream.sums import (
    COSINE_EDGES,
    NORM_EDGES,
    Sums,
    merge_sums,
    merged_kinds,
    quantile,
)

FAMILIES: tuple[Family, ...] = ("direction", "spectrum")
OVER_BATCHES = "top_variance_share"
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
OF_DISTRIBUTIONS = ["corpus", "space", "change", "layer", "quantity", "quantile", "value"]
OF_DISTRIBUTIONS += ["resolution", "n"]
HALVES_AT_ONCE = 8


@dataclass(frozen=True)
class Intervals:
    """The settings of half-samples, as in conf/measure/layers/intrinsic_dimension.yaml."""

    n_half_samples: int
    level: float
    tolerance: float
    seed: int
    batch_size: int
    """The number of vectors in a batch, for the share of the first principal axis."""


def layer_rows(
    corpus: str, paths: Sequence[Path], layer: int, spaces: Sequence[str], intervals: Intervals
) -> dict[str, list[Row]]:
    """Return the rows of one layer for each table: those of the families, and `distributions`.

    The units of the intervals are shards, in whatever order they were computed.
    """
    shards = [StoredShard(path) for path in paths]
    shards = [shard for shard in shards if shard.facts["n_layers"]]
    tables: dict[str, list[Row]] = {name: [] for name in (*FAMILIES, "distributions")}
    n_texts = sum(shard.facts["counts"]["documents"] for shard in shards)
    for (space, change), kinds in CLOUDS.items():
        if space not in spaces or (change != "as_is" and "token" not in spaces):
            continue
        parts = [
            merged_kinds({kind: shard.sums(layer, kind) for kind in kinds}, kinds)
            for shard in shards
        ]
        parts = [part for part in parts if part.moments.n]
        if not parts:
            continue
        place = {"corpus": corpus, "space": space, "change": change, "layer": layer}
        rng = stream_of(np.random.default_rng(intervals.seed), corpus, space, change)
        whole, rows = cloud_rows(parts, n_texts, intervals, rng)
        for family, row in rows:
            if change == "as_is" and row["measure"] == OVER_BATCHES:
                shares = [shard.shares(layer, space) for shard in shards]
                moments = [part.moments for part in parts]
                row |= over_batches(shares, moments, intervals.batch_size)
            tables[family].append({**place, **row, "n_equal": 0})
        tables["distributions"] += [{**place, **row} for row in distribution_rows(whole)]
    return tables


def cloud_rows(
    parts: Sequence[Sums], n_texts: int, intervals: Intervals, rng: np.random.Generator
) -> tuple[Sums, list[tuple[Family, Row]]]:
    """Return the sums of all parts, and each measure of them with its interval over the parts."""
    whole = merge_tree(parts, merge_sums)
    if is_one_vector(whole.moments):
        parts = [_without_spread(part, whole.moments.mean) for part in parts]
        whole = merge_tree(parts, merge_sums)
    halves = half_units(len(parts), intervals.n_half_samples, rng)
    rows: list[tuple[Family, Row]] = []
    for family in FAMILIES:
        measures = summed_measures(family)
        value = defined_results_of(
            measures, _inputs(family, _family_sums(family, whole, whole)), {}, {}
        )
        drawn = _half_values(family, measures, parts, whole, halves)
        for measure, half_values in zip(measures, drawn.T, strict=True):
            estimate = text_estimate(
                value[measure.name],
                half_values,
                n=whole.moments.n,
                n_texts=n_texts,
                n_units=len(parts),
                level=intervals.level,
                tolerance=intervals.tolerance,
            )
            kept = within_range(estimate, measure.name)
            rows.append((family, {"measure": measure.name, **asdict(kept)}))
    return whole, rows


def summed_measures(family: Family) -> list[Definition]:
    """Return the measures of a family that sums alone suffice for."""
    shared = {"direction": "directions", "spectrum": "moments"}[family]
    measures = [
        measure
        for measure in profiled_measures().values()
        if measure.family == family and measure.shared == shared
    ]
    return applicable(measures, {}, {})


def _family_sums(family: Family, part: Sums, whole: Sums) -> Moments | DirectionSums:
    return part.directions if family == "direction" else part.moments.about(whole.moments.mean)


def _inputs(family: Family, sums: Moments | DirectionSums) -> dict[Any, Any]:
    return {"directions": sums} if family == "direction" else {"moments": sums}


def _half_values(
    family: Family,
    measures: Sequence[Definition],
    parts: Sequence[Sums],
    whole: Sums,
    halves: np.ndarray,
) -> np.ndarray:
    """Return the measures of the halves of the parts, (half, measure)."""
    half_values = np.empty((len(halves), len(measures)))
    if not len(halves):
        return half_values
    units: UnitSums[Any] = UnitSums([_family_sums(family, part, whole) for part in parts])
    for first in range(0, len(halves), HALVES_AT_ONCE):
        chosen = halves[first : first + HALVES_AT_ONCE]
        for number, sums in enumerate(units.of(chosen), first):
            values = defined_results_of(measures, _inputs(family, sums), {}, {})
            half_values[number] = [
                value_of(values[measure.name]) * (whole.moments.n / sums.n if measure.is_sum else 1)
                for measure in measures
            ]
    return half_values


def is_one_vector(moments: CentralMoments) -> bool:
    """Return whether only rounding separates the vectors from their mean, as in `distinct`."""
    spread = np.sqrt(max(float(np.trace(moments.comoments)), 0) / moments.n)
    return bool(spread <= ROUNDING * np.linalg.norm(moments.mean))


def _without_spread(part: Sums, mean: np.ndarray) -> Sums:
    """Return the sums of as many vectors that all equal the mean."""
    n, dim, length = part.moments.n, len(mean), float(np.linalg.norm(mean))
    unit = mean / length if length else mean
    moments = CentralMoments(n, mean, np.zeros((dim, dim)), np.zeros(dim), 0.0)
    directions = replace(
        part.directions,
        unit_total=n * unit,
        unit_squares=n * unit**2,
        total=n * mean,
        total_norm=n * length,
    )
    return replace(part, moments=moments, directions=directions)


def over_batches(shares: Sequence[np.ndarray], moments: Sequence[CentralMoments], size: int) -> Row:
    """Return the mean over batches in the order of the texts, and the spread.

    Batches lie within a shard; shards smaller than a batch are joined with later shards into one
    batch. The last joined batch has the rest, too, like the last batch of a shard.
    """
    values = [
        share
        for shard_shares, shard_moments in zip(shares, moments, strict=True)
        if shard_moments.n >= size
        for share in shard_shares
    ]
    joined: list[CentralMoments] = []
    for shard_moments in moments:
        if shard_moments.n >= size:
            continue
        if joined and joined[-1].n < size:
            joined[-1] = merge(joined[-1], shard_moments)
        else:
            joined.append(shard_moments)
    if len(joined) > 1 and joined[-1].n < size:
        joined[-2:] = [merge(*joined[-2:])]
    values += [top_share(batch_moments.about(batch_moments.mean)) for batch_moments in joined]
    return {
        "n_batches": len(values),
        IN_ORDER: float(np.mean(values)),
        SPREAD: float(np.std(values)),
    }


def distribution_rows(whole: Sums) -> list[Row]:
    """Return quantiles of lengths and of cosines to the pilot's mean, with the bins' widths."""
    rows = []
    histograms = {
        "norm": (whole.norm_counts, NORM_EDGES),
        "cosine_to_pilot_mean": (whole.cosine_counts, COSINE_EDGES),
    }
    for quantity, (counts, edges) in histograms.items():
        for share in QUANTILES:
            value, width = quantile(counts, edges, share)
            rows.append(
                {
                    "quantity": quantity,
                    "quantile": share,
                    "value": value,
                    "resolution": width,
                    "n": int(counts.sum()),
                }
            )
    return rows


def profile_table(rows: Sequence[Row]) -> pd.DataFrame:
    """Return rows as the table `profiles` of an analysis, in the stage's order."""
    table = TABLES["profiles"].of(rows)
    order = {name: number for number, name in enumerate(profiled_measures())}
    places = pd.MultiIndex.from_tuples(list(CLOUDS))
    keys = pd.DataFrame(
        {
            "layer": table["layer"],
            "cloud": places.get_indexer(pd.MultiIndex.from_frame(table[["space", "change"]])),
            "measure": table["measure"].map(order),
        }
    )
    return table.loc[keys.sort_values(["layer", "cloud", "measure"]).index].reset_index(drop=True)


@dataclass(frozen=True, eq=False)
class Sample:
    """The texts with kept vectors, by id: always in the same order."""

    documents: list[str]
    """The document of each text, by a unique name."""
    vectors: np.ndarray
    """(text, dim)."""


def sample_of(paths: Sequence[Path], layer: int, space: str) -> Sample:
    """Return the texts of the sample of all shards."""
    shards = [StoredShard(path) for path in paths]
    shards = [shard for shard in shards if shard.facts["n_layers"]]
    ids = [name for shard in shards for name in shard.facts["sample_ids"]]
    # A document is in one shard; of another one it has the name alone.
    documents = [
        f"{number}/{name}"
        for number, shard in enumerate(shards)
        for name in shard.facts["sample_documents"]
    ]
    vectors = np.concatenate([shard.sample(layer, space) for shard in shards])
    order = np.argsort(np.array(ids), kind="stable")
    return Sample([documents[number] for number in order], vectors[order])


def totals(paths: Sequence[Path]) -> Mapping[str, int]:
    """Return the counts of all shards together."""
    shard_facts = [StoredShard(path).facts for path in paths]
    names = sorted({name for facts in shard_facts for name in facts["counts"]})
    counted = {name: sum(f["counts"].get(name, 0) for f in shard_facts) for name in names}
    return counted | {"quarantined": sum(len(f["quarantine"]) for f in shard_facts)}
