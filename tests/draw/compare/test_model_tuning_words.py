"""Reads tables of words that changes write back."""

from embspace.analysis import Outcome
from embspace.compare.model_tuning_words import MODEL_TUNING_WORDS
from embspace.draw.compare.model_tuning_words import draw_model_tuning_words
from tests.compare.test_model_tuning_words import LISTED, at_random, compared, toward


def drawn(tables: Outcome) -> tuple[str, str]:
    return draw_model_tuning_words(tables, "one--two", digits=3)


def test_the_finding_counts_groups_with_words_of_the_list() -> None:
    finding, text = drawn(compared(toward(LISTED)))
    assert finding.startswith("Changes from one to two write words of the list in 1 of 1 groups")
    assert "(MLP values; random lists up to" in finding
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == ["## Groups", "## Layers", "## Change of most words"]
    assert "30 of 31 words of the list are tokens." in text
    assert "| present " in text.split("<details>")[0]


def test_random_changes_write_none() -> None:
    finding, _ = drawn(compared(at_random))
    assert "in 0 of 1 groups" in finding


def test_a_pair_that_is_not_measured_says_why() -> None:
    rows = MODEL_TUNING_WORDS.tables["csv"].of([{"reason": "one: has no weights"}])
    finding, text = drawn({"csv": rows, "layers": MODEL_TUNING_WORDS.tables["layers"].of()})
    assert finding == "Changes from one to two were not read as words of a list"
    assert "Not measured: one: has no weights." in text
