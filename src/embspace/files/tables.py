"""Result tables: tidy CSV, one row per fact, six significant digits."""

from pathlib import Path
from typing import Any

import pandas as pd

from embspace.errors import InputError
from embspace.files.atomic import write_bytes

Row = dict[str, Any]
"""A row before there is a table: value by column."""
NumberRow = dict[str, float]
"""A row of numbers alone."""
Tables = dict[str, pd.DataFrame]
"""Tables by name."""


def save_table(table: pd.DataFrame, path: str) -> None:
    """Write `table` as CSV; the same table gives the same bytes."""
    text = table.to_csv(index=False, float_format="%.6g", lineterminator="\n")
    write_bytes(Path(path), text.encode())


def load_table(path: str) -> pd.DataFrame:
    """Return a table that `save_table` wrote. The tokens "nan", "null" and "NA" stay words."""
    try:
        return pd.read_csv(path, keep_default_na=False, na_values=[""], encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"{path}: not found; `dvc repro` makes it") from None
    except (ValueError, pd.errors.ParserError) as error:
        raise InputError(f"{path}: is no table: {error}") from error


def coarse_quantiles(rows: pd.DataFrame) -> str:
    """Return a sentence on the quantiles that a table of distributions leaves empty; "" if none.

    A row has the name of its `quantity`, `n` and the `resolution` of the bins, 0 without bins.
    """
    binned = rows[(rows["n"] > 0) & (rows["resolution"] > 0)]
    empty = binned[binned.filter(like="quantile_").isna().any(axis=1)]
    if empty.empty:
        return ""
    listed = ", ".join(dict.fromkeys(empty["quantity"].str.replace("_", " ")))
    return (
        f"Quantiles are empty where one bin has more than half of all pairs ({listed}): bins reach "
        "to what the longest vector may come to, and one that is far longer than all others, left "
        "out, would let them tell."
    )
