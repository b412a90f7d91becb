from itertools import chain
from typing import Any

import numpy as np
import pytest

from embspace.train.batches import batch_rows, windows_of
from embspace.train.word_tokenizer import word_tokenizer

TEXTS = ["a b c d e f g", "b", "c a", " ".join("abcdefg" * 3)]


@pytest.fixture(params=[True, False])
def tokenizer(request: pytest.FixtureRequest) -> Any:
    return word_tokenizer(TEXTS, is_masked=request.param)


def batches(n_windows: int, batch_size: int, first_step: int = 0, seed: int = 3) -> list[list[int]]:
    rows = batch_rows(
        n_windows, batch_size=batch_size, seed=seed, first_step=first_step, n_steps=30
    )
    return [batch.tolist() for batch in rows]


@pytest.mark.parametrize("window", [3, 5, 9, 30])
def test_windows_lose_and_repeat_no_token(tokenizer: Any, window: int):
    windows = windows_of(TEXTS, tokenizer, window)
    read: list[list[int]] = [[] for _ in TEXTS]
    for ids, n_tokens, text in zip(windows.ids, windows.n_tokens, windows.text, strict=True):
        assert [ids[0], ids[n_tokens - 1]] == tokenizer("")["input_ids"]
        assert (ids[n_tokens:] == tokenizer.pad_token_id).all()
        assert tokenizer.pad_token_id not in ids[:n_tokens]
        read[text] += ids[1 : n_tokens - 1].tolist()
    assert read == [tokenizer(text, add_special_tokens=False)["input_ids"] for text in TEXTS]
    assert windows.ids.shape[1] == window


def test_each_window_has_the_label_of_its_text(tokenizer: Any):
    windows = windows_of(TEXTS, tokenizer, 5, np.array([4, 7, 5, 6]))
    assert windows.label is not None
    assert windows.text.tolist() == [0, 0, 0, 1, 2, *[3] * 7]
    assert windows.label.tolist() == [4, 4, 4, 7, 5, *[6] * 7]
    assert windows_of(TEXTS, tokenizer, 5).label is None


@pytest.mark.parametrize(
    ("n_windows", "batch_size"), [(12, 4), (12, 5), (1, 1), (7, 1), (3, 10), (2, 31)]
)
def test_each_epoch_has_every_window_once(n_windows: int, batch_size: int):
    rows = list(chain(*batches(n_windows, batch_size)))
    assert len(rows) == 30 * batch_size
    for first in range(0, len(rows) - n_windows + 1, n_windows):
        assert sorted(rows[first : first + n_windows]) == list(range(n_windows))
    rest = rows[len(rows) // n_windows * n_windows :]
    assert len(set(rest)) == len(rest)


def test_orders_differ_between_epochs_and_seeds():
    first, second = batches(40, 40)[:2]
    assert first != second
    assert first != batches(40, 40, seed=4)[0]


@pytest.mark.parametrize(("n_windows", "batch_size"), [(12, 5), (3, 10), (50, 4)])
@pytest.mark.parametrize("first_step", [1, 17, 30])
def test_what_a_step_reads_does_not_hang_on_where_training_began(
    n_windows: int, batch_size: int, first_step: int
):
    whole = batches(n_windows, batch_size)
    assert batches(n_windows, batch_size, first_step) == whole[first_step:]
