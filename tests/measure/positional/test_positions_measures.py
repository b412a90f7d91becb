import numpy as np
import pytest

from embspace.measure.positional.positions_measures import cosine_measures
from tests.geometry.planted import noise, smooth_table

N = 128
SETTINGS = {"largest_offsets": [8, 511], "wave_offsets": 128, "n_first": 10}


def measured(x: np.ndarray) -> dict[tuple[str, ...], float]:
    return cosine_measures(x, np.arange(len(x)), **SETTINGS)


def test_waves_are_beyond_noise_and_so_is_their_pattern():
    waves, plain = measured(smooth_table(N)), measured(noise(N))
    for name in ("wave_amplitude", "pattern_share", "first_profile_gain", "fall"):
        assert waves[name, "128"] > 0.2 > plain[name, "128"], name
    assert waves["first_translation_invariance", "128"] > 0.8
    assert abs(waves["first_forward_excess", "128"]) < 0.1


def test_a_window_larger_than_that_of_the_waves_is_left_out():
    assert {largest for name, largest in measured(noise(N)) if name == "symmetry"} == {"8"}


def test_the_first_positions_are_the_first():
    x = noise(N)
    x[60:] = smooth_table(N)[60:]
    assert measured(x)["first_translation_invariance", "128"] < 0.3
    assert measured(x[::-1])["first_translation_invariance", "128"] > 0.6


def test_five_positions_have_no_wave():
    few = cosine_measures(noise(5), np.arange(5), **SETTINGS)
    assert np.isnan(few["wave_amplitude", "128"])
    assert few["monotonicity", "8"] == pytest.approx(0.5, abs=0.5)
