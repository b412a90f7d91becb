"""Reads sets of words, and tests of two target sets against two attribute sets."""

from collections.abc import Mapping, Sequence
from math import comb

import pandas as pd

from embspace.errors import InputError
from embspace.files.tables import load_table
from embspace.geometry.groups.associations import MOST_EXCHANGES

SETS = "data/stimuli/word_sets.csv"
SETTINGS = "conf/measure/open_questions/associations.yaml"
COLUMNS = ["set", "word"]
N_SETS = 4  # of a test


def load_word_sets(path: str) -> pd.DataFrame:
    """Return the sets, a row per word.

    Raises:
        InputError: for wrong columns, an empty cell, or a word twice in a set.
    """
    table = load_table(path)
    if [*table.columns] != COLUMNS:
        raise InputError(f"{path}: expected the columns set, word, found {[*table.columns]}")
    for line, row in enumerate(table.itertuples(index=False), start=2):
        for key, value in zip(COLUMNS, row, strict=True):
            if not isinstance(value, str) or not value.strip():
                raise InputError(f"{path}, line {line}: {key} is empty, allowed: a word")
    twice = table[table.duplicated()]
    if len(twice):
        first = twice.iloc[0]
        raise InputError(
            f"{path}, line {int(twice.index[0]) + 2}: {first['word']!r} stands twice in "
            f"{first['set']!r}, allowed once"
        )
    return table


def check_tests(tests: Mapping[str, Sequence[str]], sets: pd.DataFrame) -> None:
    """Refuse a test without four known sets."""
    sizes = sets["set"].value_counts()
    for name, chosen in tests.items():
        if len(chosen) != N_SETS:
            raise InputError(
                f"{SETTINGS}: key 'tests.{name}': {[*chosen]}, allowed: two target sets and two "
                "attribute sets"
            )
        check_known(f"tests.{name}", chosen, sets)
        first, second = (int(sizes[set_name]) for set_name in chosen[:2])
        if comb(first + second, first) > MOST_EXCHANGES:
            raise InputError(
                f"{SETS}: sets '{chosen[0]}' and '{chosen[1]}' of {first} and {second} words, "
                f"allowed: at most {MOST_EXCHANGES:,} exchanges, which 11 and 11 words have"
            )


def check_known(key: str, chosen: Sequence[str], sets: pd.DataFrame) -> None:
    """Refuse an unknown set."""
    known = [*dict.fromkeys(sets["set"])]
    if unknown := [name for name in chosen if name not in known]:
        raise InputError(f"{SETTINGS}: key '{key}': {unknown[0]!r}, allowed: {', '.join(known)}")


def check_frames(frames: Sequence[str]) -> None:
    """Refuse a frame without exactly one place for a word."""
    for frame in frames:
        if frame.count("{word}") != 1 or {*map(frame.count, "{}")} != {1}:
            raise InputError(f"{SETTINGS}: key 'frames': {frame!r}, allowed: one {{word}}")
