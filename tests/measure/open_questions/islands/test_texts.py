from pathlib import Path

import pandas as pd

from embspace.files.rows import save_rows
from embspace.files.tensors import save_tensors
from embspace.measure.open_questions.islands.texts import (
    at_random_weights,
    load_corpora_on_map,
    names_of_islands,
    vectors_of,
    windows_on_map,
    words_of_windows,
)
from tests.measure.open_questions.islands.planted import planted
from tests.tiny import DIM


def test_rows_of_a_map_have_the_vectors_of_their_windows():
    inputs = planted("subject")
    read = inputs["read"]
    points = inputs["coordinates"].sample(frac=1, random_state=0)
    windows = windows_on_map(points, read)
    assert windows["text"].tolist() == points["text"].tolist()
    states = {corpus: own.cloud.states["mean"] for corpus, own in read.items()}
    x = vectors_of(windows, states, 1)
    row = windows.iloc[7]
    place = read[row["corpus"]].cloud.windows["text"].tolist().index(row["text"])
    assert (x[7] == states[row["corpus"]][1][place]).all()


def test_random_weights_read_the_same_windows():
    inputs = planted("subject")
    states = at_random_weights(inputs["read"], inputs["module"], None, ["mean"], 64, "cpu", 0)
    assert states["posts"]["mean"].shape == (3, 48, DIM)
    assert (states["posts"]["mean"] == states["articles"]["mean"]).all()  # of equal tokens


def test_an_island_is_named_by_words_that_others_lack():
    read = planted("subject")["read"]
    windows = windows_on_map(planted("subject")["coordinates"], read)
    words = words_of_windows(windows, read)
    islands = windows["subject"].str.contains("salt").to_numpy() - 1
    assert list(names_of_islands(words, islands, 1, 2)) == ["salt"]


def test_a_corpus_is_loaded_with_its_texts_and_tokens(tmp_path: Path):
    own = planted("subject")["read"]["posts"]
    windows = own.cloud.windows
    texts = windows.assign(id=windows["text"], text=windows["text"].map(own.text))
    save_rows(
        texts[["id", "document", "domain", "subject", "text"]], str(tmp_path / "posts.parquet")
    )
    folder = tmp_path / "states"
    folder.mkdir()
    states = {name: x.copy() for name, x in own.cloud.states.items()}
    save_tensors(states, str(folder / "posts.safetensors"))
    save_rows(windows[["text", "window", "n_tokens"]], str(folder / "posts.windows.parquet"))
    save_rows(own.tokens, str(folder / "posts.tokens.parquet"))
    loaded = load_corpora_on_map(str(folder), str(tmp_path), ["posts"])["posts"]
    assert loaded.text == own.text
    pd.testing.assert_frame_equal(loaded.cloud.windows, windows, check_dtype=False)
    assert len(loaded.tokens) == len(own.tokens)
