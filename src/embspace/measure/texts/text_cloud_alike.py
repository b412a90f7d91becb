"""Compares cosines within corpora and across, for `measure_text_clouds`."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.files.tables import Row
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.pairs.group_pairs import GroupedVectors, GroupPairs
from embspace.measure.texts.text_cloud_units import Chosen, IntervalOver, interval_over, units_of

LESS = "within_minus_between_cosine"
SIDES = (LESS, f"other_{LESS}", f"smaller_{LESS}")
PairsOfTwo = tuple[GroupPairs, GroupPairs, GroupPairs]
"""Pairs of the first corpus, pairs of the second, and pairs across the corpora."""


def alike_table(
    clouds: Mapping[str, GroupedVectors],
    pairs: Mapping[tuple[str, str], GroupPairs],
    *,
    n_half_samples: int,
    level: float,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Return a row per pair of corpora, for a pooling and layer."""
    rows = []
    for a, b in combinations(clouds, 2):
        interval = interval_over(
            units_of(clouds[a], clouds[b]),
            n_half_samples=n_half_samples,
            level=level,
            rng=stream_of(rng, "alike", a, b),
        )
        row = alike_row((pairs[a, a], pairs[b, b], pairs[a, b]), interval)
        rows.append({"corpus": a, "other_corpus": b, **row})
    return pd.DataFrame(rows, columns=["corpus", "other_corpus", *_columns()])


def alike_row(pairs: PairsOfTwo, interval: IntervalOver) -> Row:
    """Return the mean cosine within either corpus less the mean across, and the smaller of both.

    From -2 to 2. Intervals are paired: the same halves of the documents give all three means, so
    that deviations common to the means do not widen the interval of a difference.
    """

    def sides(chosen: Chosen) -> Float[np.ndarray, " side"]:
        one, other, between = (_mean_cosine(part, chosen) for part in pairs)
        both = np.array([one - between, other - between])
        return np.append(both, both.min())

    numbers = np.concatenate([pairs[2].units_x, pairs[2].units_y])
    everything = np.bincount(numbers) > 0
    values, (low, high, _) = sides(everything), interval(sides)
    row: Row = {}
    for name, *value in zip(SIDES, values, low.clip(-2, 2), high.clip(-2, 2), strict=True):
        row |= {
            f"{name}{end}": float(x) for end, x in zip(("", "_low", "_high"), value, strict=True)
        }
    return row


def _columns() -> list[str]:
    return [f"{name}{end}" for name in SIDES for end in ("", "_low", "_high")]


def _mean_cosine(pairs: GroupPairs, chosen: Chosen) -> float:
    total = pairs.totals(chosen)
    return total["cosine"] / total["n_cosine"] if total["n_cosine"] else float("nan")
