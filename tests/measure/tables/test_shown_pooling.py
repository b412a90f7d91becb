import numpy as np
import pytest

from embspace.measure.tables.shown_pooling import shown_pooling_of

FIRST = np.array([5, 5, 7, 5])  # of four texts, three of which begin alike


@pytest.fixture
def decoder() -> np.ndarray:
    """Two layers in which the first token's state tells only which token it is."""
    return np.random.default_rng(0).normal(size=(2, 8, 6)).astype(np.float32)[:, FIRST]


def test_a_first_token_that_saw_no_other_is_not_shown(decoder: np.ndarray):
    assert shown_pooling_of("cls", decoder) == "mean"


def test_rounding_is_no_context(decoder: np.ndarray):
    decoder[-1] *= 1 + 1e-6 * np.arange(4, dtype=np.float32)[:, np.newaxis]
    assert shown_pooling_of("cls", decoder) == "mean"


def test_one_text_that_moved_it_is_enough(decoder: np.ndarray):
    decoder[-1, 3] += 1e-3
    assert shown_pooling_of("cls", decoder) == "cls"


def test_what_is_asked_for_is_shown_where_nothing_speaks_against_it(decoder: np.ndarray):
    assert shown_pooling_of("max", decoder) == "max"
    assert shown_pooling_of("cls", decoder[:, :0]) == "cls"
    assert shown_pooling_of("cls", decoder[:, [0, 2]]) == "cls"  # no two begin alike


def test_states_of_no_length_that_are_equal_saw_no_other(decoder: np.ndarray):
    decoder[-1] = 0
    assert shown_pooling_of("cls", decoder) == "mean"
