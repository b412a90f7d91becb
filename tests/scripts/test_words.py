import unicodedata

import pytest

from embspace.models.tokenizer import kind_of_text
from embspace.scripts.words import (
    goes_on,
    has_no_spaces,
    is_word,
    longer_words_in,
    whole_word,
    words_in,
)

WORDS = [
    "\u0906\u0927\u0941\u0928\u093f\u0915",  # Hindi
    "\u0ba4\u0bae\u0bbf\u0bb4\u0bcd",  # Tamil
    "\u0e17\u0e35\u0e48\u0e19\u0e35\u0e48",  # Thai
    "\u0643\u064e\u062a\u064e\u0628\u064e",  # vocalised Arabic
    "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd",  # pointed Hebrew
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, with a joiner
    "\u0995\u09cd\u09b7",  # Bengali
    unicodedata.normalize("NFD", "d\u00e9j\u00e0"),
    "caf\u00e9",
]


@pytest.mark.parametrize("word", WORDS)
def test_letters_with_marks_are_letters(word: str):
    assert is_word(word)
    assert kind_of_text(word) == "word"
    assert words_in(f"{word}, {word}.") == [unicodedata.normalize("NFC", word)] * 2
    assert whole_word(word).findall(f"a {word}.") == [word]
    assert not whole_word(word).search(f"{word}a {word}\u0301")
    assert all(goes_on(character) for character in word if character != "\u200c")


def test_a_word_is_found_in_both_normal_forms():
    for text in ("un caf\u00e9 noir", unicodedata.normalize("NFD", "un caf\u00e9 noir")):
        assert len(whole_word("caf\u00e9").findall(text)) == 1
        assert words_in(text) == ["un", "caf\u00e9", "noir"]


@pytest.mark.parametrize("text", ["", "1", "a1", "a b", "-", "\u0301", "[UNK]"])
def test_what_is_no_word(text: str):
    assert not is_word(text)


def test_english_is_as_it_was():
    text = "Don't stop_now: 42 x-rays, 3.5 a_b!"
    assert words_in(text) == ["Don", "t", "stop_now", "42", "x", "rays", "3", "5", "a_b"]
    assert longer_words_in(text) == ["Don", "stop_now", "42", "rays", "a_b"]


def test_of_scripts_without_spaces_characters_and_pairs_are_counted():
    assert longer_words_in("\u6771\u4eac\u90fd\u3002 a BERT\u6a21 7") == [
        *("\u6771", "\u6771\u4eac", "\u4eac", "\u4eac\u90fd", "\u90fd", "BERT", "\u6a21"),
    ]
    tone = "\u0e17\u0e35\u0e48"  # one Thai letter with its vowel and tone
    assert longer_words_in(tone) == [tone]


def test_scripts_without_spaces():
    assert has_no_spaces("\u65e5\u672c\u8a9e\u306e\u6587\u7ae0 BERT")
    assert has_no_spaces("\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22")
    assert not has_no_spaces("\ud55c\uad6d\uc5b4 text")
    assert not has_no_spaces("The word \u65e5\u672c is Japanese")
    assert not has_no_spaces("1, 2")
