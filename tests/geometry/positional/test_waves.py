import numpy as np
import pytest

from embspace.geometry.pairs.directions import cosine_matrix
from embspace.geometry.positional.position_properties import cosines_by_offset
from embspace.geometry.positional.waves import (
    both_ways,
    falling_wave,
    pattern_share,
    profile_gain,
)
from tests.geometry.planted import noise, sinusoidal, smooth_table

STEPS = np.arange(128)


def by_offset(x: np.ndarray, largest: int = 64) -> np.ndarray:
    return cosines_by_offset(cosine_matrix(x), np.arange(len(x)), largest)


def test_a_wave_on_a_fall_has_its_period_and_amplitude():
    wave = falling_wave(np.exp(-STEPS / 40) + 0.3 * np.cos(2 * np.pi * STEPS / 8))
    assert wave.period == pytest.approx(8, rel=0.03)
    # The falling fit takes the fall, and a part of each wave.
    assert wave.amplitude == pytest.approx(0.3, abs=0.05)
    half = falling_wave(0.5 * np.exp(-STEPS / 40) + 0.15 * np.cos(2 * np.pi * STEPS / 8))
    assert half.amplitude == pytest.approx(wave.amplitude / 2)


def test_a_fall_without_a_wave_has_none():
    assert falling_wave(1 / (1 + STEPS.astype(float))).amplitude == 0
    assert np.isnan(falling_wave(np.linspace(1, 0, 40)).period)


def test_a_pattern_is_what_the_offset_explains_but_no_fall():
    waves = smooth_table(128, 96)
    assert 0.3 < pattern_share(by_offset(waves)) < 1
    smooth = sinusoidal(128, 128)[:, [31, 95]]  # one slow wave: cosines fall up to half of it
    assert pattern_share(by_offset(smooth, 8)) == pytest.approx(0, abs=1e-6)
    assert pattern_share(by_offset(noise(128, 96))) < 0.02
    assert np.isnan(pattern_share(np.full((3, 4), np.nan)))
    assert np.isnan(pattern_share(np.ones((3, 4))))


def test_a_profile_that_goes_along_gains_and_one_that_stands_loses():
    rows = np.arange(10)
    moving = np.tile(np.cos(2 * np.pi * np.arange(1, 65) / 6)[:, np.newaxis], 128)
    assert profile_gain(moving, rows) > 0.9
    place = np.add.outer(np.arange(1, 65), np.arange(128))
    assert profile_gain(np.cos(2 * np.pi * place / 6), rows) < -0.9


def test_both_ways_are_as_far():
    positions = np.array([1, 2, 3, 5, 6])
    cosines = np.full((5, 5), np.nan)
    cosines[2, 0] = cosines[0, 2] = 0.1  # 3 and 1, two before
    cosines[2, 3] = cosines[3, 2] = 0.7  # 3 and 5, two after
    assert both_ways(cosines, positions, np.array([3])) == pytest.approx((0.1, 0.7))
    assert np.isnan(both_ways(cosines, positions, np.array([1]))).all()
