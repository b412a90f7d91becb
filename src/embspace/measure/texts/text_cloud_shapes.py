"""Over how many directions clouds of texts spread: `measure_text_clouds` makes the table."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.files.tables import NumberRow
from embspace.geometry.measures.effective_numbers import effective_number
from embspace.geometry.measures.spectrum import (
    components_for,
    explained_variance,
    gaussian_covariance_eigenvalues,
)
from embspace.geometry.pairs.group_pairs import GroupedVectors
from embspace.measure.tables.nulls import mean_and_range

PrincipalAxes = tuple[Float[np.ndarray, " dim"], Float[np.ndarray, "dim dim"]]
"""Variances along directions, and the directions."""


def spectrum_table(
    clouds: Mapping[str, GroupedVectors],
    axes: Mapping[str, PrincipalAxes],
    nulls: Mapping[str, NumberRow],
    *,
    equal_n: int,
    shares: Sequence[float],
    vectors_per_dimension: float,
    n_draws: int,
    level: float,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Return a row per corpus, for a pooling and layer, with the numbers of the isotropic null."""
    rows = []
    for corpus, x in clouds.items():
        n, dim = x.centered.shape
        rows.append(
            {
                "corpus": corpus,
                "n": n,
                "dim": dim,
                "few_vectors": n < vectors_per_dimension * dim,
                **spectral_numbers(axes[corpus][0], shares),
                **nulls[corpus],
                **participation_at(x, equal_n, n_draws=n_draws, level=level, rng=rng),
            }
        )
    return pd.DataFrame(rows)


def principal_axes(x: GroupedVectors) -> PrincipalAxes:
    """Variances along the principal axes, largest first, and the axes as columns."""
    values, vectors = np.linalg.eigh(x.centered.T @ x.centered / len(x.centered))
    values = values[::-1].clip(min=0)
    values[len(x.centered) - 1 :] = 0
    return values, vectors[:, ::-1]


def spectral_numbers(eigenvalues: Float[np.ndarray, " dim"], shares: Sequence[float]) -> NumberRow:
    """Return how the variance is spread; NaN where nothing varies."""
    components = {share: components_for(eigenvalues, share) for share in shares}
    return {
        "top_variance_share": float(explained_variance(eigenvalues)[0]),
        "participation_ratio": effective_number(eigenvalues),
        **{f"n_components_{s:g}": np.nan if n is None else n for s, n in components.items()},
    }


def null_spectral_numbers(
    n: int,
    dim: int,
    shares: Sequence[float],
    *,
    n_draws: int,
    level: float,
    rng: np.random.Generator,
) -> NumberRow:
    """The same of `n` isotropic Gaussian vectors: means over draws and their central quantiles."""
    spectra = [gaussian_covariance_eigenvalues(n, dim, rng) for _ in range(n_draws)]
    draws = pd.DataFrame([spectral_numbers(spectrum, shares) for spectrum in spectra])
    row: NumberRow = {}
    for name in draws:
        row |= central(f"null_{name}", draws[name].to_numpy(dtype=np.float64), level)
    return row


def central(name: str, draws: Float[np.ndarray, " draw"], level: float) -> NumberRow:
    """Return the mean of draws and the ends of the central part, by column."""
    mean, low, high = map(float, mean_and_range(draws, level))
    return {name: mean, f"{name}_low": low, f"{name}_high": high}


def participation_at(
    x: GroupedVectors, n: int, *, n_draws: int, level: float, rng: np.random.Generator
) -> NumberRow:
    """Return the participation ratio of one vector from each of `n` random groups, over draws."""
    first = np.flatnonzero(np.diff(x.groups, prepend=-1))
    sizes = np.diff(np.append(first, len(x.groups)))
    draws = np.empty(n_draws)
    for draw in range(n_draws):
        rows = rng.choice(first + rng.integers(sizes), n, replace=False)
        draws[draw] = participation_ratio_of_rows(x.centered[rows])
    return {"equal_n": n, **central("equal_n_participation_ratio", draws, level)}


def participation_ratio_of_rows(x: Float[np.ndarray, "n dim"]) -> float:
    """Return the participation ratio of few rows, from their products, without eigenvalues."""
    centered = x - x.mean(axis=0)
    products = centered @ centered.T
    total = np.trace(products)
    return float(total**2 / np.square(products).sum()) if total > 0 else float("nan")
