"""Tests of places at equal distances."""

from embspace.measure.tables.even_places import evenly


def test_places_are_evenly_apart_with_both_ends():
    assert evenly(9, 3).tolist() == [0, 4, 8]
    assert evenly(3, 9).tolist() == [0, 1, 2]
    assert evenly(5, 1).tolist() == [0]
    assert evenly(1, 4).tolist() == [0]
