from pathlib import Path

import pytest
import yaml

from embspace.app.reporting.about import be_about, example_of
from embspace.files.texts import load_texts
from embspace.settings.schema import read_yaml

HEADS = "conf/measure/attention/head_features.yaml"
ORDER = "conf/measure/attention/word_order.yaml"
ARTICLES = "data/texts/articles.jsonl"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write(tmp_path / HEADS, f'texts: {ARTICLES}  # a file\nn_texts: 3\nexample: "The bear."\n')
    write(tmp_path / ORDER, f"texts: {ARTICLES}\n")
    write(tmp_path / ARTICLES, '{"id": "a", "text": "An article."}\n')
    describe(tmp_path, "articles", source="builtin", path=ARTICLES)
    return tmp_path


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def describe(tree: Path, name: str, **keys: object) -> None:
    write(tree / f"conf/corpus/{name}.yaml", yaml.safe_dump(keys))


def test_attention_reads_the_file_of_the_first_corpus_and_shows_a_text_of_it(tree: Path):
    path = "data/texts/mine.txt"
    write(tree / path, "C\\\\C O\nN N\n")
    describe(tree, "mine", source="file", path=path)
    be_about(tree, ["mine"])
    assert read_yaml(tree / HEADS) == {"texts": path, "n_texts": 3, "example": r"C\\C O"}
    assert read_yaml(tree / ORDER) == {"texts": path}


def test_texts_that_need_options_are_written_as_they_are_read(tree: Path):
    path = "data/texts/mine.csv"
    write(tree / path, "number;body\n1;Der Hund\n2;Die Katze\n")
    describe(tree, "mine", source="file", path=path, text_column="body", separator=";")
    be_about(tree, ["mine"])
    read = load_texts(str(tree / read_yaml(tree / ORDER)["texts"]))
    assert read["text"].tolist() == ["Der Hund", "Die Katze"]


@pytest.mark.parametrize("corpora", [["articles"], ["hub", "articles"], ["hub"]])
def test_a_file_of_the_corpora_stays_and_so_does_it_without_another(tree: Path, corpora: list[str]):
    describe(tree, "hub", source="hub", repository="a/b")
    before = (tree / HEADS).read_text()
    be_about(tree, corpora)
    assert (tree / HEADS).read_text() == before


def test_an_example_is_a_short_text_or_a_beginning_at_a_word():
    assert example_of(["word " * 40, "two\n words"]) == "two words"
    assert example_of(["seven77 " * 40]) == ("seven77 " * 10).strip()
    assert example_of(["C" * 200]) == "C" * 80
