from typing import Any

import pytest
from jinja2 import Environment, StrictUndefined, UndefinedError

from embspace.cite.wording import (
    conjunction,
    listed,
    percent,
    plural,
    pooled_as,
    reference_keys,
    with_references,
    worded,
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (30522, "30,522"),
        (10000.0, "10,000"),
        (0.2, "0.2"),
        ([8, 128], "8 and 128"),
        ([], "none"),
        ([["mouse"], ["mouse", "useless"]], "mouse and mouse+useless"),
        ("cls", "first token"),
        ("english", "English"),
        ("WordPiece", "WordPiece"),
        ({"cls": ["raw", "unit_length"], "mean": ["raw"]},
         "first token (raw and at unit length) and mean (raw)"),
        ({"bert": {"layers": 2, "vocab_size": 28996}}, "bert (layers 2 and vocab_size 28,996)"),
    ],
)  # fmt: skip
def test_values_as_a_reader_wants_them(value: Any, expected: str):
    assert worded(value) == expected


def test_shares_in_percent():
    assert (percent(0.95), percent(0.07)) == ("95 %", "7 %")
    assert percent([0.5, 0.9, 0.95]) == "50 %, 90 % and 95 %"


def test_one_and_many():
    assert [plural(n, "pair") for n in (0, 1, 2484)] == ["0 pairs", "1 pair", "2,484 pairs"]
    assert plural(2, "batch", "batches") == "2 batches"


def test_lists_of_one_two_and_three():
    assert [listed(list("abc"[:n])) for n in (1, 2, 3)] == ["a", "a and b", "a, b and c"]


def test_a_loop_has_the_conjunctions_of_a_list():
    environment = Environment()
    environment.filters["conjunction"] = conjunction
    loop = environment.from_string(
        "{% for letter in letters %}{{ letter }}{{ loop | conjunction }}{% endfor %}"
    )
    for letters in ("a", "ab", "abc", "abcd"):
        assert loop.render(letters=letters) == listed(list(letters))


@pytest.mark.parametrize("use", [worded, percent, lambda value: plural(value, "pair")])
def test_what_is_undefined_says_why_as_soon_as_it_is_used(use: Any):
    with pytest.raises(UndefinedError, match="no such row"):
        use(StrictUndefined("no such row"))


def test_references_are_found_and_replaced_and_the_rest_is_escaped():
    text = "95 % [@one2001; @two2002], as @one2001 has it [CLS]"
    assert reference_keys(text) == ["one2001", "two2002"]

    def cited(keys: list[str], in_parentheses: bool) -> str:
        return f"<{'+'.join(keys)}{'!' if in_parentheses else ''}>"

    escape = "{}".format
    assert with_references(text, cited=cited, escaped=lambda part: escape(part.upper())) == (
        "95 % <one2001+two2002!>, AS <one2001> HAS IT [CLS]"
    )


def test_texts_are_represented_by_the_poolings_that_there_are():
    of_all = "the mean and the maximum of all tokens, any special ones included"
    first = "the state of the first token ([CLS] in BERT)"
    assert pooled_as(["cls", "max", "mean"], is_decoder=False) == f"{first} and {of_all}"
    assert pooled_as(["cls", "mean", "max", "last"], is_decoder=True) == (
        "the state of the first token (which sees no other), that of the last token and " + of_all
    )
    assert pooled_as(["cls"], is_decoder=False) == first
