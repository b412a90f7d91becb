import numpy as np
import pandas as pd
import pytest

from embspace.measure.shown_pooling import shown_pooling_of

# Four texts of two tokens, of which three begin alike.
TOKENS = pd.DataFrame({"window": [0, 0, 1, 1, 2, 2, 3, 3], "id": [5, 1, 5, 2, 7, 3, 5, 4]})
FIRST = np.array([5, 5, 7, 5])


def states(cls: np.ndarray) -> dict[str, np.ndarray]:
    return {"cls": cls.astype(np.float32), "mean": cls.astype(np.float32)}


@pytest.fixture
def decoder() -> np.ndarray:
    """Two layers in which the first token's state tells only which token it is."""
    return np.random.default_rng(0).normal(size=(2, 8, 6))[:, FIRST]


def test_a_first_token_that_saw_no_other_is_not_shown(decoder: np.ndarray):
    assert shown_pooling_of("cls", TOKENS, states(decoder)) == "mean"


def test_rounding_is_no_context(decoder: np.ndarray):
    rounded = decoder * (1 + 1e-7 * np.arange(4)[:, np.newaxis])
    assert shown_pooling_of("cls", TOKENS, states(rounded)) == "mean"


def test_one_text_that_moved_it_is_enough(decoder: np.ndarray):
    decoder[-1, 3] += 1e-3
    assert shown_pooling_of("cls", TOKENS, states(decoder)) == "cls"


def test_layer_0_knows_no_context_in_any_model(decoder: np.ndarray):
    decoder[-1] += np.arange(4)[:, np.newaxis]
    assert shown_pooling_of("cls", TOKENS, states(decoder)) == "cls"


def test_what_is_asked_for_is_shown_where_nothing_speaks_against_it(decoder: np.ndarray):
    assert shown_pooling_of("max", TOKENS, states(decoder)) == "max"
    assert shown_pooling_of("cls", TOKENS[:0], states(decoder[:, :0])) == "cls"
    differently = TOKENS.assign(id=range(8))  # nothing to compare
    assert shown_pooling_of("cls", differently, states(decoder)) == "cls"
