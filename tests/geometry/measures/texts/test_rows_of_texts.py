import numpy as np
import pytest

from embspace.geometry.measures.texts.rows_of_texts import rows_of_texts, unit_tokens


def test_rows_keep_their_order_in_their_text() -> None:
    x = np.arange(12.0).reshape(6, 2)
    parts = rows_of_texts(x, np.array([5, 2, 5, 2, 2, 9]))
    assert [part[:, 0].tolist() for part in parts] == [[2, 6, 8], [0, 4], [10]]


@pytest.mark.parametrize("group", [np.arange(5), np.arange(6.0)])
def test_what_does_not_number_the_rows_is_refused(group: np.ndarray) -> None:
    with pytest.raises(ValueError, match="group: expected"):
        rows_of_texts(np.ones((6, 2)), group)


def test_units_are_directions_from_the_mean() -> None:
    x = np.array([[4.0, 1.0], [0.0, 1.0], [2.0, 1.0]])  # the last is the mean
    assert unit_tokens(x).tolist() == [[1, 0], [-1, 0]]
    assert len(unit_tokens(np.full((3, 2), 0.1))) == len(unit_tokens(x[:1])) == 0
