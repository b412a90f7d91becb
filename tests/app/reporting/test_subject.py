"""Models and texts are described as users write them."""

from pathlib import Path

import pytest

from embspace.app.reporting.subject import describe_subject
from embspace.errors import InputError


@pytest.fixture(autouse=True)
def in_a_study(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


def test_a_corpus_is_a_file_or_one_of_conf(tmp_path: Path):
    assert describe_subject("minilm", None, print).name == "minilm"
    assert describe_subject("minilm", "posts", print).name == "minilm--posts"
    file = tmp_path / "articles.txt"
    file.write_text("a text\n")
    own = describe_subject("minilm", str(file), print)
    assert own.name.startswith("minilm--articles_file-")  # that name has another corpus
    assert own.own is not None
    assert own.own.content == b"a text\n"
    empty = tmp_path / "empty.txt"
    empty.touch()
    with pytest.raises(InputError, match=r"empty\.txt: holds no text"):
        describe_subject("minilm", str(empty), print)


def test_a_name_with_dots_is_taken(tmp_path: Path):
    file = tmp_path / "my.own texts.csv"
    file.write_text("text\none\n")
    subject = describe_subject("minilm", str(file), print)
    assert subject.corpora == ["my_own_texts"]
    assert subject.own is not None
    assert subject.own.label == "my.own texts.csv"
    assert subject.title == f"minilm on {file}"


def test_sentences_are_counted_for_the_cost(tmp_path: Path):
    file = tmp_path / "notes.txt"
    file.write_text("We went down to the old harbor at noon. It rained.\n")
    own = describe_subject("minilm", str(file), print).own
    assert own is not None and own.n_sentences == 1
