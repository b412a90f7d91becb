"""Columns that hold values against chance: a null's mean and range, p-values, q-values."""

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.geometry.resampling import upper_p_value

Values = Float[np.ndarray, " value"]
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
    """Mean, central range and p-value of each value's null, `suffix` in the names of all.

    The p-value is that of so large a value, or, two-sided, of one so far from 0.
    """
    low, high = central_range(null, level)
    # A draw that is the data itself, all signs alike for instance, is as large, not less by 1e-16.
    values, null = np.round(values, DIGITS), np.round(null, DIGITS)
    seen, drawn = (np.abs(values), np.abs(null)) if two_sided else (values, null)
    return {
        f"null_{quantity}{suffix}": mean_of_defined(null),
        f"null_{quantity}{suffix}_low": low,
        f"null_{quantity}{suffix}_high": high,
        f"p_value{suffix}": np.array(
            [upper_p_value(float(value), each) for value, each in zip(seen, drawn.T, strict=True)]
        ),
    }


def central_range(drawn: Float[np.ndarray, "draw value"], level: float) -> tuple[Values, Values]:
    """The quantiles between which a share `level` of the draws lie; NaN are left out."""
    bounds = np.full((2, drawn.shape[1]), np.nan)
    defined = ~np.isnan(drawn).all(axis=0)
    if defined.any():
        quantiles = [(1 - level) / 2, (1 + level) / 2]
        bounds[:, defined] = np.nanquantile(drawn[:, defined], quantiles, axis=0)
    return bounds[0], bounds[1]


def mean_of_defined(drawn: Float[np.ndarray, "draw value"]) -> Values:
    """Mean over the draws that are not NaN, NaN where all are."""
    n = (~np.isnan(drawn)).sum(axis=0)
    return np.nansum(drawn, axis=0) / np.where(n > 0, n, np.nan)


def with_q_values(table: pd.DataFrame, family: list[str]) -> pd.DataFrame:
    """`table` with a column `q_value...` for each `p_value...`.

    By Benjamini and Hochberg (1995), "Controlling the false discovery rate", over the rows that
    are equal in the columns `family`. NaN is no test.
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
