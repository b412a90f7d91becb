import gzip
import subprocess
from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.files.formats.encodings import advice, marked_wide, unmarked_wide
from embspace.files.texts import load_texts

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


def test_a_packed_file_without_its_ending_is_told(tmp_path: Path):
    assert "let its name end in .gz" in advice(tmp_path / "x.txt", b"\x1f\x8b\x08\xff")


def test_wide_encodings_are_told_by_their_marks_and_zeros():
    assert marked_wide("a".encode("utf-32")) == "UTF-32"
    assert marked_wide("a".encode("utf-16")) == "UTF-16"
    assert unmarked_wide("a word".encode("utf-16-be")) == "UTF-16BE"
    assert unmarked_wide(b"a word\0") == "" == unmarked_wide(b"\0" * 40)
