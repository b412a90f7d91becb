import numpy as np
import pytest

from embspace.geometry.positional.position_features import (
    local_features,
    offset_cosines,
    outlying_positions,
)
from tests.geometry.planted import noise, planted_table, sinusoidal, smooth_table

NONE = np.zeros(512, dtype=np.bool_)


def outliers(x: np.ndarray) -> list[int]:
    return np.flatnonzero(outlying_positions(x, window=32, threshold=6.0).outlying).tolist()


def test_cosines_at_an_offset_are_those_of_the_pairs():
    x = noise(9, 5)
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    assert offset_cosines(x, 3) == pytest.approx(np.diag(unit @ unit.T, 3), abs=1e-6)
    with pytest.raises(ValueError, match="offset: expected at least 1, found 0"):
        offset_cosines(x, 0)


def test_a_planted_outlier_is_found_and_nothing_beside_a_change():
    assert outliers(planted_table()) == [200]


@pytest.mark.parametrize(
    ("place", "named"), [(0, [0]), (1, [0, 1]), (300, [300]), (510, [510, 511]), (511, [511])]
)
def test_an_outlier_is_found_wherever_it_is(place, named):
    table = smooth_table()
    table[place] = noise(1, seed=7)[0]
    assert outliers(table) == named


@pytest.mark.parametrize("table", [sinusoidal(), smooth_table(seed=5), noise(512)])
def test_nothing_is_found_in_a_table_of_one_nature(table):
    assert outliers(table) == []


def test_a_kink_that_stays_nearer_than_two_steps_is_no_outlier():
    table = sinusoidal()
    table[256] = table[256] + 0.02 * noise(1, 128, seed=9)[0]
    apart = outlying_positions(table, window=32, threshold=6.0)
    assert apart.score[256] < -6
    assert not apart.outlying.any()


def test_scale_and_direction_do_not_matter():
    table = planted_table()
    assert outliers(7 * table) == outliers(table)
    assert outliers(table[::-1].copy()) == [511 - 200]


def test_too_few_rows_are_refused():
    with pytest.raises(ValueError, match="at least 6 rows and a window of 3, found 5, 8"):
        outlying_positions(noise(5), window=8, threshold=6.0)


@pytest.mark.parametrize("n", [6, 7, 12])
def test_the_shortest_smooth_tables_have_no_outlier(n):
    apart = outlying_positions(smooth_table(n), window=32, threshold=6.0)
    assert not apart.outlying.any()
    assert np.isfinite(apart.score).all()


def test_features_are_standardized_cut_and_without_those_left_out():
    table, left_out = planted_table(), NONE.copy()
    left_out[200] = True
    features = local_features(table, left_out, offsets=[1, 4], limit=3.0)
    assert features.offsets == (0, 1, 4)
    assert np.nanmax(np.abs(features.values)) == 3
    assert np.flatnonzero(np.isnan(features.values[0])).tolist() == [200]
    assert np.flatnonzero(np.isnan(features.values[1])).tolist() == [199, 200, 511]
    assert np.flatnonzero(np.isnan(features.values[2])).tolist() == [196, 200, 508, 509, 510, 511]
    assert np.median(features.values[1][np.isfinite(features.values[1])]) == pytest.approx(0)
    assert np.isfinite(features.at_centers()).all()
    assert features.at_centers().shape == (512, 3)


def test_a_pair_stands_at_its_center():
    table = smooth_table()
    features = local_features(table, NONE, offsets=[4], limit=3.0)
    assert features.at_centers()[10, 1] == features.values[1, 8]


def test_constant_features_are_zero():
    features = local_features(sinusoidal(), NONE, offsets=[1, 2], limit=3.0)
    assert np.nanmax(np.abs(features.values)) < 1


def test_an_offset_beyond_the_table_is_refused():
    with pytest.raises(ValueError, match="no pair of 6 positions is 4 apart"):
        local_features(noise(6), np.array([0, 1, 0, 0, 1, 1], dtype=bool), offsets=[4], limit=3.0)
