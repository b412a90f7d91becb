import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.prepare.sources.grammar import load_grammar
from embspace.prepare.texts import (
    COLUMNS,
    copies_told,
    local_files,
    prepare_texts,
    warn_unwatched,
)
from embspace.settings.corpus import Corpus, describe_corpus
from embspace.settings.schema import read_yaml
from tests.grammar.languages import corpus as grammar_corpus

TWO = [("b", "One. Two."), ("a", "NA")]  # an id, and a text that could be taken for nothing


@pytest.fixture(autouse=True)
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def described(source: str, **given: Any) -> Corpus:
    head = {"label": "x", "license": "CC0-1.0", "language": "English", "source": source}
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
    table = prepare_texts("x", described("file", path=written(name)))
    assert list(table) == COLUMNS
    assert table["id"].tolist() == table["document"].tolist() == ["b", "a"]
    assert table["text"].tolist() == ["One. Two.", "NA"]
    assert (table[["domain", "subject"]] == "").all(axis=None)


def test_lines_of_a_plain_text_are_named_by_their_number():
    table = prepare_texts("x", described("file", path=written("x.txt")))
    assert table[["id", "text"]].to_numpy().tolist() == [["1", "One. Two."], ["2", "NA"]]


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.parquet"])
def test_columns_of_other_names_are_taken_where_they_are_named(name: str):
    path = written(name, text="Tweet", key="number")
    table = prepare_texts(
        "x", described("file", path=path, text_column="Tweet", id_column="number")
    )
    assert table[["id", "text"]].to_numpy().tolist() == [["b", "One. Two."], ["a", "NA"]]
    assert prepare_texts("x", described("file", path=path, text_column="Tweet"))["id"].tolist() == [
        "1",
        "2",
    ]
    column = (
        rf"conf/corpus/x\.yaml: key 'text_column': {name}, line .: no column 'text', found 'numb"
    )
    with pytest.raises(InputError, match=column):
        prepare_texts("x", described("file", path=path))
    column = rf"conf/corpus/x\.yaml: key 'id_column': {name}, line .: no column 'key', found 'numb"
    with pytest.raises(InputError, match=column):
        prepare_texts("x", described("file", path=path, text_column="Tweet", id_column="key"))


def test_builtin_texts_keep_their_domain_and_subject():
    row = '{"id": "a", "domain": "nature", "subject": "bogs", "year": 7, "text": "A"}\n'
    Path("x.jsonl").write_text(row)
    table = prepare_texts("x", described("builtin", path="x.jsonl"))
    assert table.to_dict(orient="records") == [
        {
            **{"id": "a", "document": "a", "domain": "nature", "subject": "bogs"},
            **{"text": "A", "copy_of": "a"},
        }
    ]


def test_by_sentence_each_has_its_own_id_and_that_of_its_document():
    table = prepare_texts("x", described("file", path=written("x.csv"), unit="sentence"))
    assert table["text"].tolist() == ["One.", "Two.", "NA"]
    assert table["id"].tolist() == ["b.1", "b.2", "a.1"]
    assert table["document"].tolist() == ["b", "b", "a"]


def test_texts_may_come_with_the_document_that_they_belong_to():
    rows = [
        {"id": "a", "document": "d", "text": "One. Two."},
        {"id": "b", "document": "d", "text": "C"},
        {"id": "c", "text": "D"},
    ]
    Path("x.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    table = prepare_texts("x", described("file", path="x.jsonl"))
    assert table["id"].tolist() == ["a", "b", "c"]
    assert table["document"].tolist() == ["d", "d", "c"]
    table = prepare_texts("x", described("file", path="x.jsonl", unit="sentence"))
    assert table["id"].tolist() == ["a.1", "a.2", "b.1", "c.1"]
    assert table["document"].tolist() == ["d", "d", "d", "c"]


def test_a_row_without_a_document_is_one_of_its_own():
    Path("x.csv").write_text("id,document,text\na,7,A\nb,,B\n")
    assert prepare_texts("x", described("file", path="x.csv"))["document"].tolist() == ["7", "b"]
    Path("x.jsonl").write_text('{"document": "d", "text": "A"}\n{"document": null, "text": "B"}\n')
    assert prepare_texts("x", described("file", path="x.jsonl"))["document"].tolist() == ["d", "2"]


def test_the_prepared_table_of_a_corpus_is_a_corpus_with_the_same_documents():
    table = prepare_texts("x", described("file", path=written("x.csv"), unit="sentence"))
    table.to_parquet("again.parquet")
    assert prepare_texts("x", described("file", path="again.parquet")).equals(table)


def test_sequences_of_a_fasta_file_are_texts_too():
    Path("x.fasta").write_text(">a|p\nACGTAC\n>b|p\nACG\n")
    settings = {"k": 3, "stride": 3, "class_pattern": r"\|(\w+)", "deduplicate": True}
    table = prepare_texts("x", described("fasta", path="x.fasta", **settings))
    assert list(table) == COLUMNS
    assert table[["document", "domain", "text"]].to_numpy().tolist() == [
        ["a|p", "p", "acg tac"],
        ["b|p", "p", "acg"],
    ]


def test_simulated_sequences_are_texts_of_their_ancestors(root: Path):
    content = read_yaml(root / "conf/corpus/spike_rbd.yaml")
    files = {key: str(root / content[key]) for key in ("reference", "lineages")}
    few = {"n_ancestors": 2, "n_descendants": 2, "deduplicate": False}
    corpus = describe_corpus("x", {**content, **files, **few})
    table = prepare_texts("x", corpus)
    assert list(table) == COLUMNS
    assert table["document"].nunique() == 16
    assert (table["document"] != table["id"]).all()
    assert local_files(corpus) == files


def test_a_text_may_name_the_document_that_it_is_of():
    rows = [("a", "x", "One."), ("b", "x", "Two. Three."), ("c", "y", "Four.")]
    pd.DataFrame(rows, columns=["id", "document", "text"]).to_csv("x.csv", index=False)
    table = prepare_texts("x", described("file", path="x.csv"))
    assert table["id"].tolist() == ["a", "b", "c"]
    assert table["document"].tolist() == ["x", "x", "y"]


@pytest.mark.parametrize("unit", ["text", "sentence"])
def test_a_generated_language_keeps_its_own_documents_and_sentences(unit: str):
    corpus = grammar_corpus(n_documents=3, unit=unit)
    table = prepare_texts("x", corpus)
    pd.testing.assert_frame_equal(table[COLUMNS[:-1]], load_grammar(corpus)[COLUMNS[:-1]])
    assert (table["copy_of"] == table["id"]).all()


def test_pieces_of_enwik8_are_texts_too():
    Path("enwik8").write_text("<text>'''One''' two</text>")
    pieces = {"url": "enwik8", "cleaned": True, "characters": 3, "n_texts": 2}
    table = prepare_texts("x", described("enwik8", **pieces))
    assert table[["id", "text"]].to_numpy().tolist() == [["0", "One"], ["3", " tw"]]


@pytest.mark.parametrize(
    ("source", "given", "message"),
    [
        (
            "wikipedia",
            {"api": "http://x", "pages": "pages.csv"},
            r"key 'pages': pages\.csv: not found; write",
        ),
        ("file", {"path": "none.txt"}, r"key 'path': none\.txt: not found"),
        ("builtin", {"path": "none.jsonl"}, r"key 'path': none\.jsonl: not found"),
        ("file", {"path": "x.docx"}, r"key 'path': x\.docx: found the ending '\.docx', allowed"),
        (
            "enwik8",
            {"url": "none", "cleaned": True, "characters": 1, "n_texts": 1},
            "key 'url': none: cannot be read: No such file",
        ),
    ],
)
def test_texts_that_are_not_there_are_named(source: str, given: dict[str, Any], message: str):
    with pytest.raises(InputError, match=rf"^conf/corpus/x\.yaml: {message}"):
        prepare_texts("x", described(source, **given))


def test_a_path_may_start_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    written("home/x.csv")
    assert prepare_texts("x", described("file", path="~/x.csv"))["id"].tolist() == ["b", "a"]


PIECES = {"cleaned": True, "characters": 1, "n_texts": 1}
WIKIPEDIA = {"api": "http://x"}


@pytest.mark.parametrize(
    ("source", "key", "given"),
    [
        ("file", "path", {}),
        ("wikipedia", "pages", WIKIPEDIA),
        ("enwik8", "url", PIECES),
        ("fasta", "path", {"k": 1, "stride": 1, "deduplicate": True}),
    ],
)
@pytest.mark.parametrize(
    ("path", "warned"),
    [
        ("data/texts/x.csv", False),
        ("data/texts/mine/../x.csv", False),
        ("/a/x.csv", True),
        ("~/x.csv", True),
        ("data/texts/../x.csv", True),
    ],
)
def test_texts_that_dvc_does_not_watch_are_told_once(
    source: str, key: str, given: dict[str, Any], path: str, warned: bool, caplog
):
    corpus = described(source, **{key: path}, **given)
    assert local_files(corpus) == {key: path}
    assert not caplog.text
    warn_unwatched("x", corpus)
    assert caplog.text.count(f"would not notice a change of {path}; it watches") == warned


def test_the_published_reference_and_lineages_are_watched_and_others_beside_them_not(
    root: Path, caplog
):
    content = read_yaml(root / "conf/corpus/spike.yaml")
    warn_unwatched("x", describe_corpus("x", content))
    assert not caplog.text
    mine = {"lineages": "data/published/mine.csv"}
    warn_unwatched("x", describe_corpus("x", {**content, **mine}))
    assert caplog.text.count("would not notice a change of data/published/mine.csv") == 1


def test_texts_in_the_watched_folder_by_its_whole_path_are_not_told(tmp_path: Path, caplog):
    warn_unwatched("x", described("file", path=f"{tmp_path}/data/texts/x.csv"))
    assert not caplog.text


def test_texts_that_are_pinned_or_at_an_address_need_no_watch(caplog):
    pinned = described("enwik8", url="/a/enwik8", sha256="0" * 64, **PIECES)
    remote = described("enwik8", url="https://example.org/enwik8", **PIECES)
    for corpus in (pinned, remote):
        warn_unwatched("x", corpus)
    assert local_files(remote) == {}
    assert not caplog.text


def test_a_column_of_groups_becomes_the_subject():
    Path("x.csv").write_text("text;topic\none;tides\n ;bread\ntwo;\n")
    given = {"path": "x.csv", "separator": ";", "skip_empty": True}
    table = prepare_texts("x", described("file", **given, group_column="topic"))
    assert table[["text", "subject"]].to_numpy().tolist() == [["one", "tides"], ["two", ""]]
    with pytest.raises(InputError, match="'group_column': found 'topics'; did you mean 'topic'"):
        prepare_texts("x", described("file", **given, group_column="topics"))


def test_copies_share_a_document_and_are_told():
    rows = ["One. Two.", "a  ONE-off", "ONE.\u3000TWO.", "A one-off", "Three."]
    Path("x.txt").write_text("".join(f"{row}\n" for row in rows))
    table = prepare_texts("x", described("file", path="x.txt"))
    assert table["document"].tolist() == table["copy_of"].tolist() == ["1", "2", "1", "2", "5"]
    assert copies_told(table) == (
        "2 of 5 texts repeat another one, word for word or nearly; copies count as one unit, of "
        "which there are 3"
    )
    assert copies_told(table[:2]) == ""
    by_sentence = prepare_texts("x", described("file", path="x.txt", unit="sentence"))
    assert by_sentence["document"].tolist() == ["1", "1", "2", "1", "1", "2", "5"]
    assert by_sentence["copy_of"].tolist() == ["1.1", "1.2", "2.1", "1.1", "1.2", "2.1", "5.1"]


def test_documents_with_copies_of_one_text_are_one():
    rows = [("a", "x", "One."), ("b", "y", "Two."), ("c", "y", "one."), ("d", "z", "Four.")]
    pd.DataFrame(rows, columns=["id", "author", "text"]).to_csv("x.csv", index=False)
    given = {"path": "x.csv", "document_column": "author"}
    table = prepare_texts("x", described("file", **given))
    assert table["document"].tolist() == ["x", "x", "x", "z"]
    assert table["copy_of"].tolist() == ["a", "b", "a", "d"]
    with pytest.raises(InputError, match="key 'document_column': found 'authors'"):
        prepare_texts("x", described("file", path="x.csv", document_column="authors"))


def test_a_column_of_one_document_is_told(caplog: pytest.LogCaptureFixture):
    pd.DataFrame({"document": "d", "text": ["A", "B"]}).to_csv("x.csv", index=False)
    prepare_texts("x", described("file", path="x.csv"))
    assert "column 'document': is 'd' in all 2 rows, so that they are one unit" in caplog.text


def test_near_sequences_are_no_copies_and_equal_ones_are():
    gene, other = "ACGTTG" * 30, "ACGTTG" * 29 + "ACGTTC"
    Path("x.fasta").write_text(f">a\n{gene}\n>b\n{other}\n>c\n{gene}\n")
    settings = {"k": 3, "stride": 3, "deduplicate": False}
    table = prepare_texts("x", described("fasta", path="x.fasta", **settings))
    assert table["document"].tolist() == ["a", "b", "a"]
