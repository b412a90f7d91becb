"""Types of heads by rules: bounds on features, which readers can change."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int


class Bounds(NamedTuple):
    """The allowed range of a feature, ends included."""

    at_least: float
    at_most: float


Conditions = Mapping[str, Bounds]
"""By feature; a type without conditions takes the heads that no other type takes."""


class Types(NamedTuple):
    """The type of every head, and the margin of the decision."""

    number: Int[np.ndarray, "*head"]
    """The number of the type among the rules."""
    margin: Float[np.ndarray, "*head"]
    """The distance of a head from a different type.

    The smaller of two distances: from the nearest feature to a bound of the head's type, and from
    the nearest earlier type to being fulfilled. A type without conditions has only the second. NaN
    without conditions.
    """


def slack(features: Mapping[str, Float[np.ndarray, "*head"]], conditions: Conditions) -> np.ndarray:
    """Return the smallest distance of a feature from its bounds: below 0 if a feature is outside.

    Infinite without conditions, NaN where a feature is not defined.
    """
    shape = next(iter(features.values())).shape
    nearest = np.full(shape, np.inf)
    for feature, bounds in conditions.items():
        value = features[feature]
        nearest = np.minimum(nearest, np.minimum(value - bounds.at_least, bounds.at_most - value))
    return nearest


def types_of(
    features: Mapping[str, Float[np.ndarray, "*head"]], rules: Mapping[str, Conditions]
) -> Types:
    """Return the first type, in the order of `rules`, with all conditions fulfilled by a head.

    A feature has a value by head, in an array of any shape. The last type has no conditions: every
    head has a type. A condition on an undefined feature is not fulfilled.
    """
    slacks = np.stack([slack(features, conditions) for conditions in rules.values()])
    holds: Bool[np.ndarray, ...] = slacks >= 0  # NaN is not
    number = holds.argmax(axis=0)
    own = np.take_along_axis(slacks, number[None], axis=0)[0]
    order = np.arange(len(slacks)).reshape(-1, *[1] * number.ndim)
    # What is not defined can not be fulfilled, however far it is.
    lacks = np.where((order < number) & ~np.isnan(slacks), -slacks, np.inf).min(axis=0)
    margin = np.minimum(own, lacks)
    return Types(number, np.where(np.isinf(margin), np.nan, margin))
