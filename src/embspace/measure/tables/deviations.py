"""Stores half-samples' deviations of statistics, for comparisons of two models.

A table of results has bounds of single values, without information on the difference of two models.
The halves have: with one seed the halves of the same units are equal in every model, and the common
effect of a half cancels.
"""

import math
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

ENDING = "_deviations"
UNITS = ["n_units", "units"]
COLUMNS = ["table", "row", "quantity", *UNITS, "deviations"]


def by_row(deviations: Float[np.ndarray, " draw *row"]) -> np.ndarray:
    """Return a column for a quantity and `ENDING`: in a row, the deviations of all draws."""
    n_rows = math.prod(deviations.shape[1:])
    row_deviations = deviations.reshape(len(deviations), n_rows).T.astype(np.float32)
    return pd.Series(list(row_deviations), dtype=object).to_numpy()


def units_named(names: Iterable[object]) -> dict[str, Any]:
    """The columns `UNITS` of units of these names: a digest says whether two models share them."""
    listed = [str(name) for name in names]
    return {"n_units": len(listed), "units": sha256("\n".join(listed).encode()).hexdigest()[:16]}


def without_deviations(
    tables: Mapping[str, pd.DataFrame],
) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """Return the tables as they are published, and by table, row and quantity the values of halves.

    A table may have columns of deviations, and then `UNITS`. A row without deviations is left out
    of the second result.
    """
    kept = {
        name: table.drop(
            columns=[column for column in table if column in UNITS or _is_of_halves(column)]
        )
        for name, table in tables.items()
    }
    parts = [_long(name, table) for name, table in tables.items()]
    taken = pd.concat([part for part in parts if len(part)] or [pd.DataFrame(columns=COLUMNS)])
    return kept, taken.reset_index(drop=True)


def _long(name: str, table: pd.DataFrame) -> pd.DataFrame:
    parts = [
        table.reset_index(drop=True)
        .reset_index(names="row")
        .assign(table=name, quantity=str(column).removesuffix(ENDING))
        .rename(columns={column: "deviations"})[COLUMNS]
        for column in table
        if _is_of_halves(column)
    ]
    long = pd.concat(parts) if parts else pd.DataFrame(columns=COLUMNS)
    return long.dropna(subset="deviations").astype({"n_units": np.int64})


def _is_of_halves(column: object) -> bool:
    return str(column).endswith(ENDING)
