from pathlib import Path

import pandas as pd
import pytest

from embspace.app.practice.answers import Answer, few_or_many, interval, number
from embspace.errors import InputError


def test_an_answer_ends_with_its_sentence_and_saves_its_tables(tmp_path: Path):
    answer = Answer("a line", "A sentence.", {"rates": pd.DataFrame({"x": [1]})})
    assert str(answer) == "a line\n\nA sentence."
    assert answer.save(tmp_path / "new") == [tmp_path / "new/rates.csv"]
    assert (tmp_path / "new/rates.csv").read_text() == "x\n1\n"
    with pytest.raises(InputError, match="--results: found the file .*, allowed: a folder"):
        answer.save(tmp_path / "new/rates.csv")


def test_numbers_say_when_there_is_none():
    assert number(float("nan")) == "none" and number(0.12345) == "0.123"
    assert interval(0.5, 0.25, 0.75, 2) == "0.50 (0.25 to 0.75)"
    assert interval(0.5, float("nan"), float("nan")) == "0.500 (no interval)"
    assert [few_or_many(x) for x in (0.04, 9.96, 1234.5)] == ["0.0", "10.0", "1,234"]
    assert few_or_many(float("nan")) == "unknown"
