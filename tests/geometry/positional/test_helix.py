import numpy as np
import pytest

from embspace.geometry.maps.pca import principal_components
from embspace.geometry.positional.helix import (
    advance,
    cumulative_turns,
    dominant_frequency,
    periodogram,
    spectral_peak,
    winding,
    winding_plane,
)
from tests.geometry.planted import helix, noise

POSITIONS = np.arange(384)


def plane_of(x: np.ndarray, positions: np.ndarray = POSITIONS) -> np.ndarray:
    return winding_plane(principal_components(x, n_components=3).coordinates, positions)


@pytest.mark.parametrize("period", [5.5, 16.0, 22.0, 63.0])
def test_the_period_of_a_planted_helix_is_found(period):
    plane = plane_of(helix(period=period))
    turning, peak = winding(plane, POSITIONS), spectral_peak(plane, POSITIONS)
    assert turning.period == pytest.approx(period, rel=0.02)
    assert abs(turning.n_turns) == pytest.approx(383 / period, abs=0.3)
    assert turning.coherence > 0.98
    assert peak.period == pytest.approx(period, rel=0.02)
    assert peak.power_share > 0.9


def test_gaps_do_not_matter():
    kept = np.setdiff1d(POSITIONS, [0, 127, 128, 300])
    plane = plane_of(helix()[kept], kept)
    assert winding(plane, kept).period == pytest.approx(22, rel=0.02)
    assert spectral_peak(plane, kept).period == pytest.approx(22, rel=0.02)


def test_rotation_shift_and_scale_do_not_matter_and_reversal_turns_the_other_way():
    x = helix()
    rotation = np.linalg.qr(noise(48, 48))[0]
    here, there = plane_of(x), plane_of(3 * x @ rotation + 5)
    assert np.abs(there) == pytest.approx(3 * np.abs(here), rel=1e-4)
    assert abs(winding(there, POSITIONS).n_turns) == pytest.approx(
        abs(winding(here, POSITIONS).n_turns), rel=1e-4
    )
    turns = winding(here, POSITIONS).n_turns
    assert winding(here[::-1], POSITIONS).n_turns == pytest.approx(-turns)


def test_a_screw_to_the_right_turns_to_the_left_seen_against_its_axis():
    angle = 2 * np.pi * np.arange(61) / 20
    screw = np.column_stack([np.cos(angle), np.sin(angle), np.arange(61)])
    turns = winding(winding_plane(screw, np.arange(61)), np.arange(61)).n_turns
    assert turns == pytest.approx(3, abs=0.2)
    mirrored = winding_plane(screw * [-1, 1, 1], np.arange(61))
    assert winding(mirrored, np.arange(61)).n_turns == pytest.approx(-turns)


def test_how_far_away_a_path_lies_does_not_matter():
    # In whole numbers far under 2^53, so that nothing is rounded on the way.
    square = np.array([[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]] * 2, dtype=np.float64)
    square[:, 2] = np.arange(8)
    here = winding_plane(square, np.arange(8))
    assert winding_plane(square + 2.0**49, np.arange(8)) == pytest.approx(here, rel=1e-9)


def test_a_helix_advances_and_a_path_up_and_down_does_not():
    path = principal_components(helix(), n_components=3).coordinates
    assert advance(path, POSITIONS) > 0.99
    up_and_down = np.concatenate([path[::2], path[::-2]])
    assert advance(up_and_down, POSITIONS) < 0.2


def test_noise_has_neither_coherence_nor_a_peak():
    plane = winding_plane(noise(384, 3).astype(float), POSITIONS)
    assert winding(plane, POSITIONS).coherence < 0.2
    assert spectral_peak(plane, POSITIONS).power_share < 0.06


def test_turns_of_a_circle_are_counted_exactly():
    circle = np.exp(2j * np.pi * np.arange(41) / 20)
    assert cumulative_turns(circle)[[0, 20, 40]] == pytest.approx([0, 1, 2])
    assert winding(circle, np.arange(41)).coherence == pytest.approx(1)
    still = winding(np.ones(5, dtype=np.complex128), np.arange(5))
    assert (still.n_turns, still.period) == (0, np.inf)


def test_the_periodogram_knows_the_direction():
    turning = np.exp(2j * np.pi * np.arange(100) / 10)
    power, frequencies = periodogram(turning, np.arange(100))
    assert frequencies[np.argmax(power)] == pytest.approx(0.1)


def test_a_period_of_half_the_path_is_looked_for_and_no_longer_one():
    positions = np.arange(64)
    half = spectral_peak(np.exp(2j * np.pi * positions / 32), positions)
    assert half.period == 32
    whole = spectral_peak(np.exp(2j * np.pi * positions / 64), positions)
    assert whole.period == 32  # the longest that is looked for


def test_the_plain_transform_finds_a_multiple_of_one_over_n():
    wave = np.cos(2 * np.pi * 8 * np.arange(128) / 128) + 3
    assert dominant_frequency(wave) == 0.0625


def test_what_has_no_axis_is_refused():
    with pytest.raises(ValueError, match="at least 4 points, found 3"):
        winding_plane(np.zeros((3, 3)), np.arange(3))
    with pytest.raises(ValueError, match="does not advance"):
        winding_plane(np.ones((5, 3)), np.arange(5))


def test_four_points_have_an_axis():
    path = np.array([[1.0, 0, 0], [0, 1, 1], [-1, 0, 2], [0, -1, 3]])
    assert 0 < advance(path, np.arange(4)) <= 1
    assert len(winding_plane(path, np.arange(4))) == 4
