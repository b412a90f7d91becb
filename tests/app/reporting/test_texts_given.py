"""Texts of a report are corpora by name, or files that become corpora."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from embspace.app.reporting.texts_given import labels_unread, texts_given
from embspace.app.working_tree import OwnTexts
from embspace.errors import InputError
from embspace.settings.params import CorpusName


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a tree with the corpora `posts` and `articles`; the current folder is its root."""
    monkeypatch.chdir(tmp_path)
    Path("conf/corpus").mkdir(parents=True)
    for corpus in ("articles", "posts"):
        Path(f"conf/corpus/{corpus}.yaml").touch()
    return tmp_path


def own(file: str, **reading: Any) -> OwnTexts:
    _, (texts,) = texts_given([file], Path.cwd(), reading)
    return texts


def test_a_corpus_is_one_of_conf_or_a_file(here: Path):
    Path("articles.txt").write_text("a text\n")
    assert texts_given(["posts"], here, {}) == (["posts"], [])
    names, (texts,) = texts_given(["posts", "articles.txt"], here, {})
    assert names == ["posts", "articles_file"] and texts.content == b"a text\n"
    with pytest.raises(InputError, match="found posts twice"):
        texts_given(["posts", "posts"], here, {})
    Path("empty.txt").touch()
    with pytest.raises(InputError, match=r"empty\.txt: holds no text"):
        own("empty.txt")
    with pytest.raises(InputError, match=r"none\.txt: not found"):
        own("none.txt")


def test_files_are_told_apart_by_what_they_hold():
    contents = {"a/my.csv": "one", "b/my.csv": "two", "a/my.txt": "one", "c/my.csv": "one"}
    for file, content in contents.items():
        Path(file).parent.mkdir(exist_ok=True)
        Path(file).write_text(f"text\n{content}\n")
    digests = [own(file).digest for file in contents]
    assert len({*digests[:3]}) == 3 and digests[3] == digests[0]


@pytest.mark.parametrize(
    ("file", "corpus"),
    [
        ("my.texts.csv", "my_texts"),
        ("stimuli.csv", "texts_of_stimuli"),
        ("..csv.txt", "texts_of_csv"),
        ("my.csv", "texts_of_my"),
        ("ÄÖ.csv", "texts"),
    ],
)
def test_a_file_has_a_name_that_params_take(file: str, corpus: str):
    Path(file).write_text("text\na cat\n")
    assert own(file).name == corpus
    TypeAdapter(CorpusName).validate_python(corpus)


def test_a_file_is_read_as_the_user_says(here: Path):
    Path("odd.csv").write_text("Tweet;topic\none;a\n;b\ntwo;a\nthree;b\n")
    reading = {"text_column": "Tweet", "separator": ";", "skip_empty": True}
    assert own("odd.csv", **reading).options == {**reading, "group_column": "topic"}
    for corpora in ([None], ["posts"]):
        with pytest.raises(InputError, match=r"--skip-empty: found without a file of texts"):
            texts_given(corpora, here, {"skip_empty": True})


def test_columns_that_tell_no_texts_apart_color_nothing():
    Path("same.csv").write_text("text,topic,label\none,a,x\ntwo,a,y\n")
    assert own("same.csv").options == {}


def test_a_column_that_may_be_labels_is_told_where_none_is_read_as_such(here: Path):
    rows = "".join(f"text {number},{'ab'[number % 2]},{number}\n" for number in range(12))
    Path("kinds.csv").write_text(f"text,kind,mass\n{rows}")
    texts = own("kinds.csv")
    assert texts.unread_labels == ("kind",)
    (said,) = labels_unread([texts])
    assert said.startswith("kinds.csv: column 'kind' ") and "--label-column kind" in said
    assert labels_unread([own("kinds.csv", group_column="kind")]) == []
    assert texts.digest == own("kinds.csv").digest


@pytest.mark.parametrize("column", [None, "author"])
def test_a_unit_that_is_one_is_told_before_anything_is_computed(column: str | None):
    name = column or "document"
    Path("one.csv").write_text(f"text,{name}\none,x\ntwo,x\n")
    reading = {"document_column": column} if column else {}
    message = rf"one\.csv: column '{name}': is 'x' in all 2 rows, so that they are one unit"
    with pytest.raises(InputError, match=message):
        own("one.csv", **reading)
    with pytest.raises(InputError, match="--document-column: found 'writer', allowed: .*text"):
        own("one.csv", document_column="writer")
    Path("one.csv").write_text(f"text,{name}\none,x\ntwo,y\n")
    assert own("one.csv", **reading).options == reading
