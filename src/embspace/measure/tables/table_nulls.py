"""Measures of a table of positions, beside those of tables that encode nothing."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.geometry.positional.smooth_nulls import NULLS
from embspace.measure.tables.nulls import null_columns

Measure = Callable[[Float[np.ndarray, "n dim"]], dict[tuple[str, ...], float]]
"""A function from the rows of a table to values by named cells."""
AGAINST = ["null", "n_draws", "value", "null_value", "null_value_low", "null_value_high", "p_value"]


def against_nulls(
    x: Float[np.ndarray, "n dim"],
    positions: Int[np.ndarray, " n"],
    measure: Measure,
    names: list[str],
    *,
    n_tables: int,
    level: float,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Return a row a value and null of `NULLS`: mean, central range and one-sided p-value of draws.

    `names` are the columns of the cells. A p-value counts the value itself among the draws, and is
    small for a large value. On all cores.
    """
    from joblib import Parallel, delayed

    measured = measure(x)
    keys, values = [*measured], np.array([*measured.values()])
    streams = rng.spawn(len(NULLS))
    rows = []
    for (null, tables), stream in zip(NULLS.items(), streams, strict=True):
        calls = (delayed(measure)(table) for table in tables(x, positions, n_tables, stream))
        drawn = Parallel(n_jobs=-1, prefer="threads")(calls)
        draws = np.array([[*one.values()] for one in drawn])
        columns = null_columns("value", "", values, draws, level=level, two_sided=False)
        rows.append(
            pd.DataFrame(keys, columns=names).assign(
                null=null, n_draws=n_tables, value=values, **columns
            )
        )
    return pd.concat(rows, ignore_index=True)[[*names, *AGAINST]]
