from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.pre_tokenizers import BertPreTokenizer

from embspace.files.tables import save_table
from embspace.measure.learned.vocabulary import measure_vocabulary
from embspace.measure.learned.vocabulary_id_ranges import KINDS as TOKEN_KINDS
from embspace.models.spelling import Spelling
from embspace.models.tokenizer import numbered_vocabulary, vocabulary_table
from embspace.published.numbers import check_entry
from embspace.published.sources import read_source
from embspace.published.subjects import Subject
from embspace.settings.model import describe_model
from embspace.settings.schema import read_yaml
from tests.lazy import transformers
from tests.tiny import tiny_description
from tests.trained_tokenizers import KINDS, SPECIAL, spelling

WORD_PIECE = Spelling("WordPiece", "continuation", "##", byte_level=False)
BYTE_LEVEL = Spelling("BPE", "word_start", "Ġ", byte_level=True)
SENTENCE_PIECE = Spelling("Unigram", "word_start", "▁", byte_level=False)
TOKENS = ["[PAD]", "[unused0]", "!", "½", "the", "II", "Two", "12", "345", "007", "co2", "##s"]
TOKENS += ["##ing", "##12", "##,", "日本", "..."]


@pytest.fixture(scope="module")
def settings(root: Path) -> dict[str, Any]:
    return read_yaml(root / "conf/measure/learned/vocabulary.yaml")


def table_of(tokens: list[str]) -> pd.DataFrame:
    kinds = {"[PAD]": "special", "[unused0]": "unused"}
    kind = [kinds.get(token, "other") for token in tokens]
    return pd.DataFrame({"id": range(len(tokens)), "token": tokens, "kind": kind})


def counted(outcome: dict[str, Any], definition: str) -> dict[str, int]:
    rows = outcome["shares"][outcome["shares"]["definition"] == definition]
    return dict(zip(rows["quantity"], rows["count"], strict=True))


def test_shares_by_hand_as_listed_and_by_word_form(settings: dict[str, Any]):
    outcome = measure_vocabulary(table_of(TOKENS), WORD_PIECE, None, **settings)
    assert counted(outcome, "either") == {"subword": 4, "special": 1, "unused": 1, "byte": 0}
    assert counted(outcome, "as_listed") == {
        "alphanumeric": 9,  # ½ the II Two 12 345 007 co2 日本
        "alphabetic": 4,  # the II Two 日本
        "numeric": 4,  # ½ 12 345 007
        "not_alphanumeric": 8,
        "single_character": 2,
        "number_word": 1,
        "roman_numeral": 1,
    }
    assert counted(outcome, "word_form") == {
        "alphanumeric": 12,  # and s, ing, 12
        "alphabetic": 6,
        "numeric": 5,
        "not_alphanumeric": 5,
        "single_character": 4,  # and s and the comma
        "number_word": 1,
        "roman_numeral": 1,
    }
    assert (outcome["shares"]["n"] == len(TOKENS)).all()
    assert (outcome["shares"]["share"] == outcome["shares"]["count"] / len(TOKENS)).all()


def test_without_capitals_nobody_knows_which_are_roman_numerals(settings: dict[str, Any]):
    outcome = measure_vocabulary(
        table_of(["[PAD]", "mix", "ii", "two"]), WORD_PIECE, None, **settings
    )
    for definition in ("as_listed", "word_form"):
        counts = counted(outcome, definition)
        assert np.isnan(counts.pop("roman_numeral"))
        assert counts["number_word"] == 1
    assert outcome["shares"].set_index("quantity").loc["roman_numeral", "share"].isna().all()


def test_numbers_by_their_digits(settings: dict[str, Any]):
    digits = measure_vocabulary(table_of(TOKENS), WORD_PIECE, None, **settings)["digits"]
    keys = ["definition", "n_digits", "n_tokens", "n_numbers", "n_possible", "share"]
    assert digits[keys].to_numpy().tolist() == [
        ["as_listed", 2, 1, 1, 100, 0.01],
        ["as_listed", 3, 2, 2, 1000, 0.002],
        ["word_form", 2, 2, 1, 100, 0.01],  # 12 and ##12 are one number
        ["word_form", 3, 2, 2, 1000, 0.002],
    ]


def test_all_numbers_of_a_length_are_a_share_of_one(settings: dict[str, Any]):
    tokens = [f"{number:02d}" for number in range(100)] + [f"##{digit}" for digit in range(5)]
    digits = measure_vocabulary(table_of(tokens), WORD_PIECE, None, **settings)["digits"]
    share = digits.set_index(["definition", "n_digits"])["share"]
    assert share["as_listed", 2] == share["word_form", 2] == 1
    assert (share["as_listed", 1], share["word_form", 1]) == (0, 0.5)


def test_lengths_leave_out_what_stands_for_no_text(settings: dict[str, Any]):
    lengths = measure_vocabulary(table_of(TOKENS), WORD_PIECE, None, **settings)["lengths"]
    assert (lengths["n"] == len(TOKENS) - 2).all()
    rows = lengths[lengths["definition"] == "word_form"].set_index("n_characters")
    assert rows["count"].to_dict() == {1: 4, 2: 4, 3: 7}
    assert rows["n_subwords"].to_dict() == {1: 2, 2: 1, 3: 1}
    listed = lengths[lengths["definition"] == "as_listed"].set_index("n_characters")
    assert listed["count"].to_dict() == {1: 2, 2: 3, 3: 8, 4: 1, 5: 1}
    assert lengths.groupby("definition")["share"].sum().to_list() == pytest.approx([1, 1])


def test_bytes_and_markers_are_read_before_they_are_judged(settings: dict[str, Any]):
    tokens = ["Ġthe", "Ã©", "aÃ", "ĠdÃ©jÃł", "Ġ12", "!", "Ġtwo"]
    outcome = measure_vocabulary(table_of(tokens), BYTE_LEVEL, None, **settings)
    listed, form = counted(outcome, "as_listed"), counted(outcome, "word_form")
    assert counted(outcome, "either")["byte"] == 1
    # As listed, Ġ is a letter, and © and ł are not digits; é is two characters.
    assert (listed["numeric"], form["numeric"]) == (0, 1)
    assert (listed["number_word"], form["number_word"]) == (0, 1)
    assert (listed["single_character"], form["single_character"]) == (1, 2)
    assert form["alphabetic"] == 4
    blocks = outcome["id_blocks"].iloc[0]
    kinds = {kind: blocks[f"n_{kind}"] for kind in TOKEN_KINDS if blocks[f"n_{kind}"]}
    assert kinds == {
        "byte": 1,
        "ascii_character": 1,
        "other_character": 1,
        "number": 1,
        "word": 3,
    }


def test_where_words_are_marked_a_subword_has_no_mark(settings: dict[str, Any]):
    tokens = ["▁the", "s", "ing", "▁", "▁12", "12", "[PAD]"]
    outcome = measure_vocabulary(table_of(tokens), SENTENCE_PIECE, None, **settings)
    assert counted(outcome, "either")["subword"] == 3
    assert counted(outcome, "as_listed")["alphanumeric"] == 3
    assert counted(outcome, "word_form")["alphanumeric"] == 5


@pytest.mark.parametrize("kind", KINDS)
def test_trained_tokenizers_of_every_kind(kind: str, settings: dict[str, Any]):
    backend = KINDS[kind]()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token=SPECIAL[0], unk_token=SPECIAL[1]
    )
    description = describe_model("x", tiny_description(Path()) | {"continuation_prefix": None})
    table = vocabulary_table("tiny", tokenizer, description)
    outcome = measure_vocabulary(table, spelling(backend), None, **settings)
    either, form = counted(outcome, "either"), counted(outcome, "word_form")
    assert either["special"] == 2
    # The sentences are of words and numbers alone; more are in the byte alphabet (32 signs, 34
    # control characters) and where pieces reach beyond a space.
    if kind != "fallback_bpe":
        others = 32 + 34 if kind == "byte_level_bpe" else 2
        assert len(table) - form["alphanumeric"] - either["byte"] <= 2 + others
    assert 0 < either["subword"] < len(table)
    assert form["alphanumeric"] + form["not_alphanumeric"] == len(table)
    for ranges in (outcome["id_ranges"], outcome["id_blocks"]):
        assert ranges["n"].sum() == len(table)
        assert (ranges[[f"n_{kind}" for kind in TOKEN_KINDS]].sum(axis=1) == ranges["n"]).all()
    digits = outcome["digits"][outcome["digits"]["definition"] == "word_form"].set_index("n_digits")
    assert digits.loc[1, "n_numbers"] == (10 if kind == "byte_level_bpe" else 6)  # 0 1 2 3 7 9


def test_short_words_first_correlate_and_shuffled_ones_do_not(settings: dict[str, Any]):
    words = [letter * length for length in range(2, 30) for letter in "abcdefghij"]
    ordered = measure_vocabulary(table_of(words), WORD_PIECE, None, **settings)["json"]
    turned = measure_vocabulary(table_of(words[::-1]), WORD_PIECE, None, **settings)["json"]
    assert ordered["id_length_correlation"] == pytest.approx(1, abs=0.01)
    assert turned["id_length_correlation"] == -ordered["id_length_correlation"]
    shuffled = pd.Series(words).sample(frac=1, random_state=0).tolist()
    chance = measure_vocabulary(table_of(shuffled), WORD_PIECE, None, **settings)["json"]
    assert abs(chance["id_length_correlation"]) < 4 / len(words) ** 0.5


def test_words_of_one_length_have_no_correlation(settings: dict[str, Any]):
    summary = measure_vocabulary(table_of(["ab", "cd"]), WORD_PIECE, None, **settings)["json"]
    assert summary["n_words"] == 2
    assert pd.isna(summary["id_length_correlation"])


def test_without_a_tokenizer_all_tables_are_empty(settings: dict[str, Any]):
    outcome = measure_vocabulary(numbered_vocabulary(5), None, None, **settings)
    full = measure_vocabulary(table_of(TOKENS), WORD_PIECE, None, **settings)
    for name in ("shares", "digits", "lengths", "id_ranges", "id_blocks", "examples"):
        assert outcome[name].empty
        assert list(outcome[name]) == list(full[name])
    assert outcome["json"]["n"] == 0


BERT = Subject("bert", "google-bert/bert-base-cased")
# Of bert-base-cased, as Luisto's thesis prints them; `a` as the order of ASCII has it.
BEAR = {"Then": 1599, "the": 1103, "bear": 4965, "waited": 3932, "for": 1111, "door": 1442}
BEAR |= {"to": 1106, "open": 1501, "with": 1114, "a": 170, "se": 14516, "##ren": 5123}
BEAR |= {"##di": 3309, "##pit": 18965, "##ous": 2285, "smile": 2003, ".": 119}
FIRST_WORDS = {"of": 1104, "and": 1105}


@pytest.fixture(scope="module")
def examples(settings: dict[str, Any]) -> pd.DataFrame:
    """Of a tokenizer with these tokens alone."""
    tokens = BEAR | FIRST_WORDS | {"[UNK]": 100}
    tokenizer = Tokenizer(WordPiece(tokens, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = BertPreTokenizer()
    table = table_of([*tokens]).assign(id=[*tokens.values()])
    return measure_vocabulary(
        table, WORD_PIECE, lambda text: tokenizer.encode(text).ids, **settings
    )["examples"]


def test_the_tokens_of_the_example_sentence_are_listed_in_order(examples: pd.DataFrame):
    bear = examples[examples["text"] == "bear"]
    words = "Then the bear waited for the door to open with a se ##ren ##di ##pit ##ous smile ."
    assert bear["token"].tolist() == words.split()
    assert bear["id"].tolist() == [BEAR[token] for token in words.split()]
    assert bear["place"].tolist() == list(range(18))
    assert set(bear["n_tokens"]) == {18}
    assert examples[examples["text"] == "first_words"]["id"].tolist() == [1103, 1104, 1105]


def test_the_ledger_finds_the_ids_that_the_thesis_prints(
    examples: pd.DataFrame, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    source = read_source(root / "data/published/luisto_thesis.yaml")
    entries = [entry for entry in source.entries if "results/vocabulary/examples/" in entry.file]
    monkeypatch.chdir(tmp_path)
    save_table(examples, "results/vocabulary/examples/bert.csv")
    checks = [check for entry in entries for check in check_entry(entry, BERT, Path("results"))]
    assert len(checks) == 17
    assert {check.verdict for check in checks} == {"agrees"}
