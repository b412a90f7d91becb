"""Holds the cosines at random weights to the states themselves."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.files.rows import save_rows
from embspace.measure.practice.thresholds import FIXED
from embspace.measure.tables.pooled_states import pooled_states
from embspace.measure.texts.text_cloud_random import HIGH, load_tokens, random_texts
from embspace.models.weights import with_random_weights
from tests.models.stream.tiny import tiny

N, LENGTH = 24, 6


@cache
def tiny_bert() -> Any:
    return tiny("bert", num_hidden_layers=1)


def read(n: int = N) -> pd.DataFrame:
    """Documents of random tokens; each has a window of `LENGTH` tokens, whose numbers have gaps."""
    window = 3 * np.repeat(np.arange(n), LENGTH)
    return pd.DataFrame(
        {
            "window": window,
            "position": np.tile(np.arange(LENGTH), n),
            "id": np.random.default_rng(0).integers(5, 60, n * LENGTH),
            "special": False,
            "repeated": False,
            "start": 0,
            "end": 1,
            "document": [f"d{number}" for number in window],
        }
    )


def table_of(tokens: pd.DataFrame, module: Any = None, most_documents: int = 50) -> pd.DataFrame:
    reading = (None, 512, "cpu")
    return random_texts(module or tiny_bert(), {"ships": tokens}, most_documents, reading, 0)


def test_values_are_the_cosines_of_all_pairs_of_random_states() -> None:
    tokens, random = read(), with_random_weights(tiny_bert(), 0)
    table = table_of(tokens)
    states = pooled_states(random, tokens, None, 512, "cpu", ["mean"])
    assert table["layer"].tolist() == [0, 1]
    assert set(table["n_pairs"]) == {N * (N - 1) / 2}
    for (_, row), x in zip(table.iterrows(), states["mean"], strict=True):
        length = np.linalg.norm(x, axis=1)
        cosines = (x @ x.T / np.outer(length, length))[np.triu_indices(N, 1)]
        assert row["quantile_0.5"] == pytest.approx(np.median(cosines), abs=1e-5)
        assert row["quantile_0.25"] < row["quantile_0.5"] < row["quantile_0.75"]
        assert row["share_above"] == pytest.approx((cosines > 0.8).mean(), abs=0.01)


def test_trained_weights_do_not_count() -> None:
    other = tiny("bert", num_hidden_layers=1)
    for parameter in other.parameters():
        parameter.data.mul_(3)
    pd.testing.assert_frame_equal(table_of(read(), other), table_of(read()))


def test_at_most_so_many_documents_are_read() -> None:
    assert set(table_of(read())["n"]) == {N}
    assert set(table_of(read(), most_documents=20)["n"]) == {20}


def test_vectors_alone_have_no_random_weights() -> None:
    assert random_texts(None, {"ships": read()[:0]}, 50, (None, 512, "cpu"), 0).empty


def test_tokens_are_of_the_first_window_of_each_document(tmp_path: Path) -> None:
    windows = pd.DataFrame({"text": ["b", "a", "a", "c"], "window": [0, 0, 1, 0]})
    save_rows(windows, str(tmp_path / "ships.windows.parquet"))
    tokens = pd.DataFrame({"window": [0, 0, 1, 2, 3], "id": range(5)})
    save_rows(tokens, str(tmp_path / "ships.tokens.parquet"))
    texts = pd.DataFrame({"id": ["a", "b", "c"], "document": ["first", "second", "first"]})
    save_rows(texts, str(tmp_path / "ships.parquet"))
    loaded = load_tokens(str(tmp_path), str(tmp_path), ["ships"])["ships"]
    assert loaded["document"].tolist() == ["second", "second", "first"]
    assert loaded["id"].tolist() == [0, 1, 2]


def test_the_high_cosine_is_the_one_that_thresholds_count() -> None:
    assert FIXED[0] == HIGH
