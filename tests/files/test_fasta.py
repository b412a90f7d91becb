import gzip
from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.files.fasta import Record, read_fasta


@pytest.fixture(autouse=True)
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(content: str | bytes) -> str:
    Path("x.fasta").write_bytes(content.encode() if isinstance(content, str) else content)
    return "x.fasta"


def test_a_record_is_a_header_and_the_lines_that_follow():
    records = read_fasta(written(">a first one\nACGT\nAC\n\n>b\nN\n"))
    assert records == [Record("a first one", "acgtac"), Record("b", "n")]
    assert [record.name for record in records] == ["a", "b"]


@pytest.mark.parametrize(
    "content",
    [
        ">a\r\nACGT\r\nAC\r\n",
        ">a\rACGT\rAC",
        ">a\nacgt\naC",
        ">a\n  ACGT AC\t\n",
        ">a\nAC\tGTAC\n",
        "\ufeff>a\nACGTAC",
        "\n\n>a\nACGTAC\n\n",
        ">a\nACGUAC\n",
    ],
    ids=["CRLF", "CR", "small", "blanks", "tab", "BOM", "empty lines", "RNA"],
)
def test_the_same_sequence_in_other_writings(content: str):
    assert read_fasta(written(content))[0].sequence == "acgtac"


def test_a_gzipped_file_is_read_as_what_it_holds():
    assert read_fasta(written(gzip.compress(b">a\nACGT\n", mtime=0)))[0].sequence == "acgt"


def test_a_code_for_one_of_several_bases_is_an_unknown_base():
    assert read_fasta(written(">a\nARYSWKMBDHVNa\n"))[0].sequence == "a" + "n" * 11 + "a"


def test_a_path_may_start_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    written(">a\nA")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert read_fasta("~/x.fasta")[0].sequence == "a"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "expected '>' as the first character, found ''"),
        ("\n \n", "expected '>' as the first character, found ''"),
        ("ACGT\n", "expected '>' as the first character, found 'A'"),
        ("\n@a\nACGT\n", "expected '>' as the first character, found '@'"),
        (">a\nA\n> \nACGT\n", "record 2: expected a name after '>', found none"),
        (">a\n>b\nA\n", "record 1, 'a': has a header and no sequence"),
        (">a\nA\n>b x\n\n", "record 2, 'b': has a header and no sequence"),
        (">a 1\nA\n>a 2\nC\n", "record 2: the name 'a' is that of an earlier record; a name ends"),
        (">a\nACGT\nACJT\n", "record 1, 'a': found 'j' as letter 7 .* allowed: A, C, .* protein"),
        (">a\nMFVFL\n", "record 1, 'a': found 'f' as letter 2 .* protein"),
        (">a\nAC--GT\n", "record 1, 'a': found '-' as letter 3 .*, allowed: .* gaps of an align"),
        (">a\nAC1GT\n", "record 1, 'a': found '1' as letter 3"),
        (">a\nACGé\n", "record 1, 'a': found 'é' as letter 4"),
        (b"\x1f\x8bnot", "is no whole gzip"),
        (gzip.compress(b">a\nACGT\n", mtime=0)[:-4], "is no whole gzip"),
        (b"PK\x03\x04\xff\xfe", "is no FASTA, which is text"),
    ],
)
def test_what_does_not_fit_names_file_and_place(content: str | bytes, message: str):
    with pytest.raises(InputError, match=rf"^x\.fasta(:|,) {message}"):
        read_fasta(written(content))


def test_a_file_that_is_not_there_or_a_folder_is_named():
    with pytest.raises(InputError, match=r"^none\.fasta: not found"):
        read_fasta("none.fasta")
    Path("folder").mkdir()
    with pytest.raises(InputError, match="^folder: cannot be read: Is a directory"):
        read_fasta("folder")
