import numpy as np
import pytest

from embspace.measure.practice.uses.contexts import (
    Reading,
    parts_with,
    states_at,
)
from tests.measure.practice.uses.planted import CLS, LENGTH, SEP, planted

HOW = Reading(None, 256, "cpu")


def test_a_whole_window_around_a_token_gives_its_own_state():
    inputs = planted()
    read = inputs["texts"].read
    rows = np.array([5, LENGTH + 2])
    tokens = read.tokens["id"].to_numpy()[rows]
    places = [
        place
        for row, token in zip(rows, tokens, strict=True)
        for place in parts_with(read.tokens, np.array([row]), int(token), LENGTH)
    ]
    states = states_at(inputs["module"], places, HOW)
    assert states == pytest.approx(read.states["token"][:, rows], abs=1e-5)


def test_a_part_has_the_new_token_its_neighbors_and_the_ends():
    tokens = planted()["texts"].read.tokens
    row = 2 * LENGTH + 6
    (place,) = parts_with(tokens, np.array([row]), 9, 2)
    ids = tokens["id"].to_numpy()
    expected = [CLS, ids[row - 2], ids[row - 1], 9, ids[row + 1], ids[row + 2], SEP]
    assert place.window.ids.tolist() == expected
    assert place.position == 3


def test_a_part_ends_where_its_window_does():
    tokens = planted()["texts"].read.tokens
    first, last = parts_with(tokens, np.array([LENGTH, 2 * LENGTH - 1]), 9, 3)
    assert len(first.window.ids) == 5 and first.position == 0
    assert len(last.window.ids) == 5 and last.position == 4
