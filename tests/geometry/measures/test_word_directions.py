"""Holds sums of directions by word to the vectors, and those of some units to the vectors there."""

import numpy as np
import pytest

from embspace.geometry.measures import word_directions
from embspace.geometry.measures.word_directions import UnitWordDirections, word_directions_of
from embspace.geometry.pairs.directions import unit_rows
from tests.geometry.clouds import CLOUD, WORDS, N

UNITS = np.random.default_rng(5).integers(7, size=N)


def test_sums_are_those_of_the_unit_vectors_of_a_word() -> None:
    sums = word_directions_of(CLOUD, WORDS)
    unit = unit_rows(CLOUD)
    clouds = [unit[word == WORDS] for word in np.unique(WORDS)]
    assert sums.counts.tolist() == [len(cloud) for cloud in clouds]
    assert sums.squares == pytest.approx([np.square(cloud.sum(axis=0)).sum() for cloud in clouds])
    assert sums.total_square == pytest.approx(np.square(unit.sum(axis=0)).sum())


def test_sums_go_through_as_they_are() -> None:
    sums = word_directions_of(CLOUD, WORDS)
    assert word_directions_of(sums, WORDS) is sums


def test_those_of_some_units_are_those_of_their_vectors() -> None:
    chosen = np.random.default_rng(6).random((5, 7)) < 0.5
    chosen[0] = [True, *[False] * 6]
    for choice, sums in zip(
        chosen, UnitWordDirections(CLOUD, UNITS, WORDS).of(chosen), strict=True
    ):
        rows = choice[UNITS]
        expected = word_directions_of(CLOUD[rows], WORDS[rows])
        present = sums.counts > 0  # a word that is in none of the units has no sum
        assert sums.counts[present] == pytest.approx(expected.counts)
        assert sums.squares[present] == pytest.approx(expected.squares)
        assert not sums.squares[~present].any()
        assert sums.total_square == pytest.approx(expected.total_square)


def test_products_of_few_words_at_once_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = np.ones((1, 7), dtype=bool)
    (whole,) = UnitWordDirections(CLOUD, UNITS, WORDS).of(chosen)
    monkeypatch.setattr(word_directions, "MOST_NUMBERS", 1)
    (sums,) = UnitWordDirections(CLOUD, UNITS, WORDS).of(chosen)
    assert sums.squares == pytest.approx(whole.squares, rel=1e-13)


def test_vectors_of_length_zero_count_for_nothing() -> None:
    x = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 0.0]])
    sums = word_directions_of(x, np.array([0, 0, 1]))
    assert (sums.counts.tolist(), sums.total_square) == ([1.0], pytest.approx(1.0))
    none = word_directions_of(np.zeros((2, 3)), np.array([0, 1]))
    assert (len(none.counts), none.total_square) == (0, 0.0)
