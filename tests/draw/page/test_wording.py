import pandas as pd
import pytest

from embspace.draw.page.wording import is_alike, listed, numeral, random_sample, side_by_side


@pytest.mark.parametrize(
    ("values", "digits", "differ", "shown"),
    [
        ([1.114, 0.48], 2, False, ["1.11", "0.48"]),
        ([0.1602, 0.1598], 2, False, ["0.16", "0.16"]),
        ([0.1602, 0.1578], 2, True, ["0.160", "0.158"]),
        ([0.00031, 0.00052], 2, False, ["0.0003", "0.0005"]),  # none is printed as 0
        ([0.00031, 0.00033], 2, True, ["0.00031", "0.00033"]),
        ([0.3, 0.3], 1, True, ["0.3", "0.3"]),
        ([0.0, 0.0], 2, False, ["0.00", "0.00"]),
        ([0.5, float("nan")], 1, False, ["0.5", "nan"]),
        ([71.2, 70.8], 0, True, ["71.2", "70.8"]),
    ],
)
def test_digits_tell_numbers_apart_that_are_known_to_differ(values, digits, differ, shown):
    assert side_by_side(values, digits, differ=differ) == shown


def test_numerals_have_a_minus_sign_and_zero_none():
    assert numeral(-0.456, 2) == "\N{MINUS SIGN}0.46"
    assert numeral(-0.001, 2) == "0.00"
    assert [numeral(number, 1, plus=True) for number in (0.5, -0.01)] == ["+0.5", "+0.0"]


def test_numbers_are_alike_as_printed():
    assert is_alike([0.1602, 0.1598], 2)
    assert not is_alike([0.1602, 0.1478], 2)
    assert not is_alike([0.0003, 0.0005], 2)
    assert is_alike([0.0, 0.0], 2)


def test_words_are_listed_as_in_a_sentence():
    assert [listed(["a", "b", "c"][:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert listed(["a", "b", "c"], "or") == "a, b or c"


def test_texts_at_random_weights_are_counted():
    assert random_sample(pd.DataFrame({"n": [40, 50]})) == "up to 50 documents of each"
    assert random_sample(pd.DataFrame({"n": []})) == "not measured"
