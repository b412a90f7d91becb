from pathlib import Path

import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.files.tables import coarse_quantiles, load_table, save_table


@pytest.fixture(autouse=True)
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_six_significant_digits_and_unix_lines():
    save_table(pd.DataFrame({"n": [1234567], "mean": [0.123456789]}), "x.csv")
    assert Path("x.csv").read_bytes() == b"n,mean\n1234567,0.123457\n"


def test_words_that_look_like_missing_values_stay_words():
    words = ["nan", "NA", "null", "None", ",", '"', "a b", "#"]
    save_table(pd.DataFrame({"token": words}), "x.csv")
    assert load_table("x.csv")["token"].tolist() == words


def test_a_missing_number_comes_back_as_nan():
    save_table(pd.DataFrame({"skewness": [1.5, float("nan")]}), "x.csv")
    assert load_table("x.csv")["skewness"].isna().tolist() == [False, True]


def test_a_missing_table_says_how_to_make_it():
    with pytest.raises(InputError, match="results/x.csv: not found; `dvc repro` makes it"):
        load_table("results/x.csv")


def test_an_empty_file_is_no_table():
    Path("x.csv").touch()
    with pytest.raises(InputError, match=r"x\.csv: is no table"):
        load_table("x.csv")


def test_quantiles_that_are_empty_are_told_with_the_reason():
    """Of values at hand, and of none, nothing is to be told."""
    rows = pd.DataFrame(
        {
            "quantity": ["norm", "cosine", "dot_product", "cosine"],
            "n": [5, 10, 10, 0],
            "resolution": [0.0, 0.1, 3.0, 0.1],
            "quantile_0.5": [1.0, 0.2, float("nan"), float("nan")],
        }
    )
    message = coarse_quantiles(rows)
    assert "(dot product)" in message and "one bin has more than half of all pairs" in message
    assert coarse_quantiles(rows[[True, True, False, True]]) == ""
