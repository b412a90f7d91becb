"""Tests of `embspace.stream.states`."""

import numpy as np

from embspace.models.encoder import batches_by_length, encode
from embspace.models.windows import cut_windows
from embspace.stream.reading import Loaded
from embspace.stream.sources import Text
from embspace.stream.states import chunks_of, token_states

TEXTS = ["the cat sat", "a dog", "the sun and the rain and the boat", "salt"]


def test_states_are_those_of_the_extraction(tiny_loaded: Loaded) -> None:
    windows = cut_windows(TEXTS, tiny_loaded.tokenizer, 6, 1)
    lengths = [len(window.ids) for window in windows]
    states = token_states(tiny_loaded.module, windows, 16, None)
    batches = batches_by_length(lengths, 16)
    for encoded in encode(tiny_loaded.module, windows, batches, "cpu", None):
        start = sum(lengths[: encoded.index])
        assert np.array_equal(states[:, start : start + lengths[encoded.index]], encoded.tokens)


def test_a_batch_of_another_size_changes_rounding_alone(tiny_loaded: Loaded) -> None:
    windows = cut_windows(TEXTS, tiny_loaded.tokenizer, 6)
    one, many = (token_states(tiny_loaded.module, windows, n, None, checked=True) for n in (6, 99))
    assert np.abs(one - many).max() < 1e-5
    assert token_states(tiny_loaded.module, [], 6, None).size == 0


def test_chunks_hold_whole_texts_and_number_them_anew(tiny_loaded: Loaded) -> None:
    texts = [Text(str(number), "", text) for number, text in enumerate(TEXTS)]
    windows = cut_windows(TEXTS, tiny_loaded.tokenizer, 6)
    chunks = list(chunks_of(iter([(texts, windows), ([], [])]), 7))
    assert [[text.id for text in group] for group, _ in chunks] == [["0", "1"], ["2"], ["3"]]
    assert sum(len(windows_of_chunk) for _, windows_of_chunk in chunks) == len(windows)
    assert all(windows_of_chunk[0].text == 0 for _, windows_of_chunk in chunks)
