from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from embspace.corpus import Corpus, describe_corpus
from embspace.errors import InputError
from embspace.prepare.texts import COLUMNS, prepare_texts

TWO = [("b", "One. Two."), ("a", "NA")]  # an id, and a text that could be taken for nothing


@pytest.fixture(autouse=True)
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def described(source: str, **given: Any) -> Corpus:
    head = {"label": "x", "licence": "CC0-1.0", "language": "English", "source": source}
    return describe_corpus("x", {**head, **given})


def written(name: str, *, text: str = "text", key: str = "id") -> str:
    """TWO as a file of this ending, under these names of columns."""
    table = pd.DataFrame(TWO, columns=[key, text])
    if name.endswith(".txt"):
        Path(name).write_text("".join(f"{line}\n" for line in table[text]))
    elif name.endswith(".csv"):
        table.to_csv(name, index=False)
    elif name.endswith(".jsonl"):
        table.to_json(name, orient="records", lines=True)
    else:
        table.to_parquet(name)
    return name


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.parquet"])
def test_a_file_of_each_format_gives_the_same_table(name: str):
    table = prepare_texts(described("file", path=written(name)))
    assert list(table) == COLUMNS
    assert table["id"].tolist() == table["document"].tolist() == ["b", "a"]
    assert table["text"].tolist() == ["One. Two.", "NA"]
    assert (table[["domain", "subject"]] == "").all(axis=None)


def test_lines_of_a_plain_text_are_named_by_their_number():
    table = prepare_texts(described("file", path=written("x.txt")))
    assert table[["id", "text"]].to_numpy().tolist() == [["1", "One. Two."], ["2", "NA"]]


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.parquet"])
def test_columns_of_other_names_are_taken_where_they_are_named(name: str):
    path = written(name, text="Tweet", key="number")
    table = prepare_texts(described("file", path=path, text_column="Tweet", id_column="number"))
    assert table[["id", "text"]].to_numpy().tolist() == [["b", "One. Two."], ["a", "NA"]]
    assert prepare_texts(described("file", path=path, text_column="Tweet"))["id"].tolist() == [
        "1",
        "2",
    ]
    with pytest.raises(InputError, match=f"{name}, line .: no column 'text', found 'number', 'Tw"):
        prepare_texts(described("file", path=path))


def test_builtin_texts_keep_their_domain_and_subject():
    row = '{"id": "a", "domain": "nature", "subject": "bogs", "year": 7, "text": "A"}\n'
    Path("x.jsonl").write_text(row)
    table = prepare_texts(described("builtin", path="x.jsonl"))
    assert table.to_dict(orient="records") == [
        {"id": "a", "document": "a", "domain": "nature", "subject": "bogs", "text": "A"}
    ]


def test_by_sentence_each_has_its_own_id_and_that_of_its_document():
    table = prepare_texts(described("file", path=written("x.csv"), unit="sentence"))
    assert table["text"].tolist() == ["One.", "Two.", "NA"]
    assert table["id"].tolist() == ["b.1", "b.2", "a.1"]
    assert table["document"].tolist() == ["b", "b", "a"]


def test_pieces_of_enwik8_are_texts_too():
    Path("enwik8").write_text("<text>'''One''' two</text>")
    pieces = {"url": "enwik8", "cleaned": True, "characters": 3, "n_texts": 2}
    table = prepare_texts(described("enwik8", **pieces))
    assert table[["id", "text"]].to_numpy().tolist() == [["0", "One"], ["3", " tw"]]


@pytest.mark.parametrize(
    ("source", "given", "message"),
    [
        ("wikipedia", {"api": "http://x", "pages": "pages.csv"}, r"pages\.csv: not found; write"),
        ("file", {"path": "none.txt"}, r"none\.txt: not found"),
        ("builtin", {"path": "none.jsonl"}, r"none\.jsonl: not found"),
        ("file", {"path": "x.docx"}, r"found the ending '\.docx', allowed"),
    ],
)
def test_texts_that_are_not_there_are_named(source: str, given: dict[str, Any], message: str):
    with pytest.raises(InputError, match=message):
        prepare_texts(described(source, **given))
