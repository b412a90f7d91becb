import numpy as np
import pytest

from embspace.models.tokens.unknown import share_unknown
from embspace.models.windows import Window

UNKNOWN = 1


def window(ids: list[int], special: list[bool], start: list[int], end: list[int]) -> Window:
    shape = np.zeros(len(ids), dtype=bool)
    return Window(0, 0, np.array(ids), np.array(special), shape, np.array(start), np.array(end))


def test_the_share_is_of_the_tokens_of_texts_alone():
    framed = window(
        [0, 5, 1, 6, 2], [True, False, True, False, True], [0, 0, 2, 4, 0], [0, 1, 3, 5, 0]
    )
    assert share_unknown([framed], UNKNOWN) == pytest.approx(1 / 3)
    assert share_unknown([framed, framed], UNKNOWN) == pytest.approx(1 / 3)
    assert share_unknown([framed], None) == 0


def test_a_frame_of_the_unknown_token_is_not_unknown():
    """As of tokenizers with one special token for all ends."""
    assert share_unknown([window([1, 5], [True, False], [0, 0], [0, 1])], UNKNOWN) == 0


def test_texts_without_a_token_are_unknown():
    assert share_unknown([window([0], [True], [0], [0])], UNKNOWN) == 1
    assert share_unknown([], UNKNOWN) == 1
