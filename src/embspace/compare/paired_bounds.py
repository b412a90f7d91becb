"""Bounds of the differences of two models, over the halves of the common units."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.geometry.inference.resampling import interval_bounds
from embspace.measure.tables.deviations import UNITS

OF_HALVES = [*UNITS, "deviations"]
BOUNDS = ["difference_low", "difference_high", "n_paired", "no_bounds"]
# Why a difference has no bounds.
POPULATION = "whole population"
NO_UNITS = "no independent units"
OTHER_UNITS = "other units"
OTHER_HALVES = "other halves"
FEW_UNITS = "fewer than four units"

Bounds = tuple[float, float, int | None, str | None]
"""The values of `BOUNDS`."""


def paired_bounds(differences: pd.Series, *halves: pd.DataFrame, level: float) -> pd.DataFrame:
    """The columns `BOUNDS` of the differences of two models.

    `halves` are the columns `OF_HALVES` of both models, a row a difference, empty for a value
    without halves; without `halves` everything is a whole population. With equal units the k-th
    halves are equal, and the common effect cancels. `no_bounds` gives the reason for missing bounds
    of an existing difference.
    """
    bounds: list[Bounds] = [(np.nan, np.nan, None, POPULATION)] * len(differences)
    if halves:
        one, other = map(_halves_of_rows, halves)
        rows = zip(differences, one, other, strict=True)
        bounds = [_bounds(*row, level=level) for row in rows]
    columns = pd.DataFrame(bounds, differences.index, BOUNDS)
    columns.loc[differences.isna(), "no_bounds"] = None
    return columns.astype({"n_paired": "Int64"})


@dataclass(frozen=True, eq=False)
class _Halves:
    """The deviations of half-samples from the value of all units."""

    n_units: int
    units: str
    """A digest of the units' names; empty for a value without halves."""
    deviations: Float[np.ndarray, " draw"]


def _halves_of_rows(placed: pd.DataFrame) -> list[_Halves]:
    return [
        _Halves(int(n), units, deviations)
        if isinstance(units, str)
        else _Halves(0, "", np.empty(0))
        for n, units, deviations in zip(*(placed[column] for column in OF_HALVES), strict=True)
    ]


def _bounds(difference: float, one: _Halves, other: _Halves, *, level: float) -> Bounds:
    reason = _lacking(one, other)
    if reason or np.isnan(difference):
        return np.nan, np.nan, None, reason
    apart = one.deviations - other.deviations
    low, high = interval_bounds(np.asarray(difference), apart, level=level)
    return float(low), float(high), one.n_units, None


def _lacking(one: _Halves, other: _Halves) -> str | None:
    """Why the halves of the two models do not match or do not suffice."""
    if not one.units or not other.units:
        return NO_UNITS
    if one.units != other.units:
        return OTHER_UNITS
    if one.deviations.shape != other.deviations.shape:
        return OTHER_HALVES
    if not len(one.deviations):
        return FEW_UNITS
    return None
