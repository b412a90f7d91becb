import pandas as pd

from embspace.measure.learned.vocabulary_token_kinds import described_tokens
from embspace.models.spelling import Spelling


def test_tokens_by_what_they_stand_for():
    tokens = ["[PAD]", "[unused0]", "a", "ä", "##ing", "12", "the", "co2"]
    kinds = ["special", "unused", *["other"] * 6]
    table = pd.DataFrame({"id": range(8), "token": tokens, "kind": kinds})
    described = described_tokens(
        table, Spelling("WordPiece", "continuation", "##", byte_level=False)
    )
    assert list(described["text"]) == ["[PAD]", "[unused0]", "a", "ä", "ing", "12", "the", "co2"]
    text_kinds = ["ascii_character", "other_character", "subword", "number", "word", "other"]
    assert list(described["kind"]) == ["special", "unused", *text_kinds]
    assert list(described["subword"]) == [token == "##ing" for token in tokens]
    assert list(described["n_characters"].dropna()) == [1, 1, 3, 2, 3, 3]


def test_a_part_of_a_character_is_a_byte():
    table = pd.DataFrame({"id": [0, 1], "token": ["Ã", "Ġthe"], "kind": ["other"] * 2})
    described = described_tokens(table, Spelling("BPE", "word_start", "Ġ", byte_level=True))
    assert list(described["kind"]) == ["byte", "word"]
    assert list(described["text"]) == ["", "the"]
