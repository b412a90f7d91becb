"""Shapes that are known, and draws of blocks that have none."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from embspace.measure.layers.layer_shapes import (
    ShapeRules,
    bell_conditions,
    flat_conditions,
    order_p_value,
    verdict_of,
)

RULES = ShapeRules(flat_range=0.05, bell_height=0.1, order_p_value=0.05)
N_DRAWS = 2000


def verdict(conditions_of: Callable[..., Any], value: Any, half_width: float = 0.0) -> str:
    value = np.asarray(value, dtype=float)
    return verdict_of(conditions_of(value, value - half_width, value + half_width, RULES))


def share_of_matches(conditions_of: Callable[..., Any], draw: Callable[[Any], Any]) -> float:
    rng = np.random.default_rng(7)
    verdicts = [verdict(conditions_of, draw(rng)) for _ in range(N_DRAWS)]
    return verdicts.count("matches") / N_DRAWS


def test_blocks_in_random_order_are_seldom_a_bell() -> None:
    # 6 blocks: few enough for all orders. The bound holds up to the error of 2,000 draws.
    assert share_of_matches(bell_conditions, lambda rng: rng.random(6)) < 0.065
    assert share_of_matches(flat_conditions, lambda rng: rng.random(6)) == 0


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


def test_the_share_of_orders_is_exact_and_its_limit_close() -> None:
    # Both top blocks, both next and both last: 2 x 2 x 2 of 720 orders.
    assert order_p_value(np.array([1.0, 2, 3, 3.1, 2.1, 1.1])) == pytest.approx(8 / 720)
    rng, value = np.random.default_rng(3), np.random.default_rng(4).random(9)
    parabola = -((np.arange(9) - 4.0) ** 2)
    drawn = np.array([parabola @ rng.permutation(value) for _ in range(20_000)])
    share = float((drawn >= parabola @ value).mean())
    assert order_p_value(value) == pytest.approx(share, abs=0.03)


def test_the_interval_of_a_range_has_all_ranges_within_the_blocks_intervals() -> None:
    (condition,) = flat_conditions(
        *(np.array([1.0, 1.2, 1.1]) + by for by in (0, -0.1, 0.1)), RULES
    )
    ends = condition.statistic.low * 1.1, condition.statistic.high * 1.1
    assert ends == pytest.approx((0.0, 0.4))
