"""Measures what the steps of different tokens share, without any projection."""

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.geometry.groups.paths import Paths
from embspace.geometry.groups.shared_direction import (
    PairProducts,
    mean_pair_cosine,
    pair_products,
    shared_cosine,
)
from embspace.geometry.inference.resampling import half_sample_interval, upper_p_value
from embspace.measure.tables.deviations import ENDING, by_row, units_named
from embspace.measure.tables.nulls import mean_and_range
from embspace.measure.words.evolution_paths import TRAINED, TokenPaths

ENERGY = "shared_energy"
INTERVAL = [f"{ENERGY}_low", f"{ENERGY}_high"]
NULL = [f"null_{ENERGY}", f"null_{ENERGY}_low", f"null_{ENERGY}_high", "p_value"]


def stretches(n_layers: int) -> list[tuple[int, int]]:
    """Return the ends of each step, of the way without the last layer, and of the whole way."""
    steps = [(layer - 1, layer) for layer in range(1, n_layers)]
    return steps + [(0, last) for last in (n_layers - 2, n_layers - 1) if last > 1]


def shared_table(name: str, paths: TokenPaths) -> pd.DataFrame:
    """Return a row per stretch of layers; two tokens of the same id are no pair.

    `previous_shared_cosine` is between the shared parts of a step and of the step before.
    """
    ids = paths.tokens["id"].to_numpy()
    rows = []
    for first, last in stretches(len(paths.states[TRAINED])):
        row = {"tokens": name, "first_layer": first, "last_layer": last, "n_tokens": len(ids)}
        for prefix, x in paths.states.items():
            moves = displacements(x, first, last)
            row[prefix + ENERGY] = pair_products(moves, ids).shared_energy()
            row[f"{prefix}mean_pair_cosine"] = mean_pair_cosine(moves, ids)
            if last - first == 1 and first:
                before = displacements(x, first - 1, first)
                row[f"{prefix}previous_shared_cosine"] = shared_cosine(moves, before, ids)
        rows.append(row)
    return pd.DataFrame(rows)


def shared_energies(x: Paths, ids: Int[np.ndarray, " token"]) -> Float[np.ndarray, " stretch"]:
    """Return the energy that the displacements of tokens of different ids share."""
    return np.array([products.shared_energy() for products in _products(x, ids)])


def with_null(
    table: pd.DataFrame, null: Float[np.ndarray, "draw stretch"], level: float
) -> pd.DataFrame:
    """Return the table with the energies that rotated paths share, and p-values."""
    p_values = np.array([upper_p_value(*pair) for pair in zip(table[ENERGY], null.T, strict=True)])
    mean, low, high = mean_and_range(null, level)
    return table.assign(**dict(zip(NULL, (mean, low, high, p_values), strict=True)))


def with_interval(
    table: pd.DataFrame,
    paths: TokenPaths,
    *,
    n_resamples: int,
    level: float,
    generator: np.random.Generator,
) -> pd.DataFrame:
    """Return the table of independent tokens, one a text, with a confidence interval."""
    products = _products(paths.states[TRAINED], paths.tokens["id"].to_numpy())
    low, high, deviations = half_sample_interval(
        lambda rows: np.array([stretch.shared_energy(rows) for stretch in products]),
        len(paths.tokens),
        n_resamples=n_resamples,
        level=level,
        generator=generator,
    )
    columns = dict(zip(INTERVAL, (low, high), strict=True))
    columns[f"{ENERGY}{ENDING}"] = by_row(deviations)
    return table.assign(**columns, **units_named(paths.tokens["text"]))


def displacements(x: Paths, first: int, last: int) -> Float[np.ndarray, "token dim"]:
    """Return the displacement of each token from the layer `first` to `last`."""
    return x[last].astype(np.float64) - x[first]


def _products(x: Paths, ids: Int[np.ndarray, " token"]) -> list[PairProducts]:
    return [pair_products(displacements(x, first, last), ids) for first, last in stretches(len(x))]
