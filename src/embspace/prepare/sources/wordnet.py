"""Nouns, verbs and adjectives of WordNet, from its database files."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from embspace.errors import InputError, counted, within
from embspace.files.remote import local_path
from embspace.settings.words import WordNetWords

# Of each file the types of its synsets; s is an adjective that stands near another one.
FILES = {"noun": ("data.noun", "n"), "verb": ("data.verb", "v"), "adjective": ("data.adj", "as")}
FIRST_WORD = 4  # of the fields of a synset, after offset, file number, type and number of words


def load_wordnet(words: WordNetWords) -> pd.DataFrame:
    """Return words drawn by part of speech: `id`, `word`, `lemma`, `part_of_speech`.

    Parts of speech are drawn independently: a word may come as a noun and as a verb, as in WordNet.
    Entries of several words are left out. Words keep capitals, and share a lemma with and without.
    The rows are in the order of the draw: the first rows of a part of speech are a smaller draw.

    Raises:
        InputError: naming the key, the file and, for a malformed line, the line.
    """
    with within("key 'words.folder'"):
        folder = _folder(words.folder)
        candidates = {
            part: sorted(set(_single_words(folder / name, types)))
            for part, (name, types) in FILES.items()
        }
    streams = np.random.default_rng(words.seed).spawn(len(candidates))
    rows = [
        {"id": f"{part}_{word}", "word": word, "lemma": word.lower(), "part_of_speech": part}
        for (part, choices), stream in zip(candidates.items(), streams, strict=True)
        for word in _drawn(choices, part, words.n_words, stream)
    ]
    return pd.DataFrame(rows)


def _folder(path: str) -> Path:
    folder = local_path(path)
    missing = [name for name, _ in FILES.values() if not (folder / name).is_file()]
    if missing:
        raise InputError(
            f"{path}: found no {', '.join(missing)}, allowed: the folder of WordNet 3.x with "
            f"{', '.join(name for name, _ in FILES.values())}"
        )
    return folder


def _single_words(file: Path, types: str) -> Iterator[str]:
    """Yield the words of all synsets in a file, in file order, with repetitions."""
    try:
        content = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read: {error}") from None
    for number, line in enumerate(content.split("\n"), 1):
        if line and not line.startswith(" "):  # as the lines of its license do
            yield from _words_of(line, types, f"{file}, line {number}")


def _words_of(line: str, types: str, where: str) -> Iterator[str]:
    """Yield the single words of a synset.

    Fields and marks are those of https://wordnet.princeton.edu/documentation/wndb5wn.
    """
    fields = line.partition(" | ")[0].split()
    n_words = _number_of_words(fields)
    if not n_words or fields[2] not in list(types) or len(fields) < FIRST_WORD + 2 * n_words:
        raise InputError(
            f"{where}: found '{line[:40]}', allowed: a synset, its offset, file number, type "
            f"({' or '.join(types)}), number of words in hexadecimal digits, and its words"
        )
    for word in fields[FIRST_WORD : FIRST_WORD + 2 * n_words : 2]:
        bare = word.partition("(")[0]  # an adjective's place may follow: (a), (p), (ip)
        if "_" not in bare:
            yield bare


def _number_of_words(fields: list[str]) -> int:
    """Return the number of words that a line states; 0 if the field is missing."""
    try:
        return int(fields[FIRST_WORD - 1], 16)
    except (IndexError, ValueError):
        return 0


def _drawn(words: list[str], part: str, n_words: int, stream: np.random.Generator) -> list[str]:
    if n_words > len(words):
        raise InputError(
            f"key 'words.n_words': found {n_words}, allowed: up to {len(words)}; WordNet has "
            f"{counted(len(words), part)} of one word in {FILES[part][0]}"
        )
    return [words[number] for number in stream.choice(len(words), n_words, replace=False)]
