import pandas as pd

from embspace.compare.vocabularies import VOCABULARIES, compare_vocabularies
from embspace.draw.compare.vocabularies import draw_vocabularies
from embspace.measure.learned.vocabulary_token_kinds import described_tokens
from embspace.models.spelling import Spelling
from tests.analyses import as_drawn


def tokens(*words: str) -> pd.DataFrame:
    table = pd.DataFrame({"id": range(len(words)), "token": words, "kind": "other"})
    return described_tokens(table, Spelling("WordPiece", "continuation", "##", byte_level=False))


def drawn(one: pd.DataFrame, two: pd.DataFrame) -> tuple[str, str]:
    results = as_drawn(VOCABULARIES, compare_vocabularies(one, two))
    return draw_vocabularies(results, "one--two", digits=2)


def test_a_row_a_definition_then_one_a_kind():
    finding, text = drawn(tokens("the", "cat", "##ing"), tokens("the", "The"))
    assert finding == "one and two share 25 % of their tokens as listed, 33 % as lower-case text"
    common, by_kind = text.split("## ")[1:]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in common.splitlines()]
    assert ["as listed", "3", "2", "1", "0.25"] in cells
    assert ["lower case", "3", "1", "1", "0.33"] in cells
    assert "word pieces" in by_kind
    assert text.startswith("# Vocabularies of one and two\n")


def test_equal_vocabularies_are_said():
    finding, _ = drawn(tokens("the", "cat"), tokens("the", "cat"))
    assert finding == "one and two have the same 2 tokens"


def test_a_model_without_a_tokenizer_is_told():
    finding, text = drawn(tokens("the"), tokens("the")[:0])
    assert "one has no tokenizer" in finding
    assert "None." in text
