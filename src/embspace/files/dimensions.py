"""Tells the dimensions of a table of numbers from its names and numbers of rows."""

import re
from collections import Counter

import numpy as np
import pandas as pd

from embspace.errors import InputError
from embspace.files.formats.number_cells import NumberTable
from embspace.files.formats.number_tables import GROUP, LABELS, NO_DIMENSION
from embspace.files.labels import check_labels

# A column of numbers with such a name counts rows, and is no dimension.
IDENTITY = re.compile(
    r"(.*[_\-. ])?(id|ids|index|idx|row|nr|no|uid|uuid|pk)|(doc|text|row|item|word|token)id", re.I
)


def dimensions_and_labels(table: NumberTable, path: str) -> tuple[np.ndarray, pd.DataFrame | None]:
    """Return the dimensions of a table, and the row names; None without names.

    Raises:
        InputError: naming a column that is neither a dimension nor a name.
    """
    words = {name.lower(): column for name, column in table.words.items()}
    x, names, identities = table.numbers, table.names, dict[str, list[str]]()
    for name in words.keys() - {*NO_DIMENSION}:
        if names is not None:
            raise InputError(
                f"{path}: column '{name}': found str values, allowed: numbers; no dimensions are "
                f"{', '.join(NO_DIMENSION)}"
            )
    if names is not None:
        kept = []
        for place, name in enumerate(names):
            if IDENTITY.fullmatch(name) and not name.isdigit():
                identities[name] = _numbers_of_rows(path, name, x[:, place])
            elif not name or name.startswith("Unnamed: "):
                _check_index(path, x[:, place], place)
            else:
                kept.append(place)
        _check_alike([names[place] for place in kept], path)
        x = x[:, kept]
    named = [name for name in LABELS if name in words]
    if len(named) > 1:
        raise InputError(f"{path}: found the columns {', '.join(named)}, allowed: one of them")
    label = words[named[0]] if named else table.row_names or words.get("id")
    label = label or next(iter(identities.values()), None)
    if label is None and GROUP not in words:
        return x, None
    labels = pd.DataFrame({"label": label or [str(row) for row in range(len(x))]})
    if GROUP in words:
        labels["group"] = words[GROUP]
    check_labels(labels, named[0] if named else "names of rows", path)
    return x, labels.astype(str)


def _numbers_of_rows(path: str, name: str, column: np.ndarray) -> list[str]:
    """Return the row numbers from a column named like row numbers.

    Raises:
        InputError: if a number has a fraction, or is repeated.
    """
    if len(np.unique(column)) < len(column) or (column != np.round(column)).any():
        raise InputError(
            f"{path}: column '{name}': found no number a row, allowed: different whole numbers, or "
            "another name if it is a dimension"
        )
    return [str(int(value)) for value in column]


def _check_index(path: str, column: np.ndarray, place: int) -> None:
    """Stop at a column without a name, unless it counts rows, as pandas' index does."""
    if place or not np.isin(np.diff(column), 1).all():
        raise InputError(f"{path}: a column has no name: is it an index, and no dimension?")


def _check_alike(names: list[str], path: str) -> None:
    """Stop at a column of numbers with a different kind of name than the remaining columns.

    Raises:
        InputError: naming the column.
    """
    stems = [re.sub(r"\d+$", "", name) if re.search(r"\d$", name) else None for name in names]
    counts = Counter(stem for stem in stems if stem is not None)
    stem, n = counts.most_common(1)[0] if counts else ("", 0)
    if n < 3 or n == len(names):
        return
    odd = next(name for name, other in zip(names, stems, strict=True) if other != stem)
    alike = [name for name, other in zip(names, stems, strict=True) if other == stem]
    raise InputError(
        f"{path}: column '{odd}': others are called {alike[0]} … {alike[-1]}; is it a dimension? "
        "One that is none is called label, group or id"
    )
