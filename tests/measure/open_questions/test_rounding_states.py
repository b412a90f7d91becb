from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.measure.open_questions.rounding_states import load_largest, read_texts
from tests.measure.open_questions.reading import articles, text_reader


def test_the_corpus_with_most_characters_is_read(tmp_path: Path):
    for name, text in (("short", "a"), ("long", "a long text"), ("equal", "a long text")):
        table = pd.DataFrame({"id": ["1"], "document": ["1"], "text": [text]})
        table.to_parquet(tmp_path / f"{name}.parquet")
    assert load_largest(str(tmp_path), ["short", "long", "equal"]).name == "long"
    assert load_largest(str(tmp_path), []).n_documents == 0


def test_some_documents_are_taken_evenly():
    chosen = articles(9).some(3).texts["document"].tolist()
    assert chosen == ["cat", "rain", "salt"]
    assert articles(4).some(9).n_documents == 4


def test_tokens_are_ordinary_and_halves_have_their_mean_states():
    import torch

    reader, corpus = text_reader(), articles(4)
    read = read_texts(corpus, reader, 256, "cpu")
    encoded = [
        reader.tokenizer(text, return_tensors="pt", return_special_tokens_mask=True)
        for text in corpus.texts["text"]
    ]
    ordinary = [~one.pop("special_tokens_mask")[0].bool() for one in encoded]
    assert np.bincount(read.document).tolist() == [int(rows.sum()) for rows in ordinary]
    with torch.no_grad():
        states = reader.module(**encoded[2], output_hidden_states=True).hidden_states
    own = read.tokens[:, read.document == 2]
    for layer, expected in enumerate(states):
        assert own[layer] == pytest.approx(expected[0][ordinary[2]].numpy(), abs=1e-5)
    assert read.halves["half"].tolist() == [1, 2] * 4
    assert read.windows.tolist() == list(range(8))
    assert read.pooled.shape == (3, 8, 32)
