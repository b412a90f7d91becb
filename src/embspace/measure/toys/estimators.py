"""Stage `measure_estimators`: what estimators of dimension say of clouds of known dimension.

No model: the outputs are named `toy`.
"""

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Column, Outcome, Table
from embspace.geometry.inference.known_clouds import CLOUDS, standard_gaussian
from embspace.geometry.inference.shared_inputs import N_NEIGHBORS, inputs_of, results_of
from embspace.geometry.measures.declaration import Definition, value_of
from embspace.geometry.measures.registry import profiled_measures
from embspace.settings.stage import run_stage

OF_PLANES = {"swiss_roll"}
# The value of a Gaussian with equal variances in d directions, of which infinitely many vectors
# are known.
LIMITS: dict[str, Callable[[int], float]] = {
    "top_variance_share": lambda d: 1 / d,
    "stable_rank": float,
    "effective_rank": float,
    "rank_me": float,
    "effective_rank_of_covariance": float,
    "spectral_entropy": lambda _: 1.0,
    "participation_ratio": float,
    "debiased_participation_ratio": float,
    "iso_score": lambda _: 1.0,
}
DRAWN = ["mean", "smallest", "largest"]


MEASURE: dict[str, Column] = {"measure": "row", "n_draws": "setting"}
ESTIMATORS = Analysis(
    noun="estimators",
    question="What do estimators of dimension give where the truth is known?",
    over="",
    reads={},
    tables={
        "dimension": Table(
            {
                "cloud": "row",
                "true_dimension": "row",
                "n": "count",
                **MEASURE,
                **dict.fromkeys(DRAWN, "relative_value"),
            }
        ),
        "spectrum": Table(  # of isotropic Gaussian vectors
            {
                "dim": "setting",
                "n": "row",
                **MEASURE,
                **dict.fromkeys(DRAWN, "moment"),
                "limit": "moment",
            }
        ),
    },
)


def measure_estimators(
    *,
    dimensions: Annotated[list[PositiveInt], Field(min_length=1)],
    n_points: Annotated[int, Field(gt=N_NEIGHBORS)],
    dim: Annotated[int, Field(ge=2)],
    sample_sizes: list[Annotated[int, Field(ge=4)]],
    n_draws: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Apply measures of dimension to clouds of `dimensions`, of spectrum to few to many vectors.

    `mean`, `smallest` and `largest` are over `n_draws` clouds. The dimension is of `n_points`
    vectors, a Swiss roll having 2. The spectrum is of isotropic Gaussian vectors of `dim`
    coordinates; `limit` is what infinitely many have.
    """
    for_clouds, for_vectors = np.random.default_rng(seed).spawn(2)
    shapes = [(name, d) for name in CLOUDS for d in ([2] if name in OF_PLANES else dimensions)]
    dimension = [
        {"cloud": name, "true_dimension": d, "n": n_points, **row}
        for name, d in shapes
        for row in _over_draws(
            _measures_of("intrinsic_dimension"),
            [CLOUDS[name](n_points, d, for_clouds) for _ in range(n_draws)],
        )
    ]
    spectral = [measure for measure in _measures_of("spectrum") if measure.name in LIMITS]
    spectrum = [
        {"dim": dim, "n": n, **row, "limit": LIMITS[row["measure"]](dim)}
        for n in sample_sizes
        for row in _over_draws(
            spectral, [standard_gaussian(n, dim, for_vectors) for _ in range(n_draws)]
        )
    ]
    return {"dimension": pd.DataFrame(dimension), "spectrum": pd.DataFrame(spectrum)}


def _measures_of(family: str) -> list[Definition]:
    return [measure for measure in profiled_measures().values() if measure.family == family]


def _over_draws(measures: list[Definition], clouds: list[np.ndarray]) -> list[dict[str, Any]]:
    """Return a row per measure: the values over the clouds."""
    values = np.array([_values(measures, x) for x in clouds])
    facts = np.stack([values.mean(axis=0), values.min(axis=0), values.max(axis=0)], axis=1)
    return [
        {"measure": measure.name, "n_draws": len(clouds), **dict(zip(DRAWN, row, strict=True))}
        for measure, row in zip(measures, facts.tolist(), strict=True)
    ]


def _values(measures: list[Definition], x: np.ndarray) -> list[float]:
    results = results_of(measures, inputs_of(x, measures, {}, {}), {}, {})
    return [value_of(result) for result in results.values()]


main = ESTIMATORS.main(measure_estimators)

if __name__ == "__main__":
    run_stage(main, measure_estimators, groups=())
