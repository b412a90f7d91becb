from pathlib import Path

import pytest

from embspace.app.reporting.english import function_words, is_english
from embspace.files.texts import load_texts
from tests.foreign_models import reactions

GERMAN = (
    "Der Hund lief in den Garten und war so froh, denn was am Morgen in der Stadt war, war fern."
)


@pytest.fixture(scope="module")
def known(root: Path) -> set[str]:
    return function_words(root)


@pytest.mark.parametrize("file", ["articles", "posts", "reviews"])
def test_texts_of_embspace_are_english_and_so_are_few_of_them(
    root: Path, known: set[str], file: str
):
    texts = load_texts(str(root / f"data/texts/{file}.jsonl"))["text"]
    assert is_english(texts, known) and is_english(texts[:20], known)


@pytest.mark.parametrize(
    "texts",
    [
        [GERMAN] * 5,
        [reaction for reaction, _ in reactions()],
        ["I a I I a I I"] * 9,
        ["too few words of the language"],
        [],
    ],
)
def test_other_texts_are_not_nor_are_few_words(known: set[str], texts: list[str]):
    assert not is_english(texts, known)


def test_without_the_list_of_words_none_is_english(tmp_path: Path):
    assert not is_english(["it is what it is"] * 20, function_words(tmp_path))
