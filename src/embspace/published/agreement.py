"""How well numbers of pairs agree with printed ones, and how well after renaming the things."""

from collections.abc import Mapping, Sequence
from math import isnan
from typing import NamedTuple

import numpy as np

from embspace.geometry.inference.mantel import mantel
from embspace.published.contents import Cell
from embspace.published.sources import Entry

LEVEL = 0.95


class Agreement(NamedTuple):
    """The correlation of printed numbers with ours, and what renaming gives."""

    correlation: float
    null_high: float
    """The quantile of 95 % over all names."""
    p_value: float


def agreement_of(
    printed: Sequence[Entry], column: str, rows: Sequence[Mapping[str, Cell]]
) -> Agreement:
    """Return how well the printed numbers of all pairs agree with a column of ours.

    The pairs are all pairs of 3 to 8 things, as `read_source` requires.

    Raises:
        LookupError: if the results lack a pair.
    """
    names = sorted({str(name) for entry in printed if entry.pair for name in entry.pair.values})
    printed_table, our_table = np.zeros((2, len(names), len(names)))
    for entry in printed:
        assert entry.pair  # as the schema says
        pair = {str(name) for name in entry.pair.values}
        matching = [
            row for row in rows if {str(row.get(key)) for key in entry.pair.columns} == pair
        ]
        number = matching[0][column] if len(matching) == 1 else None
        value = float("nan") if number in (None, "") else float(number)
        if isnan(value):
            raise LookupError(f"the results have no {column} of {' and '.join(sorted(pair))}")
        place = tuple(names.index(name) for name in sorted(pair))
        printed_table[place] = printed_table[place[::-1]] = float(entry.published[column])
        our_table[place] = our_table[place[::-1]] = value
    correlated = mantel(printed_table, our_table)
    return Agreement(
        correlated.correlation, float(np.quantile(correlated.null, LEVEL)), correlated.p_value
    )
