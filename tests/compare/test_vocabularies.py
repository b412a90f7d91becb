from typing import Any

import pandas as pd
import pytest

from embspace.compare.vocabularies import DEFINITIONS, VOCABULARIES, compare_vocabularies
from embspace.measure.learned.vocabulary_token_kinds import described_tokens
from embspace.models.spelling import Spelling

PIECES = Spelling("WordPiece", "continuation", "##", byte_level=False)
BYTES = Spelling("BPE", "word_start", "Ġ", byte_level=True)


def vocabulary(tokens: list[str], spelling: Spelling, special: str) -> pd.DataFrame:
    kinds = ["special" if token == special else "other" for token in tokens]
    table = pd.DataFrame({"id": range(len(tokens)), "token": tokens, "kind": kinds})
    return described_tokens(table, spelling)


ONE = vocabulary(["[CLS]", "the", "cat", "sea", "##ing", "##cat", "a", "12"], PIECES, "[CLS]")
WORDS = ["<s>", "Ġthe", "ĠThe", "Ġcat", "ing", "sea", "Ġa", "Ã", "Ġ12"]


def inputs(*, is_empty: bool = False) -> dict[str, Any]:
    """Return two vocabularies, or, if empty, one model without a tokenizer."""
    other = vocabulary(WORDS, BYTES, "<s>")
    return {"tokens": ONE, "other_tokens": other[:0] if is_empty else other}


def compared(tokens: pd.DataFrame, other_tokens: pd.DataFrame) -> pd.DataFrame:
    return compare_vocabularies(tokens, other_tokens)["csv"]


@pytest.fixture
def table() -> pd.DataFrame:
    return compared(**inputs())


def at(table: pd.DataFrame, definition: str, kind: str) -> dict[str, float]:
    rows = table[(table["definition"] == definition) & (table["kind"] == kind)]
    (row,) = rows.drop(columns=["definition", "kind"]).to_dict("records")
    return {str(name): value for name, value in row.items()}


def test_markers_are_put_into_a_common_form(table: pd.DataFrame):
    # Strings alone: only `sea` looks the same, though it starts a word in one and not in the other.
    assert at(table, "as_listed", "all")["n_common"] == 1
    # the, cat, ing, a, 12
    assert at(table, "marked", "all")["n_common"] == 5
    # sea as well; cat, with and without mark, is one text.
    assert at(table, "word_form", "all")["n_common"] == 6
    assert at(table, "word_form", "all")["n"] == 7


def test_shares_by_hand(table: pd.DataFrame):
    word = at(table, "marked", "word")  # the cat sea against the The cat
    assert (word["n"], word["other_n"], word["n_common"]) == (3, 3, 2)
    assert word["jaccard_index"] == pytest.approx(2 / 4)
    assert word["share_common"] == word["other_share_common"] == pytest.approx(2 / 3)
    # By its text the other has sea too, as a subword.
    form = at(table, "word_form", "word")
    assert (form["share_common"], form["share_in_other"]) == (pytest.approx(2 / 3), 1)
    lower = at(table, "lower_case", "word")
    assert (lower["other_n"], lower["other_share_common"]) == (2, 1)


def test_bytes_are_compared_as_listed_alone(table: pd.DataFrame):
    byte = at(table, "as_listed", "byte")
    assert (byte["n"], byte["other_n"], byte["jaccard_index"]) == (0, 1, 0)
    assert pd.isna(byte["share_common"])
    assert set(table.loc[table["kind"] == "byte", "definition"]) == {"as_listed"}
    assert at(table, "word_form", "all")["other_n"] == 8  # <s> the The cat ing sea a 12


def test_equal_vocabularies_are_one():
    tokens = vocabulary(["[CLS]", "the", "##s"], PIECES, "[CLS]")
    table = compared(tokens, tokens)
    kinds = VOCABULARIES.tables["csv"].kinds
    shares = [name for name, kind in kinds.items() if kind == "moment"]
    assert (table[shares] == 1).all(axis=None)
    assert set(table["definition"]) == set(DEFINITIONS)


def test_without_a_tokenizer_there_is_no_row():
    tokens = vocabulary(["[CLS]", "the"], PIECES, "[CLS]")
    for pair in ((tokens, tokens[:0]), (tokens[:0], tokens)):
        assert compared(*pair).empty
