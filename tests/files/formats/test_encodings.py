import bz2
import gzip
import lzma
import sqlite3
import subprocess
import zipfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from embspace.errors import InputError
from embspace.files.formats.encodings import advice, marked_wide, unmarked_wide
from embspace.files.texts import load_texts
from embspace.stream.sources import count_rows, find_sources

QUOTES = "it’s “fine” – €5, naïve café"
RUSSIAN = (
    "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему."
)
POLISH = "Zażółć gęślą jaźń; pójdź, kińże tę chmurność w głąb flaszy. Łódź leży nad wodą."
CHINESE = "学而时习之，不亦说乎？有朋自远方来，不亦乐乎？人不知而不愠，不亦君子乎？"
JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", QUOTES),
        ("cp1252", "Grüße aus Köln"),
        ("cp1252", "20 €"),
        ("cp1252", "it’s"),
        ("latin-1", "El niño comió jamón"),
        ("cp1251", RUSSIAN),
        ("koi8_r", RUSSIAN),
        ("cp1250", POLISH),
        ("gb18030", CHINESE),
        ("cp932", JAPANESE),
        ("utf-16", QUOTES),
        ("utf-16-le", QUOTES),
        ("utf-16-be", QUOTES),
        ("utf-32", QUOTES),
        ("utf-32-be", QUOTES),
    ],
)
@pytest.mark.parametrize("name", ["my texts.csv", "x.jsonl", "x.TXT.gz"])
def test_the_command_that_is_advised_keeps_the_text(
    tmp_path: Path, name: str, encoding: str, text: str
):
    written = {
        "my texts.csv": f'id,text\na,plain\nb,"{text}"\n',
        "x.jsonl": f'{{"id": "a", "text": "plain"}}\n{{"id": "b", "text": "{text}"}}\n',
        "x.TXT.gz": f"plain\n{text}\n",
    }[name].encode(encoding)
    path = tmp_path / name
    path.write_bytes(gzip.compress(written) if name.endswith(".gz") else written)
    with pytest.raises(InputError, match="this makes it UTF-8:") as caught:
        load_texts(str(path))
    command = str(caught.value).rpartition("\n")[2]
    subprocess.run(command, shell=True, check=True)
    made = next(file for file in tmp_path.iterdir() if ".utf8" in file.name)
    assert load_texts(str(made))["text"].tolist() == ["plain", text]


def test_a_file_of_two_encodings_is_not_converted(tmp_path: Path):
    content = "café\n".encode() + "café\n".encode("cp1252")
    said = advice(tmp_path / "x.txt", content)
    assert "elsewhere the file is UTF-8" in said and "iconv" not in said


def written(path: Path) -> Path:
    """Write one row by the library that an ending stands for, under another name."""
    frame = pd.DataFrame({"id": ["a"], "text": ["one"]})
    plain = frame.to_csv(index=False).encode()
    of = path.suffixes[0]
    if of == ".parquet":
        frame.to_parquet(path)
    elif of == ".arrow":
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, pa.schema([])):
            pass
    elif of == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.csv", plain)
    elif of == ".npy":
        with path.open("wb") as file:
            np.save(file, np.eye(2))
    elif of == ".sqlite":
        with closing(sqlite3.connect(path)) as base:
            frame.to_sql("t", base)
    else:
        pack = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
        path.write_bytes(pack.get(of, lambda x: b"%PDF-1.7\n" + x)(plain))
    return path


@pytest.mark.parametrize("lines", [".csv", ".jsonl", ".txt"])
@pytest.mark.parametrize(
    ("packed", "said"),
    [
        (".gz", r"gzip file: let its name end in \.gz"),
        (".zip", r"zip archive, as \.xlsx is: unpack it"),
        (".parquet", r"let its name end in \.parquet"),
        (".arrow", r"let its name end in \.arrow"),
        (".npy", r"let its name end in \.npy"),
        (".bz2", "unpack it by bunzip2"),
        (".xz", "unpack it by unxz"),
        (".sqlite", r"save the table as \.csv"),
        (".pdf", r"save its text as \.txt"),
    ],
)
def test_a_file_of_another_kind_than_its_name_says_is_told(
    tmp_path: Path, packed: str, said: str, lines: str
) -> None:
    path = written(tmp_path / f"x{packed}{lines}")
    with pytest.raises(InputError, match=f"is not UTF-8; it is .*{said}"):
        load_texts(str(path))
    (source,) = find_sources(str(path), "text", None)
    with pytest.raises(InputError, match=f"is not UTF-8; it is .*{said}"):
        count_rows(source)


@pytest.mark.parametrize(
    "first", ["PK is a town", "BZh\u00e9", "PAR1 of the match", "7z and \u00e9"]
)
def test_a_text_may_begin_with_the_letters_of_a_mark(tmp_path: Path, first: str) -> None:
    path = tmp_path / "x.txt"
    path.write_text(f"{first}\nmore\n", encoding="utf-8")
    assert load_texts(str(path))["text"].tolist() == [first, "more"]


def test_wide_encodings_are_told_by_their_marks_and_zeros():
    assert marked_wide("a".encode("utf-32")) == "UTF-32"
    assert marked_wide("a".encode("utf-16")) == "UTF-16"
    assert unmarked_wide("a word".encode("utf-16-be")) == "UTF-16BE"
    assert unmarked_wide(b"a word\0") == "" == unmarked_wide(b"\0" * 40)
