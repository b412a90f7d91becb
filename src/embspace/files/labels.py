"""Reads the names of rows, `label` and `group`, from a table of a user."""

from pathlib import Path
from typing import Any

import pandas as pd

from embspace.errors import InputError
from embspace.files.formats.encodings import advice
from embspace.files.formats.endings import GZIP, ending_of
from embspace.files.formats.number_tables import GROUP, LABELS, TABLES
from embspace.files.formats.row import NoRow
from embspace.files.formats.rows import rows_of
from embspace.files.formats.streams import NotUtf8Error, opened


def read_labels(path: str | Path) -> pd.DataFrame:
    """Return the rows' names: `label`, and `group` if the file has groups; strings, in order.

    A .csv, .tsv, .jsonl, .json, .parquet or .arrow with a column token or label.

    Raises:
        InputError: for an unknown ending, a missing column, or a row without a label.
    """
    file = Path(path).expanduser()
    ending = ending_of(file.name)
    if ending.removesuffix(GZIP) not in TABLES:
        raise InputError(f"{path}: found the ending '{ending}', allowed: {', '.join(TABLES)}")
    rows: list[dict[str, Any]] = []
    try:
        with opened(file) as stream:
            for line, row in rows_of(stream, ending, str(path)):
                if isinstance(row, NoRow):
                    raise InputError(f"{path}: cannot be read: line {line}: {row.reason}")
                rows.append(row)
    except NotUtf8Error as error:
        with opened(file) as stream:
            raise InputError(f"{path}: {error}{advice(file, stream.read())}") from None
    table = pd.DataFrame(rows)
    named = [column for column in LABELS if column in table]
    if len(named) != 1:
        raise InputError(
            f"{path}: found the columns {', '.join(map(str, table))}, allowed: one of "
            f"{' or '.join(LABELS)}, and {GROUP}"
        )
    labels = pd.DataFrame({"label": table[named[0]]})
    if GROUP in table:
        labels["group"] = table[GROUP]
    check_labels(labels, named[0], str(path))
    return labels.astype(str)


def check_labels(labels: pd.DataFrame, name: str, path: str) -> None:
    """Stop at a row without a label or a group; `name` is the column with the labels.

    Raises:
        InputError: naming the column and the first such row.
    """
    empty = labels.isna() | (labels.astype(str) == "")
    for column in labels:
        if empty[column].any():
            called = name if column == "label" else GROUP
            raise InputError(
                f"{path}: column '{called}': row {int(empty[column].argmax())} is empty"
            )
