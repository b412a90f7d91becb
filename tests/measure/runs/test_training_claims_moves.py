"""How far other checkpoints and other batches move what is claimed of training."""

import numpy as np
import pandas as pd
import pytest

from embspace.measure.layers.layer_batches import SPREAD
from embspace.measure.runs.training_claims_moves import (
    dealt_anew,
    growth_over,
    rise_and_fall_over,
)


def test_one_checkpoint_more_or_less_is_in_the_interval() -> None:
    steps, means = np.arange(8), np.array([1.0, 2, 3, 4, 5, 6, 7, 0])
    correlation, _ = growth_over(steps, means)
    assert correlation.high == pytest.approx(1.0)  # without the last
    assert correlation.low <= correlation.value < correlation.high


def test_the_range_of_growth_is_exact_where_every_checkpoint_rises() -> None:
    correlation, settled = growth_over(np.arange(8), np.arange(8.0))
    assert (correlation.low, correlation.high) == pytest.approx((1, 1))
    # Two of eight are the last quarter; without the last but one, these are two steps apart.
    assert (settled.value, settled.high) == pytest.approx((1 / 7, 2 / 7))


def test_batches_dealt_anew_by_students_t() -> None:
    rows = pd.DataFrame({"step": 0, "value": [4.0, 4.0], "n_batches": 3, SPREAD: 0.2})
    # t of 2 degrees is 4.3027; .2 about the mean of 3 is .1414 of standard error.
    assert dealt_anew(rows) == pytest.approx(4.3027 * 0.2 / 2**0.5 / 4, rel=1e-4)


def test_a_single_batch_says_nothing_of_others() -> None:
    rows = pd.DataFrame({"step": [0, 0], "value": 4.0, "n_batches": [1, 3], SPREAD: [0.0, 0.2]})
    assert np.isnan(dealt_anew(rows)).all()


def test_a_fall_within_what_batches_move_is_uncertain() -> None:
    means = np.array([5.0, 10.0, 9.4])
    _, fall = rise_and_fall_over(means, np.full(3, 0.02))
    assert fall.value == pytest.approx(0.06) and fall.low < 0.05 < fall.high
    _, sure = rise_and_fall_over(means, np.full(3, 0.001))
    assert sure.low > 0.05
