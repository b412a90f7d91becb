"""Token and text tables of any length: parquet."""

from pathlib import Path

import pandas as pd

from embspace.errors import InputError
from embspace.files.atomic import writing


def save_rows(table: pd.DataFrame, path: str) -> None:
    """Write `table` as parquet."""
    with writing(Path(path)) as partial:
        table.to_parquet(partial, index=False, compression="zstd")


def load_rows(path: str) -> pd.DataFrame:
    """Return a table that `save_rows` wrote."""
    try:
        return pd.read_parquet(path)
    except FileNotFoundError:
        raise InputError(f"{path}: not found; `dvc repro` makes it") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: is no parquet table: {error}") from error
