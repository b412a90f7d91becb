"""Words of WordNet; its files are made by hand after its documentation, wndb(5WN)."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from embspace.errors import InputError
from embspace.prepare.sources.wordnet import load_wordnet
from embspace.settings.words import WordNetWords

LICENSE = "  1 This software and database is being provided to you, the LICENSEE, by  \n  2 x  \n"
# Offset, file, type, number of words, each with its number, pointers, frames of verbs, gloss.
NOUNS = (
    '00001740 05 n 02 bear 0 Bear 1 001 @ 00001930 n 0000 | a large animal; "a bear | a cub"  ',
    "00001930 05 n 01 polar_bear 0 001 @ 00001740 n 0000 | white  ",
    "00002000 13 n 0b a1 0 a2 0 a3 0 a4 0 a5 0 a6 0 a7 0 a8 0 a9 0 b-b 0 O'c 0 000 | eleven  ",
    "00002100 15 n 01 bear 0 000 | in another sense  ",
)
VERBS = (
    "00003000 29 v 02 bear 0 carry 0 002 + 00001740 n 0101 @ 00003100 v 0000 01 + 08 00 | hold  ",
    "00003100 30 v 02 put_up 0 run 3 000 02 + 01 00 + 02 00 | go  ",
)
ADJECTIVES = (
    "00004000 00 a 02 asleep(p) 0 awake 0 000 | at rest  ",
    "00004100 00 s 02 galore(ip) 0 mere(a) 0 000 | near another  ",
)
FILES = {"data.noun": NOUNS, "data.verb": VERBS, "data.adj": ADJECTIVES}
SINGLE = {
    "noun": {"bear", "Bear", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b-b", "O'c"},
    "verb": {"bear", "carry", "run"},
    "adjective": {"asleep", "awake", "galore", "mere"},
}


def write_wordnet(folder: Path, **changed: tuple[str, ...]) -> None:
    """The three files in a folder, with other synsets for what `changed` names."""
    folder.mkdir(exist_ok=True)
    for name, synsets in FILES.items():
        lines = changed.get(name.partition(".")[2], synsets)
        (folder / name).write_text(LICENSE + "".join(f"{line}\n" for line in lines))


@pytest.fixture(autouse=True)
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_wordnet(Path("dict"))


def words(**given: Any) -> WordNetWords:
    return WordNetWords(**{"source": "wordnet", "folder": "dict", "n_words": 3, "seed": 0, **given})


def test_single_words_of_each_part_of_speech_are_drawn():
    drawn: dict[str, set[str]] = {part: set() for part in SINGLE}
    for seed in range(30):
        table = load_wordnet(words(seed=seed))
        assert Counter(table["part_of_speech"]) == dict.fromkeys(SINGLE, 3)
        for part, group in table.groupby("part_of_speech"):
            assert group["word"].is_unique
            drawn[str(part)] |= set(group["word"])
    assert drawn == SINGLE


def test_a_word_has_the_lemma_of_its_small_letters_and_an_id_of_its_own():
    table = load_wordnet(words(n_words=3, seed=0))
    assert list(table) == ["id", "word", "lemma", "part_of_speech"]
    assert table["id"].is_unique
    assert (table["lemma"] == table["word"].str.lower()).all()
    verbs = table[table["part_of_speech"] == "verb"]
    assert sorted(verbs["id"]) == ["verb_bear", "verb_carry", "verb_run"]


def test_the_seed_decides():
    first = load_wordnet(words())
    assert first.equals(load_wordnet(words()))
    others = [load_wordnet(words(seed=seed)) for seed in range(1, 9)]
    assert any(not first.equals(other) for other in others)


def test_what_another_part_of_speech_has_moves_no_word():
    before = load_wordnet(words())
    write_wordnet(Path("dict"), verb=(*VERBS, "00003200 30 v 01 zip 0 000 01 + 01 00 | go fast  "))
    after = load_wordnet(words())
    for part in ("noun", "adjective"):
        assert before[before["part_of_speech"] == part]["word"].tolist() == (
            after[after["part_of_speech"] == part]["word"].tolist()
        )


def test_more_words_than_there_are_cannot_be_drawn():
    with pytest.raises(
        InputError, match=r"key 'words\.n_words': found 4, allowed: up to 3; WordNet"
    ):
        load_wordnet(words(n_words=4))


def test_missing_files_are_named():
    Path("dict/data.adj").unlink()
    with pytest.raises(
        InputError, match=r"^key 'words\.folder': dict: found no data\.adj, allowed: the folder of"
    ):
        load_wordnet(words())


@pytest.mark.parametrize(
    "line",
    [
        "able",
        "00001740 00 a",
        "00001740 00 n 01 able 0 000 | of another type",
        "00001740 00 as 01 able 0 000 | of two types",
        "00001740 00 a xx able 0 000 | no number",
        "00001740 00 a 00 000 | no word",
        "00001740 00 a 02 able 0 | of two words one",
    ],
)
def test_a_line_that_is_no_synset_is_named(line: str):
    write_wordnet(Path("dict"), adj=(ADJECTIVES[0], line))
    with pytest.raises(InputError) as caught:
        load_wordnet(words())
    assert str(caught.value).startswith(
        f"key 'words.folder': dict/data.adj, line 4: found '{line[:40]}"
    )
    assert "allowed: a synset" in str(caught.value)


def test_a_file_of_other_bytes_is_named():
    Path("dict/data.verb").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"dict/data\.verb: cannot be read: .*utf-8"):
        load_wordnet(words())
