from pathlib import Path

import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.measure.attention.attention_reader import first_windows
from embspace.measure.attention.head_features_tokens import (
    NounsAndArticles,
    TokensOfText,
    tokens_of_text,
    words_of_part,
)
from tests.measure.attention.reading import tiny_reader

LISTS = NounsAndArticles({"cat", "mat"}, {"the", "a"}, longest_gap=2)


def read(text: str, folder: Path, most_tokens: int = 30) -> tuple[TokensOfText, list[str]]:
    reader = tiny_reader(folder)
    (window,) = first_windows(reader, [text], most_tokens, "x")
    names = reader.tokenizer.convert_ids_to_tokens(window.ids.tolist())
    return tokens_of_text(window, text, reader.tokenizer.sep_token_id, LISTS), names


def pairs(tokens: TokensOfText, names: list[str]) -> list[tuple[str, int]]:
    both = zip(tokens.nouns.tolist(), tokens.articles.tolist(), strict=True)
    return [(names[noun], article - noun) for noun, article in both]


def test_sets_of_tokens(tiny_folder: Path):
    tokens, names = read("the cat, the mat.", tiny_folder)
    assert names == ["[CLS]", "the", "cat", ",", "the", "mat", ".", "[SEP]"]
    assert tokens.separators.tolist() == [False] * 7 + [True]
    assert tokens.punctuation.tolist() == [name in ",." for name in names]
    assert tokens.ordinary.tolist() == [False, *[True] * 6, False]
    assert pairs(tokens, names) == [("cat", -1), ("mat", -1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The light cat", [("cat", -2)]),
        ("the light boat cat", []),  # too far
        ("the cat mat", [("cat", -1)]),  # an article has one noun
        ("the sun, cat", []),  # a sign between
        ("cat of the", []),
        ("a the cat", [("cat", -1)]),  # the nearest
        ("the rainy cat", [("cat", -3)]),  # a word of two pieces is one word
    ],
)
def test_a_noun_has_the_nearest_article_before_it(
    text: str, expected: list[tuple[str, int]], tiny_folder: Path
):
    assert pairs(*read(text, tiny_folder)) == expected


def test_what_is_cut_off_is_not_found(tiny_folder: Path):
    tokens, names = read("the cat on the mat", tiny_folder, most_tokens=6)
    assert pairs(tokens, names) == [("cat", -1)]


def test_without_a_separator_none_is_found(tiny_folder: Path):
    reader = tiny_reader(tiny_folder)
    (window,) = first_windows(reader, ["the cat"], 9, "x")
    assert not tokens_of_text(window, "the cat", None, LISTS).separators.any()


def test_nouns_are_those_of_the_table():
    table = pd.DataFrame({"word": ["Cat", "run"], "part_of_speech": ["noun", "verb"]})
    assert words_of_part(table, "noun", "x") == {"cat"}
    with pytest.raises(InputError, match="x: no column 'part_of_speech', found word"):
        words_of_part(table[["word"]], "noun", "x")
