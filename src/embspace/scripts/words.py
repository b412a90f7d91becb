r"""Finds words in texts of any script: letters with marks are letters.

Python's `\w` and `str.isalpha` know no marks: words of Hindi, Tamil, Thai or vocalised Arabic fall
apart, and so does any text with separate accents (NFD).
"""

import unicodedata
from collections.abc import Iterator
from itertools import pairwise

import regex

OF_WORD = r"\p{L}\p{M}\p{N}_"
"""The characters of words, for a class of characters; joiners stand only inside words."""
WORD = rf"[{OF_WORD}]+(?:[\u200C\u200D][{OF_WORD}]+)*"
UNSPACED = r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{Han}\p{Hiragana}\p{Katakana}"
"""Scripts without spaces between words: what stands between two spaces is no word."""
_WORD = regex.compile(WORD)
_LETTERS = regex.compile(r"\p{L}[\p{L}\p{M}\u200C\u200D]*")
_UNSPACED = regex.compile(rf"[{UNSPACED}]")
_ONE_KIND = regex.compile(rf"[{UNSPACED}][{UNSPACED}\p{{M}}]*|[^{UNSPACED}]+")
LONG = "\u30fc\uff70"  # the mark of long vowels in Japanese, which Unicode counts to no script
_PIECE = regex.compile(rf"[{UNSPACED}][{UNSPACED}\p{{M}}{LONG}]*")
_LETTER = regex.compile(r"\p{L}")


def words_in(text: str) -> list[str]:
    """The words of a text after NFC, in order: letters with marks, numbers and `_`."""
    return _WORD.findall(unicodedata.normalize("NFC", text))


def longer_words_in(text: str) -> list[str]:
    """Return the words of two characters or more, as used for counts of words.

    In scripts without spaces: characters and pairs of neighbors, as search engines count them.
    """
    words = words_in(text)
    if _UNSPACED.search(text):
        words = [term for word in words for term in _terms(word)]
    return [word for word in words if len(word) > 1 or _UNSPACED.match(word)]


def _terms(word: str) -> Iterator[str]:
    """Yield the parts of a run of letters; in a script without spaces, characters and pairs."""
    for part in _ONE_KIND.findall(word):
        if not _UNSPACED.match(part):
            yield part
            continue
        characters = regex.findall(r"\X", part)  # a letter with its marks
        yield from characters[:1]
        for before, character in pairwise(characters):
            yield before + character
            yield character


def is_word(text: str) -> bool:
    """Return whether a text is letters of any script, with the marks that belong to them."""
    return _LETTERS.fullmatch(text) is not None


def is_unspaced(text: str) -> bool:
    """Return whether a text is only of letters of scripts without spaces, with their marks."""
    return _PIECE.fullmatch(text) is not None


def leans_back(character: str) -> bool:
    """Return whether a character is part of the letter before, as marks and long vowels are."""
    return regex.fullmatch(rf"[\p{{M}}{LONG}]", character) is not None


def goes_on(character: str) -> bool:
    """Return whether a character beside a word would be part of it."""
    return bool(character) and _WORD.fullmatch(character) is not None


def whole_word(word: str) -> "regex.Pattern[str]":
    """Return the pattern of a whole word in a text, in capitals or not, in NFC or NFD."""
    forms = {unicodedata.normalize(form, word) for form in ("NFC", "NFD")} | {word}
    either = "|".join(sorted(map(regex.escape, forms)))
    return regex.compile(rf"(?<![{OF_WORD}])(?:{either})(?![{OF_WORD}])", regex.IGNORECASE)


def has_no_spaces(text: str) -> bool:
    """Whether most letters of a text are of scripts without spaces between words."""
    n_letters = len(_LETTER.findall(text))
    return 2 * len(_UNSPACED.findall(text)) > n_letters > 0
