"""Tests of what is known of tokens as words."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.measure.parameters.head_pairs_words import load_word_lists, words_of
from embspace.models.spelling import Spelling

PIECES = Spelling("WordPiece", "continuation", "##", False)
STARTS = Spelling("BPE", "word_start", "Ġ", True)
LISTS = {"gender": [("woman", "female"), ("she", "female"), ("man", "male")]}


def test_word_pieces_are_equal_without_marks_and_in_no_list():
    tokens = ["[CLS]", "Man", "man", "##man", "woman", "wo", "##wo"]
    words = words_of(tokens, ["special", *["word"] * 6], PIECES, LISTS)
    assert words.ordinary.tolist() == [1, 2, 3, 4, 5, 6]
    assert words.classes[1] == words.classes[2] == words.classes[3]
    assert words.n_words == {"gender": 3}  # of them `##man` is none
    first, second = np.array([1, 3, 1]), np.array([2, 2, 4])
    assert words.relations["gender"](first, second).tolist() == [True, False, False]
    assert words.relations["joined"](np.array([5, 5, 3]), np.array([3, 2, 5])).tolist() == [
        True,
        True,
        False,
    ]
    assert words.relations["joined_backwards"](np.array([3]), np.array([5])).all()


def test_a_joined_word_is_one_that_starts_a_word():
    tokens = ["wo", "##man", "##woman"]
    words = words_of(tokens, ["word"] * 3, PIECES, LISTS)
    assert not words.relations["joined"](np.array([0]), np.array([1])).any()


def test_words_without_the_mark_of_a_start_are_words_too():
    words = words_of(["Ġwoman", "she", "Ġ", "Ã"], ["word"] * 4, STARTS, LISTS)
    assert words.relations["gender"](np.array([0]), np.array([1])).all()
    assert len(set(words.classes.tolist())) == 4


def test_without_a_spelling_tokens_are_their_own_words():
    words = words_of(["<0>", "<1>"], ["other"] * 2, None, LISTS)
    assert words.n_words == {"gender": 0}


def test_lists_are_read_from_files_and_parts_of_speech_from_words(tmp_path: Path):
    (tmp_path / "place.csv").write_text("word,value\nrome,place\nnan,place\n", encoding="utf-8")
    words = pd.DataFrame({"word": ["Cat"], "part_of_speech": ["noun"]})
    lists = load_word_lists(str(tmp_path), words)
    assert lists["place"] == [("rome", "place"), ("nan", "place")]
    assert lists["part_of_speech"] == [("cat", "noun")]


@pytest.mark.parametrize(
    ("text", "message"),
    [("word\nrome\n", "expected the columns word, value"), ("word,value\nrome,\n", "is empty")],
)
def test_a_file_that_is_no_list_is_refused(tmp_path: Path, text: str, message: str):
    (tmp_path / "place.csv").write_text(text, encoding="utf-8")
    words = pd.DataFrame({"word": ["cat"], "part_of_speech": ["noun"]})
    with pytest.raises(InputError, match=message):
        load_word_lists(str(tmp_path), words)


@pytest.mark.parametrize("name", ["equal", "joined", "joined_backwards", "part_of_speech"])
def test_a_list_with_the_name_of_another_category_is_refused(tmp_path: Path, name: str):
    (tmp_path / f"{name}.csv").write_text("word,value\nrome,place\n", encoding="utf-8")
    words = pd.DataFrame({"word": ["cat"], "part_of_speech": ["noun"]})
    with pytest.raises(InputError, match=f"{name}.csv: '{name}' is a category without a list"):
        load_word_lists(str(tmp_path), words)


def test_the_lists_of_the_project_are_in_lower_case_and_without_repeats(root: Path):
    files = sorted((root / "data/stimuli/pair_categories").glob("*.csv"))
    assert len(files) == 10
    for path in files:
        table = pd.read_csv(path, keep_default_na=False)
        assert (table["word"].str.lower() == table["word"]).all()
        assert (table["word"] != "").all() and not table.duplicated().any()
