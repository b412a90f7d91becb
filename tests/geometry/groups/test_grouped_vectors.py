"""Holds the numbers of groups to their vectors."""

import numpy as np
import pytest

from embspace.geometry.groups.grouped_vectors import checked_groups


def test_a_whole_number_for_each_vector() -> None:
    assert checked_groups(np.eye(3), np.array([0, 0, 7])).tolist() == [0, 0, 7]
    with pytest.raises(ValueError, match="group: expected 3 numbers, found shape"):
        checked_groups(np.eye(3), np.arange(2))
    with pytest.raises(ValueError, match="group: expected whole numbers, found float64"):
        checked_groups(np.eye(3), np.zeros(3))
