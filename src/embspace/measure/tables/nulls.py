"""Columns that hold values against chance: a null's mean and range, p-values, q-values."""

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.geometry.inference.resampling import upper_p_value
from embspace.geometry.pairs.safe_ratio import mean_of_defined

Values = Float[np.ndarray, " value"]
Columns = dict[str, np.ndarray]
"""Columns, before they become a table."""
DIGITS = 12  # to which a draw that equals the value is one that is as large


def null_columns(
    quantity: str,
    suffix: str,
    values: Values,
    null: Float[np.ndarray, "draw value"],
    *,
    level: float,
    two_sided: bool,
) -> dict[str, Values]:
    """Mean, central range and p-value of each value's null, `suffix` in the names of all."""
    low, high = central_range(null, level)
    return {
        f"null_{quantity}{suffix}": mean_of_defined(np.round(null, DIGITS), axis=0),
        f"null_{quantity}{suffix}_low": low,
        f"null_{quantity}{suffix}_high": high,
        f"p_value{suffix}": p_values(values, null, two_sided=two_sided),
    }


def p_values(values: Values, null: Float[np.ndarray, "draw value"], *, two_sided: bool) -> Values:
    """Return the probability under the null of a value as large or, two-sided, as far from 0."""
    # A draw that is the data itself, all signs alike for instance, is as large, not less by 1e-16.
    values, null = np.round(values, DIGITS), np.round(null, DIGITS)
    if two_sided:
        values, null = np.abs(values), np.abs(null)
    return np.array(
        [upper_p_value(float(value), draws) for value, draws in zip(values, null.T, strict=True)]
    )


def mean_and_range(
    drawn: Float[np.ndarray, " draw *value"], level: float
) -> tuple[Float[np.ndarray, "*value"], Float[np.ndarray, "*value"], Float[np.ndarray, "*value"]]:
    """Mean of the draws, and the ends of `central_range`; NaN are left out."""
    return mean_of_defined(drawn, axis=0), *central_range(drawn, level)


def central_range(
    drawn: Float[np.ndarray, " draw *value"], level: float
) -> tuple[Float[np.ndarray, "*value"], Float[np.ndarray, "*value"]]:
    """The quantiles between which a share `level` of the draws lie; NaN are left out."""
    bounds = np.full((2, *drawn.shape[1:]), np.nan)
    defined = ~np.isnan(drawn).all(axis=0)
    if defined.any():
        quantiles = [(1 - level) / 2, (1 + level) / 2]
        bounds[:, defined] = np.nanquantile(drawn[:, defined], quantiles, axis=0)
    return np.asarray(bounds[0]), np.asarray(bounds[1])


def with_q_values(table: pd.DataFrame, family: list[str]) -> pd.DataFrame:
    """Return `table` with a column `q_value...` for every `p_value...`.

    By Benjamini and Hochberg (1995), "Controlling the false discovery rate", over the rows that are
    equal in the columns `family`. NaN is no test.
    """
    table = table.copy()
    for name in [str(column) for column in table if str(column).startswith("p_value")]:
        q_values = table.groupby(family, sort=False)[name].transform(_q_values)
        table[name.replace("p_value", "q_value", 1)] = q_values
    return table


def _q_values(p_values: pd.Series) -> Values:
    from scipy.stats import false_discovery_control

    q_values = p_values.to_numpy(dtype=np.float64, copy=True)
    tested = ~np.isnan(q_values)
    if tested.any():
        q_values[tested] = false_discovery_control(q_values[tested], method="bh")
    return q_values
