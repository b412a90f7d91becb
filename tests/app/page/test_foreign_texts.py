"""What a page says of texts that do not look like the language of the model."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from embspace.app.page.foreign_texts import foreign_told, tokens_a_word
from embspace.app.reporting.english import FUNCTION_WORDS

GERMAN = "Der Hund lief in den Garten, denn am Morgen war es dort noch still und hell."
OWN = "label: my.csv\nlicense: unknown\nlanguage: unknown\n"


class Letters:
    """A tokenizer that cuts words into letters."""

    def __call__(self, words: list[str], **_: object) -> dict[str, list[list[str]]]:
        return {"input_ids": [[*word] for word in words]}


@pytest.fixture
def tree(root: Path, tmp_path: Path) -> Path:
    for place, text in {
        "conf/corpus/mine.yaml": OWN,
        "conf/model/english.yaml": "language: English\n",
        "conf/model/other.yaml": "language: unknown\n",
        "data/texts/articles.jsonl": '{"id": "a", "text": "the cat sat"}\n',
    }.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text)
    (tmp_path / FUNCTION_WORDS).parent.mkdir(parents=True)
    shutil.copy(root / FUNCTION_WORDS, tmp_path / FUNCTION_WORDS)
    return tmp_path


def notes(tree: Path, text: str, model: str = "english", n_texts: int = 3) -> list[str]:
    texts = pd.DataFrame({"text": [text] * n_texts})
    return foreign_told(tree, model, {"mine": ("my.csv", texts)}, Letters)


def test_german_texts_are_told_to_an_english_model_with_the_tokens_a_word(tree: Path):
    assert notes(tree, GERMAN) == [
        "my.csv does not look English, the language of the model: the tokenizer cuts a word of it "
        "into 3.7 tokens, one of embspace's articles into 3.0."
    ]


def test_english_or_few_words_and_other_models_and_corpora_are_not(tree: Path):
    assert notes(tree, "It was the best of all that I have had, and they were kind to us.") == []
    assert notes(tree, GERMAN, n_texts=1) == []
    assert notes(tree, GERMAN, model="other") == []
    assert notes(tree, "\u6771\u4eac\u90fd \u6a21\u578b " * 10) == []
    (tree / "conf/corpus/mine.yaml").write_text("label: x\nlicense: CC0\nlanguage: German\n")
    assert notes(tree, GERMAN) == []


def test_without_a_tokenizer_nothing_is_told(tree: Path):
    texts = pd.DataFrame({"text": [GERMAN] * 3})
    assert foreign_told(tree, "english", {"mine": ("my.csv", texts)}, lambda: None) == []


def test_tokens_a_word():
    assert tokens_a_word(["ab c", "def."], Letters()) == 2.0
    assert tokens_a_word(["12 3"], Letters()) != tokens_a_word(["12 3"], Letters())
