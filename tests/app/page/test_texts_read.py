"""What the head of a page says of the texts."""

import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

from embspace.app.page.texts_read import shared_told, texts_told, unknown_shares
from embspace.prepare.texts import prepare_texts
from embspace.settings.corpus import describe_corpus
from tests.tiny import tiny_description

STRANGE = "\ua66e"  # a character that only the unknown token stands for
KNOWN = "The tokenizer knows every token of the texts and stimuli."


@pytest.fixture
def tree(tiny_folder: Path, tmp_path: Path) -> Path:
    """A tree that has read a corpus, a set of stimuli, and a file of texts of an analysis."""
    for folder in ("conf/model", "conf/extract", "conf/measure/attention", "data/prepared/stimuli"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "params.yaml").write_text("corpora: [mine]\n")
    (tmp_path / "conf/model/tiny.yaml").write_text(yaml.safe_dump(tiny_description(tiny_folder)))
    for noun in ("extract/hidden_states", "extract/stimuli"):
        (tmp_path / f"conf/{noun}.yaml").write_text("largest_unknown_share: 0.2\n")
    (tmp_path / "conf/measure/attention/word_order.yaml").write_text(
        "largest_unknown_share: 0.2\ntexts: read.txt\n"
    )
    write(tmp_path, ["the cat"], ["a dog"], "the mat")
    return tmp_path


def write(tree: Path, corpus: list[str], words: list[str], read: str) -> None:
    (tree / "x.txt").write_text("".join(f"{text}\n" for text in corpus))
    description = {"label": "x", "license": "x", "language": "x", "source": "file"}
    table = prepare_texts(
        "mine", describe_corpus("mine", {**description, "path": str(tree / "x.txt")})
    )
    (tree / "data/prepared/texts").mkdir(exist_ok=True)
    table.to_parquet(tree / "data/prepared/texts/mine.parquet")
    pd.DataFrame({"text": words}).to_parquet(tree / "data/prepared/stimuli/words.parquet")
    (tree / "read.txt").write_text(f"{read}\n")


def test_texts_of_which_all_is_known_are_said_to_be(tree: Path):
    assert texts_told(tree, "tiny") == [KNOWN]


def test_a_share_of_unknown_tokens_is_told_for_each_of_the_texts(tree: Path):
    write(tree, [f"the cat sat on the mat {STRANGE}"], ["a dog"], f"the cat sat on a mat {STRANGE}")
    assert texts_told(tree, "tiny") == [
        "Tokens that the tokenizer does not know: 14 % of mine, 14 % of read.txt; an unknown token "
        "is no word, no homonym and no class."
    ]


def test_beyond_the_bound_the_reason_stands_there(tree: Path):
    write(tree, ["the cat"], [STRANGE, "a"], "the mat")
    assert texts_told(tree, "tiny") == [
        "the stimuli 'words': 50 % of the tokens are unknown to the tokenizer, more than 20 %: "
        "what is measured of these texts is not checkable, and is empty."
    ]


def test_nothing_is_told_of_a_file_that_no_analysis_of_the_page_reads(tree: Path):
    write(tree, ["the cat"], ["a dog"], f"the cat sat {STRANGE}")
    shares = unknown_shares(tree, "tiny", ["head_features", "synonyms"])
    assert texts_told(tree, "tiny", shares) == [KNOWN]
    for nouns, n_sets in ((["word_order"], 2), (["synonyms"], 2), (["ledger"], 2), ([], 1)):
        assert len(unknown_shares(tree, "tiny", nouns)) == n_sets
    shares = unknown_shares(tree, "tiny", ["word_order"])
    assert "read.txt" in " ".join(texts_told(tree, "tiny", shares))


def test_copies_and_scripts_without_spaces_are_told(tree: Path):
    write(
        tree, ["the cat", "The  Cat", "\u65e5\u672c\u8a9e"] + ["the dog sat on it"] * 2, ["a"], "a"
    )
    copies, scripts, *_ = texts_told(tree, "tiny")
    assert copies.startswith("mine: 2 of 5 texts repeat another one, word for word or nearly")
    assert scripts.startswith("mine: 1 of 5 texts are in a script without spaces between words")


def test_without_the_files_of_the_model_the_page_goes_without(tree: Path, tmp_path: Path):
    description = tiny_description(tmp_path / "gone")
    (tree / "conf/model/tiny.yaml").write_text(yaml.safe_dump(description))
    assert texts_told(tree, "tiny") == []


def test_texts_of_a_corpus_that_stand_in_another_one_are_told():
    texts = {
        "one": ["The cat sat.", "A dog.", "caf\u00e9  noir"],
        "two": ["A mat.", "the CAT  sat.", "cafe\u0301 noir"],
        "three": ["Nothing."],
    }
    corpora = {name: pd.DataFrame({"text": rows}) for name, rows in texts.items()}
    (said,) = shared_told(corpora)
    assert said.startswith("2 of 3 texts of one stand in two, too: ")
    assert shared_told({"one": corpora["one"]}) == []


def test_what_an_older_version_has_prepared_is_not_told(tree: Path):
    file = tree / "data/prepared/texts/mine.parquet"
    write(tree, ["the cat", "the cat", "a dog"], ["a dog"], "the mat")
    assert any("repeat another one" in sentence for sentence in texts_told(tree, "tiny"))
    pd.read_parquet(file).drop(columns="copy_of").to_parquet(file)
    assert texts_told(tree, "tiny") == [KNOWN]


def test_two_corpora_of_one_label_are_told_of_each(tree: Path):
    write(tree, ["the cat", "the cat", "a dog"], ["a dog"], "the mat")
    (tree / "params.yaml").write_text("corpora: [mine, mine_01234567]\n")
    texts = tree / "data/prepared/texts"
    shutil.copy(texts / "mine.parquet", texts / "mine_01234567.parquet")
    (tree / "conf/corpus").mkdir()
    for name in ("mine", "mine_01234567"):
        (tree / f"conf/corpus/{name}.yaml").write_text(
            "label: mine.csv\nlicense: unknown\nlanguage: unknown\n"
        )
    said = texts_told(tree, "tiny")
    assert [sentence.partition(":")[0] for sentence in said[:2]] == [
        "mine.csv (mine)",
        "mine.csv (mine_01234567)",
    ]
    assert "of mine.csv (mine) stand in mine.csv (mine_01234567), too" in said[2]
