"""Reads the list of antonyms and synonyms."""

import pandas as pd

from embspace.errors import InputError
from embspace.files.tables import load_table

PARTS_OF_SPEECH = ("adjective", "noun", "verb")
RELATIONS = ("antonym", "synonym")
PAIRS = "data/stimuli/opposites.csv"
PAIR_COLUMNS = ["part_of_speech", "relation", "word", "other_word"]


def load_opposites(path: str) -> pd.DataFrame:
    """Return the list of pairs, with the columns `PAIR_COLUMNS`.

    Raises:
        InputError: for wrong columns, an empty cell, an unknown part of speech or relation, a word
            paired with itself, or a word twice in one relation and part of speech.
    """
    table = load_table(path)
    if [*table.columns] != PAIR_COLUMNS:
        raise InputError(
            f"{path}: expected the columns {', '.join(PAIR_COLUMNS)}, found {[*table.columns]}"
        )
    allowed = {"part_of_speech": PARTS_OF_SPEECH, "relation": RELATIONS}
    seen = set()
    for line, row in enumerate(table.itertuples(index=False), start=2):
        for key, names in allowed.items():
            if getattr(row, key) not in names:
                value, choices = getattr(row, key), ", ".join(names)
                raise InputError(f"{path}, line {line}: {key} {value!r}, allowed: {choices}")
        for word in (row.word, row.other_word):
            if not isinstance(word, str) or not word.strip():
                raise InputError(f"{path}, line {line}: a word is empty, allowed: two words")
            place = (row.part_of_speech, row.relation, word)
            if place in seen:
                raise InputError(
                    f"{path}, line {line}: the {row.part_of_speech} {word!r} stands twice among "
                    f"{row.relation}s, allowed once"
                )
            seen.add(place)
    return table
