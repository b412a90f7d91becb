import numpy as np
import pytest

from embspace.project.layouts.start import jittered_start
from tests.project.layouts.clouds import gaussian

wide = gaussian(5000, 2).astype(np.float64) * [40, 4] + 7


def test_has_mean_zero_and_width_one() -> None:
    start = jittered_start(wide, jitter=0.0, seed=0)
    assert start.mean(axis=0) == pytest.approx([0, 0], abs=1e-12)
    assert start.std(axis=0) == pytest.approx([1, 0.1], rel=0.05)
    assert jittered_start(1e-9 * wide, jitter=0.0, seed=0) == pytest.approx(start)


def test_jitter_is_noise_of_that_width() -> None:
    noise = jittered_start(wide, jitter=0.01, seed=0) - jittered_start(wide, jitter=0.0, seed=0)
    assert noise.std(axis=0) == pytest.approx([0.01, 0.01], rel=0.05)  # 5 standard errors


def test_seeds_differ_and_repeat() -> None:
    one, other, again = (jittered_start(wide, jitter=0.01, seed=seed) for seed in (0, 1, 0))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_a_single_place_becomes_noise() -> None:
    start = jittered_start(np.ones((4000, 2)), jitter=0.01, seed=0)
    assert start.std(axis=0) == pytest.approx([0.01, 0.01], rel=0.1)
