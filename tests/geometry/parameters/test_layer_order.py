"""Holds the order of matched layers to exact values."""

import math
from itertools import permutations

import numpy as np
import pytest

from embspace.geometry.parameters.layer_order import share_in_order


@pytest.mark.parametrize(
    ("order", "share"),
    [([0, 1, 2], 1.0), ([2, 1, 0], 0.0), ([0, 2, 1], 2 / 3), ([-1, 0, -1, 1], 1.0)],
)
def test_exact_values(order: list[int], share: float) -> None:
    assert share_in_order(np.array(order)) == pytest.approx(share)


def test_at_random_it_is_a_half() -> None:
    shares = [share_in_order(np.array(order)) for order in permutations(range(4))]
    assert np.mean(shares) == pytest.approx(0.5)


def test_a_single_match_has_no_order() -> None:
    assert math.isnan(share_in_order(np.array([-1, 3])))
