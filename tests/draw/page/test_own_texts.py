"""A user's own texts are called as the user has called them."""

from pathlib import Path

import pandas as pd
import pytest

from embspace.draw.page.looks import corpus_looks
from embspace.draw.page.markdown import markdown_table
from embspace.draw.page.own_texts import (
    LONGEST,
    called_as_given,
    corpus_called,
    own_names,
    units_of,
)

OWN = "license: unknown\nlanguage: unknown\nlabel: "


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "conf/corpus"
    folder.mkdir(parents=True)
    (folder / "texts_of_my.yaml").write_text(f"{OWN}my texts.csv\n")
    (folder / "tokens.yaml").write_text(f"{OWN}{'t' * 90}.csv\n")
    (folder / "model_card.yaml").write_text("license: x\nlanguage: x\nlabel: The card\n")
    return tmp_path


def test_figures_and_tables_have_the_name_of_the_file(tree: Path):
    table = pd.DataFrame({"corpus": ["texts_of_my", "model_card"], "word": ["texts_of_my", "b"]})
    with called_as_given(tree):
        looks = corpus_looks(["texts_of_my", "model_card"])
        shown = markdown_table(table, 2).splitlines()
    assert looks["texts_of_my"].name == "texts of my texts.csv"
    assert looks["model_card"].name == "model card"
    assert shown[2].split("|")[1:3] == [" texts of my texts.csv ", " texts_of_my "]


def test_elsewhere_a_corpus_keeps_its_name(tree: Path):
    with called_as_given(tree):
        assert corpus_called("tokens") != "tokens"
    assert corpus_called("tokens") == "tokens"
    assert corpus_looks(["texts_of_my"])["texts_of_my"].name == "texts of my"


def test_a_long_name_is_cut(tree: Path):
    assert len(own_names(tree)["tokens"]) == len("texts of ") + LONGEST


def test_two_files_of_one_name_are_told_apart(tree: Path):
    (tree / "conf/corpus/texts_of_my_2.yaml").write_text(f"{OWN}my texts.csv\n")
    names = own_names(tree)
    assert names["texts_of_my"] == "texts of my texts.csv (texts_of_my)"
    assert len({*names.values()}) == 3


def test_texts_of_a_file_are_said_once(tree: Path):
    with called_as_given(tree):
        assert units_of("texts", "texts_of_my") == "texts of my texts.csv"
        assert units_of("documents", "texts_of_my") == "documents of my texts.csv"
        assert units_of("words", "texts_of_my") == "words of texts of my texts.csv"
        assert units_of("texts", "model_card") == "texts of model_card"
