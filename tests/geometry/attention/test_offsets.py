import numpy as np

from embspace.geometry.attention.offsets import maps_by_offset, offset_profile, offset_sums
from tests.geometry.attention.heads import band, previous, random_heads


def test_sums_are_traces_of_the_diagonals():
    maps = random_heads(3, 7)
    expected = [[np.trace(weights, k) for k in range(-6, 7)] for weights in maps]
    np.testing.assert_allclose(offset_sums(maps), expected, rtol=1e-6)


def test_a_head_of_the_previous_token_has_all_mass_at_minus_one():
    profile = offset_profile(previous(8))
    assert profile[8 - 2] == 1
    assert profile.sum() == 1 + 1 / 8  # the first token looks at itself


def test_a_map_that_distance_explains_is_what_its_offsets_make():
    n = 9
    toeplitz = np.abs(np.arange(n) - np.arange(n)[:, None]).astype(np.float64)
    np.testing.assert_allclose(maps_by_offset(toeplitz), toeplitz)
    assert not np.allclose(maps_by_offset(band(n)), band(n))  # rows at the ends are shorter


def test_one_token_has_one_offset():
    assert offset_profile(np.ones((2, 1, 1))).tolist() == [[1], [1]]
