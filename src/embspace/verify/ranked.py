"""Sorted lists: where values tie, rounding alone decides who ranks where and who is listed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from embspace.published.contents import Cell, RowName
from embspace.verify.deviation import LIMIT, deviation, number
from embspace.verify.rules import Kind, Ranked

Cells = Mapping[str, Cell]
Group = tuple[Cell, ...]


@dataclass(frozen=True)
class RankedList:
    """The rows of two versions of a table with possibly several ranked lists, one for each group.

    Two values tie within twice the tolerance: both may have moved by one tolerance.
    """

    ranked: Ranked
    kind: Kind
    """The kind of the ranking values."""
    groups: tuple[str, ...]
    """The columns that identify a list."""
    before: Mapping[RowName, Cells]
    after: Mapping[RowName, Cells]

    def missing(self) -> list[RowName]:
        """Return the rows that have vanished, except ties with the last row of their list."""
        gone = [row for row in self.before if row not in self.after]
        return [row for row in gone if not self._ties_with_last(self.before[row])]

    def extra(self) -> list[RowName]:
        """Return the rows that are new, except ties with the last row of their list."""
        come = [row for row in self.after if row not in self.before]
        return [row for row in come if not self._ties_with_last(self.after[row])]

    def rank_deviation(self, row: RowName) -> float:
        """Return how far a row is from a tie at its new rank; 0 if it has not moved."""
        before, after = self.before[row], self.after[row]
        rank = self.ranked.rank
        if before[rank] == after[rank]:
            return 0.0
        for other in self._list(self.before, before):
            if other[rank] == after[rank]:
                return self._distance(before, other)
        return math.inf

    def _ties_with_last(self, cells: Cells) -> bool:
        before, after = self._list(self.before, cells), self._list(self.after, cells)
        if not before or len(before) != len(after):
            return False
        last = max(before, key=lambda other: number(other[self.ranked.rank]) or 0.0)
        return self._distance(last, cells) <= LIMIT

    def _list(self, rows: Mapping[RowName, Cells], cells: Cells) -> list[Cells]:
        return [other for other in rows.values() if self._group(other) == self._group(cells)]

    def _group(self, cells: Cells) -> Group:
        return tuple(cells[column] for column in self.groups)

    def _distance(self, first: Cells, second: Cells) -> float:
        return deviation(first[self.ranked.by], second[self.ranked.by], self.kind) / 2
