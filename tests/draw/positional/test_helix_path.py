import numpy as np
import pandas as pd
import pytest

from embspace.draw.positional.helix_path import (
    along_axis,
    local_periods,
    most_even,
    peaks,
    seen_from_above,
)


def test_the_local_period_follows_one_that_changes():
    path = pd.DataFrame({"position": range(81)})
    path["turns"] = np.where(path["position"] <= 40, path["position"] / 5, 8 - 40 / 8)
    path.loc[41:, "turns"] += path.loc[41:, "position"] / 8
    local = local_periods(path, 10)
    assert local["position"].tolist() == list(range(5, 76))
    assert local["period"].iloc[0] == pytest.approx(5)
    assert local["period"].iloc[-1] == pytest.approx(8)


def test_of_peaks_that_the_path_cannot_tell_apart_the_higher_one_is_named():
    frequency = [0.1, 0.101, 0.102, 0.2, 0.3]
    spectrum = pd.DataFrame({"frequency": frequency, "power": [0.9, 0.5, 1.0, 0.6, 0.4]})
    assert peaks(spectrum, 0.01) == [2, 3]
    assert peaks(spectrum, 0.0001) == [0, 1, 2, 3]


def test_along_the_axis_of_a_straight_path_positions_are_evenly_apart():
    components = {f"component_{number}": np.arange(5) * number for number in (1, 2, 3)}
    path = pd.DataFrame({"position": range(5), **components})
    assert np.diff(along_axis(path)) == pytest.approx([14**0.5] * 4)


def test_the_most_even_stretch_is_the_linear_one():
    along = np.array([0.0, 5, 1, 4, 5, 6, 7, 3])
    assert most_even(pd.Series(range(8)), along, 4) == slice(3, 7)
    assert most_even(pd.Series(range(8)), along, 99) == slice(0, 8)


def test_what_is_far_away_is_seen_further_up_and_along():
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 0, 1]])
    seen = seen_from_above(points)
    assert seen[:2].tolist() == [[0, 0], [1, 0]]
    assert (seen[2] > 0).all()
