"""Stage `measure_cubes`: whether the curve of explained variance shows a known dimension.

Luisto's thesis, section 2.3.2, figure 3: three cubes in ten dimensions. No model: the outputs are
named `toy`.
"""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome, Table
from embspace.errors import InputError
from embspace.geometry.maps.cubes import EmbeddedCube, union_covariance
from embspace.geometry.measures.effective_numbers import effective_number
from embspace.geometry.measures.spectrum import (
    components_for,
    covariance_eigenvalues,
    explained_variance,
)
from embspace.measure.tables.columns import with_bounds
from embspace.measure.tables.nulls import central_range
from embspace.settings.stage import run_stage
from embspace.settings.types import PositiveShare, Share

Dims = Annotated[list[PositiveInt], Field(min_length=3, max_length=3)]
CLOUDS = ("shifted", "turned", "flat")
Spectrum = Float[np.ndarray, " component"]


CUBES = Analysis(
    noun="cubes",
    question="Does the curve of explained variance show a known dimension? Fig. 3",
    over="",
    reads={},
    tables={
        "curve": Table(
            {
                "cloud": "row",
                "n_components": "row",
                "explained_variance": "share",
                **with_bounds("cumulative_explained_variance", "share"),
                "expected_cumulative_explained_variance": "share",
            }
        ),
        "dimensions": Table(
            {
                "cloud": "row",
                "n": "count",
                "dim": "count",
                "true_dimension": "count",
                "definition": "row",
                "share": "row",
                **with_bounds("dimension", "moment"),
                "expected_dimension": "moment",
            }
        ),
    },
)


def measure_cubes(
    *,
    ambient_dim: PositiveInt,
    cube_dims: Dims,
    shift: float,
    n_points: Annotated[int, Field(ge=2)],
    shares: list[PositiveShare],
    n_draws: PositiveInt,
    level: Share,
    seed: NonNegativeInt,
) -> Outcome:
    """Return the explained variance of three cubes and of all, and dimensions read from it.

    The cubes are those of `CLOUDS`, of `cube_dims` dimensions, in `ambient_dim`: the first is
    shifted by `shift` along every axis, the second turned at random. `expected_` is exact, of the
    uniform distribution itself: 1/12 in every direction of a cube. `_low` and `_high` are central
    quantiles, `level` apart, over `n_draws` draws of other points of the same cubes.
    """
    from threadpoolctl import threadpool_limits

    _check_dims(cube_dims, ambient_dim)
    for_turn, for_points, for_draws = np.random.default_rng(seed).spawn(3)
    cubes = _cubes(cube_dims, ambient_dim, shift, for_turn)
    expected = {
        **{name: _eigenvalues(cube.covariance) for name, cube in cubes.items()},
        "all": _eigenvalues(union_covariance(list(cubes.values()))),
    }
    # Threads that share so small products wait for each other longer than they save.
    with threadpool_limits(1, user_api="blas"):
        spectra = _spectra(cubes, n_points, for_points)
        draws = [_spectra(cubes, n_points, for_draws) for _ in range(n_draws)]
    curves, dimensions = [], []
    for cloud, eigenvalues in spectra.items():
        others = [draw[cloud] for draw in draws]
        curves.append(_curve(eigenvalues, others, expected[cloud], level).assign(cloud=cloud))
        rows = _dimensions(eigenvalues, others, expected[cloud], shares, level)
        n = n_points * (len(cubes) if cloud == "all" else 1)
        true = int((expected[cloud] > 0).sum())
        rows = rows.assign(cloud=cloud, n=n, dim=ambient_dim, true_dimension=true)
        dimensions.append(rows)
    return {
        "curve": CUBES.tables["curve"].of(pd.concat(curves, ignore_index=True)),
        "dimensions": CUBES.tables["dimensions"].of(pd.concat(dimensions, ignore_index=True)),
    }


def _check_dims(cube_dims: list[int], ambient_dim: int) -> None:
    if max(cube_dims) > ambient_dim:
        raise InputError(
            f"conf/measure/toys/cubes.yaml: key 'cube_dims': found {max(cube_dims)}, "
            f"allowed: at most {ambient_dim}, the ambient_dim"
        )


def _cubes(
    dims: list[int], ambient_dim: int, shift: float, rng: np.random.Generator
) -> dict[str, EmbeddedCube]:
    from scipy.stats import special_ortho_group

    still, origin = np.eye(ambient_dim), np.zeros(ambient_dim)
    turn = special_ortho_group.rvs(ambient_dim, random_state=rng) if ambient_dim > 1 else still
    placed = ((still, origin + shift), (turn, origin), (still, origin))
    cubes = (EmbeddedCube(dim, *place) for dim, place in zip(dims, placed, strict=True))
    return dict(zip(CLOUDS, cubes, strict=True))


def _eigenvalues(covariance: Float[np.ndarray, "dim dim"]) -> Spectrum:
    """Return the eigenvalues, largest first; those that are zero but for rounding are zero."""
    values = np.linalg.eigvalsh(covariance)[::-1]
    return np.where(values > 1e-12 * values[0], values, 0.0)


def _spectra(
    cubes: Mapping[str, EmbeddedCube], n_points: int, rng: np.random.Generator
) -> dict[str, Spectrum]:
    """Return the spectra of points drawn from each cube, and from all cubes together."""
    clouds = {name: cube.points(n_points, rng) for name, cube in cubes.items()}
    clouds["all"] = np.concatenate(list(clouds.values()))
    return {name: covariance_eigenvalues(x) for name, x in clouds.items()}


def _curve(
    eigenvalues: Spectrum, draws: list[Spectrum], expected: Spectrum, level: float
) -> pd.DataFrame:
    shares = explained_variance(eigenvalues)
    low, high = central_range(
        np.stack([explained_variance(draw).cumsum() for draw in draws]), level
    )
    return pd.DataFrame(
        {
            "n_components": np.arange(1, len(eigenvalues) + 1),
            "explained_variance": shares,
            "cumulative_explained_variance": shares.cumsum(),
            "cumulative_explained_variance_low": low,
            "cumulative_explained_variance_high": high,
            "expected_cumulative_explained_variance": explained_variance(expected).cumsum(),
        }
    )


def _dimensions(
    eigenvalues: Spectrum,
    draws: list[Spectrum],
    expected: Spectrum,
    shares: list[float],
    level: float,
) -> pd.DataFrame:
    """Return the dimensions by the components for each share, and by the participation ratio."""
    readings = [_readings(values, shares) for values in (eigenvalues, expected, *draws)]
    low, high = central_range(np.stack(readings[2:]), level)
    n_shares = len(shares)
    return pd.DataFrame(
        {
            "definition": ["components_for_share"] * n_shares + ["participation_ratio"],
            "share": [*shares, np.nan],
            "dimension": readings[0],
            "dimension_low": low,
            "dimension_high": high,
            "expected_dimension": readings[1],
        }
    )


def _readings(eigenvalues: Spectrum, shares: list[float]) -> Float[np.ndarray, " reading"]:
    counts = [components_for(eigenvalues, share) for share in shares]
    return np.array([*counts, effective_number(eigenvalues)], dtype=np.float64)


main = CUBES.main(measure_cubes)

if __name__ == "__main__":
    run_stage(main, measure_cubes, groups=())
