"""Sums over units of texts, kept apart: any half's sums follow from them, without the vectors."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Generic, TypeVar

import numpy as np
from jaxtyping import Bool, Float

from embspace.geometry.measures.direction_sums import DirectionSums
from embspace.geometry.measures.texts.text_cosines import TextCosines
from embspace.geometry.measures.texts.text_means import TextMeans
from embspace.geometry.pairs.moments import Moments, moments_of

Sums = TypeVar("Sums", Moments, DirectionSums, TextCosines, TextMeans)
SHARED = "origin"  # which does not add up: all units have one
KEPT_APART = (SHARED, "rows")  # which no unit has that is to be added up
COUNTS = ("n", "n_directed", "n_texts")


class UnitSums(Generic[Sums]):
    """The sums of every unit, and of any choice of units."""

    def __init__(self, units: list[Sums]) -> None:
        self._kind: type[Sums] = type(units[0])
        self._origin = getattr(units[0], SHARED, None)
        names = [field.name for field in fields(units[0]) if field.name not in KEPT_APART]
        self._shapes = {name: np.shape(getattr(units[0], name)) for name in names}
        self._stacks = {
            name: np.stack([np.ravel(getattr(unit, name)) for unit in units]) for name in names
        }

    def of(self, chosen: Bool[np.ndarray, "choice unit"]) -> list[Sums]:
        """Return the sums over the units of every choice."""
        weights = chosen.astype(np.float64)
        totals = {name: weights @ stack for name, stack in self._stacks.items()}
        return [self._choice(totals, number) for number in range(len(chosen))]

    def _choice(self, totals: dict[str, np.ndarray], number: int) -> Sums:
        columns: dict[str, Any] = {} if self._origin is None else {SHARED: self._origin}
        for name, shape in self._shapes.items():
            value = totals[name][number].reshape(shape)
            columns[name] = value if shape else int(value) if name in COUNTS else float(value)
        return self._kind(**columns)


class UnitMoments:
    """The moments of the vectors of choices of units, for products too many to keep.

    Moments of some units are held at a time, and all choices are updated in one look at a unit.
    """

    def __init__(
        self,
        x: Float[np.ndarray, "n dim"],
        units: Sequence[np.ndarray],
        origin: Float[np.ndarray, " dim"],
        most_numbers: int,
    ) -> None:
        """Take the rows of every unit; hold `most_numbers` of products, or those of one unit."""
        self._x, self._units, self._origin = x, units, origin
        self._n_held = max(1, most_numbers // x.shape[1] ** 2)

    def of(self, chosen: Bool[np.ndarray, "choice unit"]) -> list[Moments]:
        """Return the moments of the units of every choice, about the origin."""
        totals: list[Moments] = []
        for first in range(0, len(self._units), self._n_held):
            some = slice(first, first + self._n_held)
            held = [moments_of(self._x[rows], self._origin) for rows in self._units[some]]
            parts = UnitSums(held).of(chosen[:, some])
            totals = [a + b for a, b in zip(totals, parts, strict=True)] if totals else parts
        return totals
