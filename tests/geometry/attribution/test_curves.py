"""Holds curves over places and their areas to values by hand."""

import numpy as np
import pytest

from embspace.geometry.attribution.curves import area_under, first_places


def test_first_places_grow_with_their_number() -> None:
    order = np.array([[2, 0, 1]])
    places = first_places(order, np.array([0, 1, 2, 3]))
    assert places[:, 0].tolist() == [
        [False, False, False],
        [False, False, True],
        [True, False, True],
        [True, True, True],
    ]


def test_the_area_under_a_level_curve_is_its_height() -> None:
    values = np.full((4, 2), [0.25, 1.0])
    assert area_under(values, np.array([0, 1, 5, 9])) == pytest.approx([0.25, 1.0])


def test_the_area_under_a_line_is_half_whatever_the_steps() -> None:
    steps = np.array([0, 1, 2, 7, 10])
    assert area_under(steps / 10, steps) == pytest.approx(0.5)


@pytest.mark.parametrize("steps", [[0], [0, 0, 1], [3, 2]])
def test_steps_that_do_not_ascend_are_refused(steps: list[int]) -> None:
    with pytest.raises(ValueError, match="n_first"):
        area_under(np.zeros(len(steps)), np.array(steps))


def test_two_numbers_of_places_are_enough():
    assert area_under(np.array([1.0, 0.5]), np.array([3, 7])) == 0.75
