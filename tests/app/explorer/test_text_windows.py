"""Neighbors and words of texts on a map, against planted ones."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.app.explorer.gather import N_NEIGHBORS, gathered
from embspace.app.explorer.packing import Pack
from embspace.app.explorer.text_windows import (
    SNIPPET,
    _named_words,
    counted_words,
    snippet,
    window_texts,
    window_vectors,
)
from tests.app.explorer.text_trees import LAYER, PLACES, TOPICS, states, texts, write_text_tree
from tests.app.explorer.trees import read_arrays


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree with maps of texts; treat it as read-only."""
    return write_text_tree(tmp_path_factory.mktemp("tree"))


def rows() -> pd.DataFrame:
    """The windows in the order of the map."""
    order = np.roll(np.arange(len(texts())), -1)
    return pd.DataFrame({"corpus": "one", "text": texts()["id"][order], "window": 0}).reset_index(
        drop=True
    )


@pytest.mark.parametrize("number", range(len(PLACES)))
def test_neighbors_are_those_of_all_pairs_in_the_space_of_the_map(tree: Path, number: int):
    pack = Pack()
    packed = gathered(tree, "tiny", pack)
    assert packed is not None
    pooling, preparation = PLACES[number]
    (text_set,) = packed["sets"]
    held = text_set["maps"][number]["neighbors"]
    indices = read_arrays(pack.text(), pack.shapes)[held["array"]].reshape(-1, held["k"])
    x = np.roll(states()[pooling][LAYER], -1, axis=0).astype(np.float64)
    if preparation == "raw":
        nearness = -np.linalg.norm(x[:, None] - x[None], axis=-1)
        assert held["by"] == "Euclidean distance"
    else:
        x -= x.mean(axis=0)
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        nearness = x @ x.T
        assert held["by"] == "cosine about the mean"
    np.fill_diagonal(nearness, -np.inf)
    np.testing.assert_array_equal(indices, np.argsort(-nearness, axis=1)[:, :N_NEIGHBORS])


def test_names_begin_with_the_text_and_hostile_ones_stay_as_they_are(tree: Path):
    packed = gathered(tree, "tiny", Pack())
    assert packed is not None
    names = packed["sets"][0]["names"]
    content = texts().set_index("id")["text"]
    for name, row in zip(names, rows().itertuples(), strict=True):
        assert name == f"{row.text} · 0: {snippet(content[row.text])}"


def test_words_and_their_counts_are_those_of_the_texts(tree: Path):
    pack = Pack()
    content = window_texts(tree, "tiny", rows())
    assert content == [*texts()["text"].iloc[1:], texts()["text"].iloc[0]]
    words = counted_words(content, pack)
    assert words is not None
    # No function word, no number, no part of "isn't" or "I'll".
    assert words["list"] == sorted([*sum(TOPICS.values(), ()), "people", "say"])
    arrays = read_arrays(pack.text(), pack.shapes)
    at = 0
    for text, n in zip(content, arrays[words["of_each"]], strict=True):  # type: ignore[call-overload]
        numbers = arrays[words["numbers"]][at : at + n]  # type: ignore[call-overload]
        counts = arrays[words["counts"]][at : at + n]  # type: ignore[call-overload]
        for number, count in zip(numbers, counts, strict=True):
            assert text.split().count(words["list"][number]) == count  # type: ignore[index]
        at += n


def test_texts_without_a_shared_word_have_none():
    assert counted_words(["the", "12 34", ""], Pack()) is None
    assert counted_words(["boat", "dough"], Pack()) is None


def test_words_of_other_scripts_are_counted():
    words = counted_words(["шлюпка в море", "море и небо", "שלום 🙂", "שלום עולם"], Pack())
    assert words is not None and words["list"] == ["море", "שלום"]


@pytest.mark.parametrize("missing", ["one.safetensors", "one.windows.parquet"])
def test_without_the_vectors_there_are_no_neighbors(tmp_path: Path, missing: str):
    folder = write_text_tree(tmp_path)
    (folder / "data/extracted/hidden_states/tiny" / missing).unlink()
    assert window_vectors(folder, "tiny", rows(), ("mean", "raw", LAYER)) is None
    packed = gathered(folder, "tiny", Pack())
    assert packed is not None
    assert [text_map["neighbors"] for text_map in packed["sets"][0]["maps"]] == [None, None]


def test_without_the_texts_names_are_those_of_the_windows(tmp_path: Path):
    folder = write_text_tree(tmp_path)
    (folder / "data/prepared/texts/one.parquet").unlink()
    packed = gathered(folder, "tiny", Pack())
    assert packed is not None
    (text_set,) = packed["sets"]
    assert text_set["words"] is None and text_set["names"][0] == f"{rows()['text'][0]} · 0"


def test_windows_that_the_states_lack_have_no_vectors(tree: Path):
    other = rows().assign(text="another")
    assert window_vectors(tree, "tiny", other, ("mean", "raw", LAYER)) is None
    assert window_vectors(tree, "tiny", rows(), ("mean", "raw", 9)) is None
    assert window_vectors(tree, "tiny", rows(), ("mean", "unknown", LAYER)) is None


def test_a_snippet_is_one_short_line():
    assert snippet("a\n b\tc") == "a b c"
    assert len(snippet("long " * 100)) <= SNIPPET


def test_names_are_words_with_their_marks_in_any_script():
    assert _named_words("आधुनिक हिन्दी, don't isn't I'll 42 x_y") == ["आधुनिक", "हिन्दी"]
    assert _named_words("caf\u00e9") == _named_words("cafe\u0301") == ["caf\u00e9"]
