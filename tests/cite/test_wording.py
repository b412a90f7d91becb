from typing import Any

import pytest

from embspace.cite.wording import (
    Absent,
    filled,
    listed,
    placeholders,
    reference_keys,
    with_references,
    worded,
)


@pytest.mark.parametrize(
    ("value", "form", "expected"),
    [
        (30522, "", "30,522"),
        (10000.0, "", "10,000"),
        (0.2, "", "0.2"),
        (0.308275, ".3g", "0.308"),
        (0.95, "percent", "95 %"),
        (0.07, "percent", "7 %"),
        ([0.5, 0.9, 0.95], "percent", "50 %, 90 % and 95 %"),
        ([8, 128], "", "8 and 128"),
        ([], "", "none"),
        ([["mouse"], ["mouse", "useless"]], "", "mouse and mouse+useless"),
        (["a", "b", "c"], "count", "3"),
        ([1, 384], "range", "1 to 383"),
        (-1, "layer", "the last layer"),
        (-2, "layer", "layer 2 from the end"),
        (0, "layer", "layer 0"),
        ("cls", "", "first token"),
        ("english", "", "English"),
        (1, "pair/pairs", "1 pair"),
        (0, "pair/pairs", "0 pairs"),
        (2484, "nearest pair/nearest pairs", "2,484 nearest pairs"),
        ("swapped_roles", "words", "swapped roles"),
        ("WordPiece", "", "WordPiece"),
        ({"cls": ["raw", "unit_length"], "mean": ["raw"]}, "",
         "first token (raw and at unit length) and mean (raw)"),
        ({"bert": {"layers": 2, "vocab_size": 28996}}, "",
         "bert (layers 2 and vocab_size 28,996)"),
    ],
)  # fmt: skip
def test_values_as_a_reader_wants_them(value: Any, form: str, expected: str):
    assert worded(value, form) == expected


def test_lists_of_one_two_and_three():
    assert [listed(list("abc"[:n])) for n in (1, 2, 3)] == ["a", "a and b", "a, b and c"]


def value_of(name: str) -> Any:
    values = {"n": 1234, "settings.level": 0.95, "trap": "{n} <<x>> {y}"}
    if name not in values:
        raise Absent(f"no {name}")
    return values[name]


def test_placeholders_are_filled_and_named():
    template = "n = {n} at {settings.level:percent}"
    assert placeholders(template) == ["n", "settings.level"]
    assert filled(template, value_of) == "n = 1,234 at 95 %"


def test_an_optional_part_goes_as_a_whole_if_one_value_is_not_there():
    assert filled("a<<, {n} and {none}>><<, {n}>> z", value_of) == "a, 1,234 z"
    with pytest.raises(Absent, match="no none"):
        filled("a {none}<<, {n}>>", value_of)


def test_what_was_filled_in_is_not_filled_again():
    assert filled("{trap}<<: {trap}>>", value_of) == "{n} <<x>> {y}: {n} <<x>> {y}"


def test_references_are_found_and_replaced_and_the_rest_is_escaped():
    text = "95 % [@one2001; @two2002], as @one2001 has it [CLS]"
    assert reference_keys(text) == ["one2001", "two2002"]

    def cited(keys: list[str], in_parentheses: bool) -> str:
        return f"<{'+'.join(keys)}{'!' if in_parentheses else ''}>"

    escape = "{}".format
    assert with_references(text, cited=cited, escaped=lambda part: escape(part.upper())) == (
        "95 % <one2001+two2002!>, AS <one2001> HAS IT [CLS]"
    )
