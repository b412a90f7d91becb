import numpy as np
import pytest

from embspace.measure.positional.helix_measures import path_measures
from tests.geometry.planted import helix

N = 120


def test_a_helix_turns_and_advances():
    measures = path_measures(helix(N), np.arange(N))
    assert measures["n_turns",] == pytest.approx(119 / 22, abs=0.2)
    assert measures["rank_advance",] > 0.99
    assert measures["coherence",] > 0.98
    assert measures["order_correlation",] > 0.99
    assert measures["power_share",] > 0.8


def test_a_circle_turns_and_does_not_advance_and_a_walk_does_not_turn():
    angle = 2 * np.pi * np.arange(N) / 22
    circle = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(N), np.zeros(N)])
    assert path_measures(circle, np.arange(N))["rank_advance",] < 0.5
    walk = np.random.default_rng(0).normal(size=(N, 48)).cumsum(axis=0)
    assert path_measures(walk, np.arange(N))["n_turns",] < 3


def test_equal_rows_have_no_path():
    assert all(np.isnan(value) for value in path_measures(np.ones((N, 8)), np.arange(N)).values())
