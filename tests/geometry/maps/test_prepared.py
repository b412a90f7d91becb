"""Vectors prepared for a map."""

import numpy as np
import pytest

from embspace.geometry.maps.prepared import prepared


def test_preparations_by_hand():
    x = np.array([[3.0, 4.0], [0.0, 2.0]], dtype=np.float32)
    assert (prepared(x, "raw") == x).all()
    assert prepared(x, "unit_length") == pytest.approx(np.array([[0.6, 0.8], [0, 1]]))
    centered = np.array([[1.5, 1.0], [-1.5, -1.0]]) / np.sqrt(3.25)
    assert prepared(x, "centered_unit_length") == pytest.approx(centered)
