"""Shapes that are known, and draws of blocks that have none."""

from collections.abc import Callable
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from embspace.measure.layers.layer_shapes import (
    ShapeRules,
    bell_conditions,
    flat_conditions,
    verdict_of,
    walk_p_value,
)

RULES = ShapeRules(flat_range=0.05, bell_height=0.1, walk_p_value=0.05)
N_DRAWS = 2000


def verdict(conditions_of: Callable[..., Any], value: Any, half_width: float = 0.0) -> str:
    value = np.asarray(value, dtype=float)
    return verdict_of(conditions_of(value, value - half_width, value + half_width, RULES))


def share_of_matches(conditions_of: Callable[..., Any], draw: Callable[[Any], Any]) -> float:
    rng = np.random.default_rng(7)
    verdicts = [verdict(conditions_of, draw(rng)) for _ in range(N_DRAWS)]
    return verdicts.count("matches") / N_DRAWS


@pytest.mark.parametrize("n_blocks", [6, 12, 30])
def test_random_walks_and_random_orders_are_seldom_a_bell(n_blocks: int) -> None:
    def walk(rng: Any) -> Any:
        return 20 + rng.normal(size=n_blocks).cumsum()

    # The bound holds up to the error of 2,000 draws.
    assert share_of_matches(bell_conditions, walk) < 0.065
    assert share_of_matches(bell_conditions, lambda rng: rng.random(n_blocks)) < 0.065
    assert share_of_matches(flat_conditions, lambda rng: rng.random(n_blocks)) == 0


def test_a_straight_line_is_seldom_flat_and_never_a_bell() -> None:
    def line(rng: Any) -> Any:
        return np.linspace(*rng.random(2), 6)

    # P(|a - b| <= .05 (a + b) / 2) = 1 - .975 / 1.025 = .0488 of ends from 0 to 1.
    assert share_of_matches(flat_conditions, line) == pytest.approx(0.0488, abs=0.015)
    assert share_of_matches(bell_conditions, line) == 0


def test_a_slope_is_not_flat_although_its_middle_is_no_higher() -> None:
    assert verdict(flat_conditions, [0.33, 0.31, 0.29, 0.27, 0.25, 0.23]) == "differs"


def test_a_bell_has_its_top_inside_and_both_conditions() -> None:
    assert verdict(bell_conditions, [1, 2, 3, 3, 2, 1]) == "matches"
    assert verdict(bell_conditions, [0.1, 0.1, 0.8, 0.8, 0.1, 0.9]) == "differs"


def test_what_chance_may_have_made_is_undecided() -> None:
    late = [0.0678, 0.0719, 0.0756, 0.0968, 0.1073, 0.0350]
    assert verdict(bell_conditions, late) == "undecided"


def test_the_share_of_walks_is_exact_and_its_limit_close() -> None:
    assert walk_p_value(np.array([0.0, 1, 3, 3, 2, 0])) == pytest.approx(
        _by_hand([1, 2, 0, -1, -2])
    )
    rng, value = np.random.default_rng(3), np.random.default_rng(4).random(9)
    steps, parabola = np.diff(value), -((np.arange(9) - 4.0) ** 2)
    walks = [
        np.r_[0, (rng.permutation(steps) * rng.choice([-1, 1], 8)).cumsum()] for _ in range(20_000)
    ]
    heights = np.array([(parabola - parabola.mean()) @ walk for walk in walks])
    share = float((heights >= (parabola - parabola.mean()) @ value).mean())
    assert walk_p_value(value) == pytest.approx(share, abs=0.02)


def _by_hand(steps: list[int]) -> float:
    """Every walk, built block by block."""
    parabola = -((np.arange(6) - 2.5) ** 2)
    parabola -= parabola.mean()
    own = parabola @ np.r_[0, np.cumsum(steps)]
    heights = [
        parabola @ np.r_[0, np.cumsum(np.array(order) * sign)]
        for order in permutations(np.abs(steps))
        for sign in product((-1, 1), repeat=5)
    ]
    return float(np.mean(np.array(heights) >= own - 1e-9))


def test_steps_that_are_equal_make_a_bell_by_their_signs_alone() -> None:
    # Up, up, any, down, down: 1 of 16 walks.
    assert walk_p_value(np.array([0.0, 1, 2, 3, 2, 1])) == pytest.approx(1 / 16)


def test_the_interval_of_a_range_has_all_ranges_within_the_blocks_intervals() -> None:
    (condition,) = flat_conditions(
        *(np.array([1.0, 1.2, 1.1]) + by for by in (0, -0.1, 0.1)), RULES
    )
    ends = condition.statistic.low * 1.1, condition.statistic.high * 1.1
    assert ends == pytest.approx((0.0, 0.4))


def test_the_intervals_of_a_bell_are_by_hand() -> None:
    value = np.array([1.0, 2, 3, 4, 2, 0])
    height, above, _ = (
        condition.statistic for condition in bell_conditions(value, value - 0.3, value + 0.4, RULES)
    )
    # Two middle blocks have the weight 1/4 each, the four others -1/8, over the mean of 2.
    assert height.value == pytest.approx(1.125)
    assert height.value - height.low == pytest.approx(np.sqrt(2 * 0.075**2 + 4 * 0.05**2))
    assert height.high - height.value == pytest.approx(np.sqrt(2 * 0.1**2 + 4 * 0.0375**2))
    assert (above.value, above.low, above.high) == pytest.approx((3, 3.7 - 1.4, 4.4 - 0.7))
