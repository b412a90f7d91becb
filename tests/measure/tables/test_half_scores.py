import numpy as np
import pandas as pd
import pytest

from embspace.measure.tables.half_scores import best_cosines, copies_of_queries


def test_a_second_half_asks_for_first_halves_of_its_text_and_of_copies():
    rows = [("a", 1), ("b", 1), ("a", 1), ("b", 2), ("a", 2), ("a", 2)]
    relevant = copies_of_queries(pd.DataFrame(rows, columns=["copy_of", "half"]))
    assert relevant.tolist() == [[False, True, False], [True, False, True], [True, False, True]]


def test_of_several_windows_the_most_alike_two_count():
    x = np.array([[1.0, 0], [0, 1], [3, 4], [0, -2]])
    text = np.array(["first", "first", "second", "second"])
    scores = best_cosines(x, text, text == "first")
    assert scores == pytest.approx(np.array([[0.8]]))
