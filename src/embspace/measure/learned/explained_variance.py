"""Stage `measure_explained_variance`: how many directions hold the variance of a space.

Luisto's thesis, figure 11b, by the method of its section 2.3.2 and figure 3.
"""

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome, Table
from embspace.clouds.learned import one_space
from embspace.geometry.measures.spectrum import (
    components_for,
    covariance_eigenvalues,
    explained_variance,
    gaussian_covariance_eigenvalues,
)
from embspace.settings.stage import run_stage
from embspace.settings.types import Share

EXPLAINED_VARIANCE = Analysis(
    noun="explained_variance",
    question="How many directions hold the variance? Fig. 11b",
    reads={"matrices": "data/extracted/embeddings/{model}.safetensors"},
    tables={
        "curve": Table(
            {
                "space": "row",
                "n_components": "row",
                "explained_variance": "share",
                "cumulative_explained_variance": "share",
                "null_cumulative_explained_variance": "share",
            },
            compared=["cumulative_explained_variance"],
            along="n_components",
        ),
        "dimensions": Table(
            {
                "space": ("row", "space"),
                "n": ("count", "n"),
                "dim": ("count", "dim"),
                "share": ("row", "share"),
                "n_components": ("count", "n components"),
                "null_n_components": ("count", "null n components"),
                "null_n_components_low": "null_value",
                "null_n_components_high": "null_value",
            },
            compared=["dim", "n_components", "null_n_components"],
            along="share",
        ),
    },
)
SPACES = ("input", "positional", "joint")


def measure_explained_variance(
    matrices: dict[str, np.ndarray],
    *,
    shares: list[Share],
    n_null_draws: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Return the variance explained by the first components of a centered PCA, by space.

    Vectors are raw. Spaces: `input`; `positional`; `joint`, both as one cloud. `curve` has every
    component's share of the variance and the cumulative share, `dimensions` the number of
    components that reach each of `shares`. The null is as many isotropic Gaussian vectors in as
    many dimensions: the mean of `n_null_draws` draws and, for the numbers of components, also the
    smallest and the largest of all draws. A space of equal vectors has no share.
    """
    streams = dict(zip(SPACES, np.random.default_rng(seed).spawn(len(SPACES)), strict=True))
    curves, dimensions = [], []
    for space, x in _clouds(one_space(matrices)).items():
        spectrum, draws = _spectra(x, n_null_draws, streams[space])
        null = np.mean(draws, axis=0)
        curves.append(
            pd.DataFrame(
                {
                    "space": space,
                    "n_components": np.arange(1, len(spectrum) + 1),
                    "explained_variance": spectrum,
                    "cumulative_explained_variance": spectrum.cumsum(),
                    "null_cumulative_explained_variance": null.cumsum(),
                }
            )
        )
        dimensions += [
            {
                "space": space,
                "n": x.shape[0],
                "dim": x.shape[1],
                "share": share,
                "n_components": components_for(spectrum, share),
                "null_n_components": components_for(null, share),
                **_range_of_null(draws, share),
            }
            for share in shares
        ]
    curve = pd.concat(curves, ignore_index=True)
    return {"curve": curve, "dimensions": pd.DataFrame(dimensions)}


def _clouds(matrices: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    names = [space for space in SPACES if space in matrices]
    clouds = {space: matrices[space] for space in names}
    if len(clouds) > 1:
        clouds["joint"] = np.concatenate(list(clouds.values()))
    return clouds


def _spectra(
    x: Float[np.ndarray, "n dim"], n_draws: int, rng: np.random.Generator
) -> tuple[Float[np.ndarray, " dim"], list[Float[np.ndarray, " dim"]]]:
    """Return the components' shares of the variance, for the space and every draw of the null."""
    from threadpoolctl import threadpool_limits

    n, dim = x.shape
    # Threads that share so small products wait for each other longer than they save.
    with threadpool_limits(1, user_api="blas"):
        spectrum = explained_variance(covariance_eigenvalues(x))
        draws = [gaussian_covariance_eigenvalues(n, dim, rng) for _ in range(n_draws)]
    return spectrum, [explained_variance(draw) for draw in draws]


def _range_of_null(draws: list[Float[np.ndarray, " dim"]], share: float) -> dict[str, int | None]:
    counts = [count for draw in draws if (count := components_for(draw, share)) is not None]
    return {
        "null_n_components_low": min(counts, default=None),
        "null_n_components_high": max(counts, default=None),
    }


main = EXPLAINED_VARIANCE.main(measure_explained_variance)

if __name__ == "__main__":
    run_stage(main, measure_explained_variance)
