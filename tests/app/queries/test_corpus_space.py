from pathlib import Path

import pandas as pd
import pytest

from embspace.app.queries.corpus_space import (
    check_query,
    corpus_like,
    corpus_of,
    reference_space,
)
from embspace.errors import InputError
from tests.app.queries.extracted import write_extracted

TEXTS = pd.DataFrame({"id": ["a", "b"], "text": ["the boat and the tide", "salt and bread"]})


def test_a_space_has_the_vectors_of_its_layer(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(write_extracted(tmp_path_factory.mktemp("space"), TEXTS))
    last, same = (reference_space("tiny", "one", layer, "max") for layer in (-1, 2))
    assert (last.layer, last.last_layer, last.pooling) == (2, 2, "max")
    assert (last.vectors == same.vectors).all()
    encoded = last.encode(TEXTS["text"].tolist())
    assert encoded == pytest.approx(last.vectors, abs=1e-5)


def test_what_is_no_text_is_told():
    with pytest.raises(InputError, match="the text is empty"):
        check_query("\n")
    check_query("a text")


def test_without_a_name_it_is_the_usual_corpus_or_the_first_of_a_report(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(root)
    assert (corpus_of(None), corpus_of("posts")) == ("articles", "posts")
    monkeypatch.chdir(write_extracted(tmp_path, TEXTS))
    assert corpus_of(None) == "one"


def test_texts_are_held_against_those_of_about_their_length(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(root)
    assert corpus_like(["low tide", "fresh bread"]) == "posts"
    assert corpus_like(["the tide was out and we went on. " * 60] * 2) == "articles"
