"""Stage `measure_positions`: how alike the positions of a model are, by their distance.

Luisto's thesis, section 4.2.3, figures 13, 16 and 17; the properties of position embeddings named
by Wang et al. (2021), "On Position Embeddings in BERT", ICLR.
"""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome, Table
from embspace.clouds.learned import structured_positions
from embspace.errors import InputError
from embspace.files.tensors import save_tensors
from embspace.geometry.pairs.directions import cosine_matrix, norms
from embspace.geometry.positional.position_properties import (
    PROPERTIES,
    properties_by_window,
    shuffled_properties_by_window,
)
from embspace.measure.positional.positions_measures import NAMES, cosine_measures, offset_profile
from embspace.measure.tables.columns import against_nulls_columns
from embspace.measure.tables.table_nulls import against_nulls
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability, Share

POSITIONS = Analysis(
    noun="positions",
    question="How alike are positions, by their distance? Figs 13, 16, 17",
    reads={
        "matrices": "data/extracted/embeddings/{model}.safetensors",
        "regimes": "results/regimes/positions/{model}.csv",
    },
    tables={
        "properties": Table(
            {
                "positions": "row",
                "n": "count",
                "largest_offset": "row",
                "property": "row",
                "value": "rank_share",
                "null_mean": "null_value",
                "null_quantile_*": "null_value",
                "p_value": "p_value",
                "n_shuffles": "setting",
            },
            compared=["value"],
            along="largest_offset",
        ),
        "profiles": Table(
            {
                "offset": "row",
                "n_pairs": "count",
                "mean": "moment",
                "standard_deviation": "moment",
                "minimum": "moment",
                "maximum": "moment",
            },
            compared=["mean"],
            along="offset",
        ),
        # Measures of the structured positions beside those of tables that encode nothing.
        "nulls": Table(
            {"measure": "row", "largest_offset": "row", **against_nulls_columns("rank_share")}
        ),
    },
    # `positional`, `cosines` of all positions, `structured`: 1 for those of the profiles, or 0.
    data={"safetensors": save_tensors},
)
FEWEST = 8  # positions, of whose cosines one can ask for waves


def measure_positions(
    matrices: dict[str, np.ndarray],
    regimes: pd.DataFrame,
    *,
    largest_offsets: list[PositiveInt],
    n_shuffles: PositiveInt,
    null_quantiles: list[Probability],
    n_null_tables: PositiveInt,
    level: Share,
    wave_offsets: Annotated[int, Field(ge=4)],
    n_first: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Return cosines of all pairs of positions, their profile by offset, and three properties.

    `regimes` marks positions as `outlying` or `unstructured`; all others are structured. The
    profile is over pairs of structured positions. The properties are measured among all positions
    and among the structured positions, for each of `largest_offsets` over pairs up to this offset.
    The null assigns the positions to the vectors at random, `n_shuffles` times; a p-value is the
    share of draws at least as large as the measured value, the measured value included. `nulls` has
    the values of `cosine_measures` for the structured positions, beside `n_null_tables` tables per
    null, with the range that holds a share `level`. Tables are empty for a model without position
    embeddings.
    """
    if "positional" not in matrices:
        return POSITIONS.empty()
    x, numbers = matrices["positional"], regimes["position"].to_numpy()
    if len(x) != len(numbers):
        raise InputError(
            f"the model has {len(x)} positions, its table of regimes {len(numbers)}: "
            "`dvc repro` makes it anew"
        )
    cosines = cosine_matrix(x)
    structured = np.isin(numbers, structured_positions(regimes))
    for_properties, for_nulls = _streams(seed)
    against = partial(
        cosine_measures, largest_offsets=largest_offsets, wave_offsets=wave_offsets, n_first=n_first
    )
    rows = _properties(
        cosines, numbers, structured, largest_offsets, n_shuffles, null_quantiles, for_properties
    )
    tensors = {"positional": x, "cosines": cosines, "structured": structured}
    return {
        "properties": pd.DataFrame(rows),
        "profiles": offset_profile(cosines, numbers, structured),
        "nulls": _nulls(
            x[structured],
            numbers[structured],
            against,
            n_tables=n_null_tables,
            level=level,
            rng=for_nulls,
        ),
        "safetensors": {key: value.astype(np.float32) for key, value in tensors.items()},
    }


def _streams(seed: int) -> tuple[list[np.random.Generator], np.random.Generator]:
    """Return a stream for the shuffles of every set of positions, and a stream for other nulls."""
    *for_properties, for_nulls = np.random.default_rng(seed).spawn(3)
    return for_properties, for_nulls


def _properties(
    cosines: Float[np.ndarray, "n n"],
    numbers: Int[np.ndarray, " n"],
    structured: Bool[np.ndarray, " n"],
    largest_offsets: list[int],
    n_shuffles: int,
    null_quantiles: list[Probability],
    streams: list[np.random.Generator],
) -> list[dict[str, object]]:
    """Return a row per set of positions, largest offset and property, beside its shuffles."""
    populations = {"all": np.ones(len(numbers), dtype=bool), "structured": structured}
    rows: list[dict[str, object]] = []
    for (name, chosen), rng in zip(populations.items(), streams, strict=True):
        kept = np.flatnonzero(chosen & ~np.isnan(np.diagonal(cosines)))
        given = cosines[np.ix_(kept, kept)], numbers[kept], largest_offsets
        values = properties_by_window(*given)
        null = shuffled_properties_by_window(*given, n_shuffles=n_shuffles, rng=rng)
        rows += [
            {
                "positions": name,
                "n": len(kept),
                "largest_offset": largest_offset,
                "property": PROPERTIES[number],
                **_against(values[window, number], null[:, window, number], null_quantiles),
                "n_shuffles": n_shuffles,
            }
            for window, largest_offset in enumerate(largest_offsets)
            for number in range(len(PROPERTIES))
        ]
    return rows


def _nulls(
    x: Float[np.ndarray, "n dim"],
    positions: Int[np.ndarray, " n"],
    measure: Callable[..., dict[tuple[str, ...], float]],
    **settings: Any,
) -> pd.DataFrame:
    """Return the nulls, without vectors of length zero, which have no cosine."""
    kept = norms(x) > 0
    if kept.sum() < FEWEST:
        return POSITIONS.tables["nulls"].of()
    x, positions = x[kept], positions[kept]
    return against_nulls(x, positions, partial(measure, positions=positions), NAMES, **settings)


def _against(
    value: float, null: Float[np.ndarray, " shuffle"], quantiles: list[Probability]
) -> dict[str, float]:
    """Return a value beside its null; the p-value is the share of draws at least as large."""
    as_large = (1 + np.sum(null >= value)) / (1 + len(null))
    return {
        "value": value,
        "null_mean": null.mean(),
        **_null_quantiles(null, quantiles),
        "p_value": np.nan if np.isnan(value) else as_large,
    }


def _null_quantiles(
    null: Float[np.ndarray, " shuffle"], quantiles: list[Probability]
) -> dict[str, float]:
    return {f"null_quantile_{q:g}": float(np.quantile(null, q)) for q in quantiles}


main = POSITIONS.main(measure_positions)

if __name__ == "__main__":
    run_stage(main, measure_positions)
