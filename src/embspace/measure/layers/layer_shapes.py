"""Decides whether the values of a model's blocks are flat or a bell, by one rule for all tables."""

import operator
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from math import erfc, nan, sqrt
from typing import Literal

import numpy as np
from jaxtyping import Float, Int

from embspace.files.tables import Row
from embspace.settings.schema import Strict
from embspace.settings.types import Share

COMPARISONS = {"<=": operator.le, "<": operator.lt, ">": operator.gt, ">=": operator.ge}
MATCHES, DIFFERS, UNDECIDED, CANNOT = "matches", "differs", "undecided", "not checkable"
FLAT, BELL = "flat over layers", "bell-shaped over layers"
RANGE = "top variance share, range over the blocks, over the mean"
HEIGHT = "top variance share, middle third of the blocks less the others, over the mean"
INNER = "largest of the inner blocks less the larger of the first and the last"
FEWEST = 3  # blocks that have a middle
MOST_IN_ALL_WALKS = 7  # blocks: 46,080 walks
StatisticName = Literal["value", "second_value", "walk_p_value"]


class ShapeRules(Strict):
    """The bounds that decide on a shape."""

    flat_range: Share  # of the mean of all blocks, that these lie apart by at most
    bell_height: Share  # middle third of the blocks over the others, of the mean of all
    walk_p_value: Share  # share of random walks that are as much of a bell, at most


@dataclass(frozen=True)
class Statistic:
    """A number with its interval; NaN as an end: how far the number may move is unknown."""

    words: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Condition:
    """A comparison of a statistic with a bound."""

    name: StatisticName
    statistic: Statistic
    sign: str
    bound: float

    @property
    def words(self) -> str:
        """Return the comparison as the tables write it."""
        return f"{self.name} {self.sign} {self.bound:g}"

    def holds(self) -> bool | None:
        """Return whether the comparison holds on the whole interval; None if on a part, or unknown.

        A p-value above the bound decides nothing: it does not show that chance made the shape.
        """
        if self.name == "walk_p_value":
            return COMPARISONS[self.sign](self.statistic.value, self.bound) or None
        ends = (self.statistic.low, self.statistic.high)
        if any(map(np.isnan, ends)):
            return None
        outcomes = {bool(COMPARISONS[self.sign](end, self.bound)) for end in ends}
        return outcomes.pop() if len(outcomes) == 1 else None


def verdict_of(conditions: list[Condition]) -> str:
    """Return `matches` if all conditions hold, `differs` if any holds nowhere, else `undecided`."""
    if any(np.isnan(condition.statistic.value) for condition in conditions):
        return CANNOT
    outcomes = [condition.holds() for condition in conditions]
    if False in outcomes:
        return DIFFERS
    return UNDECIDED if None in outcomes else MATCHES


def statistics_of(conditions: list[Condition]) -> Row:
    """Return the columns that the statistics fill in a claim's table."""
    columns = {
        "value": ("statistic", "value", "low", "high"),
        "second_value": ("second_statistic", "second_value", "second_low", "second_high"),
    }
    row: Row = {}
    for condition in conditions:
        number = condition.statistic
        if condition.name == "walk_p_value":
            row["walk_p_value"] = number.value
        else:
            numbers = (number.words, number.value, number.low, number.high)
            row |= dict(zip(columns[condition.name], numbers, strict=True))
    return row


def certain(words: str, value: float) -> Statistic:
    """Return a statistic without uncertainty."""
    return Statistic(words, value, value, value)


def flat_conditions(
    value: Float[np.ndarray, " block"],
    low: Float[np.ndarray, " block"],
    high: Float[np.ndarray, " block"],
    rules: ShapeRules,
) -> list[Condition]:
    """Flat: the blocks lie apart by at most a share of their mean, in whatever order.

    The interval has all ranges of values within the blocks' intervals; it is too wide where blocks
    rise and fall together.
    """
    if len(value) < FEWEST:
        return [Condition("value", certain(RANGE, nan), "<=", rules.flat_range)]
    mean = value.mean()
    least, most = max(low.max() - high.min(), 0.0), high.max() - low.min()
    statistic = Statistic(RANGE, float(np.ptp(value) / mean), least / mean, most / mean)
    return [Condition("value", statistic, "<=", rules.flat_range)]


def bell_conditions(
    value: Float[np.ndarray, " block"],
    low: Float[np.ndarray, " block"],
    high: Float[np.ndarray, " block"],
    rules: ShapeRules,
) -> list[Condition]:
    """Bell: higher in the middle than outside, with the top inside, and more so than random walks.

    Neighboring layers are alike, so blocks in random order would be too easy a null. With fewer
    than 5 blocks, more than a twentieth of the walks are as much of a bell, and the usual
    `walk_p_value` of .05 is out of reach.
    """
    if len(value) < FEWEST:
        return [Condition("value", certain(HEIGHT, nan), ">", rules.bell_height)]
    inner, outer = slice(1, -1), [0, -1]
    above = Statistic(
        INNER,
        float(value[inner].max() - value[outer].max()),
        float(low[inner].max() - high[outer].max()),
        float(high[inner].max() - low[outer].max()),
    )
    share = walk_p_value(value) if _least_p_value(len(value)) <= rules.walk_p_value else nan
    walks = certain("share of the random walks that are as much of a bell", share)
    return [
        Condition("value", _height(value, low, high), ">", rules.bell_height),
        Condition("second_value", above, ">", 0.0),
        Condition("walk_p_value", walks, "<=", rules.walk_p_value),
    ]


def _height(
    value: Float[np.ndarray, " block"],
    low: Float[np.ndarray, " block"],
    high: Float[np.ndarray, " block"],
) -> Statistic:
    """Return the mean of the middle third less the mean of the outer thirds, over the mean of all.

    The interval is recovered from the blocks' intervals (Zou & Donner 2008); it is too wide where
    blocks rise and fall together.
    """
    third = max(len(value) // 3, 1)
    weights = np.full(len(value), -1.0 / (2 * third))
    weights[third:-third] = 1.0 / (len(value) - 2 * third)
    weights /= value.mean()
    height = float(weights @ value)
    down = np.where(weights > 0, value - low, high - value)
    up = np.where(weights > 0, high - value, value - low)
    below, above = (float(np.linalg.norm(weights * part)) for part in (down, up))
    return Statistic(HEIGHT, height, height - below, height + above)


def walk_p_value(value: Float[np.ndarray, " block"]) -> float:
    """Return the share of random walks with the same steps that are at least as high in the middle.

    The steps from block to block are taken in any order, up or down. The height in the middle is
    the covariance of the values with a parabola over the layers. For more than 7 blocks, the share
    is the normal limit of this covariance over all walks.
    """
    steps, weights = np.diff(value), _step_weights(len(value))
    covariance = weights @ steps
    if len(value) <= MOST_IN_ALL_WALKS:
        orders, signs = _walks(len(steps))
        walks = (np.abs(steps)[orders] * weights) @ signs.T
        # Walks that differ by rounding alone are as much of a bell.
        slack = 1e-9 * np.linalg.norm(weights) * np.linalg.norm(steps)
        return float((walks >= covariance - slack).mean())
    spread = np.linalg.norm(weights) * np.linalg.norm(steps) / sqrt(len(steps))
    return 0.5 * erfc(float(covariance / spread) / sqrt(2)) if spread else 1.0


@cache
def _walks(n: int) -> tuple[Int[np.ndarray, "order step"], Int[np.ndarray, "sign step"]]:
    orders = np.array(list(permutations(range(n))))
    return orders, np.array(list(product((-1, 1), repeat=n)))


def _step_weights(n: int) -> Float[np.ndarray, " step"]:
    """Return the weight of every step in the covariance: the sum of the parabola after the step."""
    return _parabola(n)[::-1].cumsum()[::-1][1:]


def _parabola(n: int) -> Float[np.ndarray, " block"]:
    squares = -((np.arange(n) - (n - 1) / 2) ** 2)
    return squares - squares.mean()


@cache
def _least_p_value(n: int) -> float:
    """Return the share of random walks that are at least as much of a bell as a perfect one."""
    return walk_p_value(_parabola(n))
