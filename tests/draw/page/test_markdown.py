import pandas as pd
import pytest

from embspace.draw.page.markdown import code, markdown_table, section


@pytest.mark.parametrize(
    ("token", "shown"), [("cat", "`cat`"), ("|", "`\\|`"), ("`", "`` ` ``"), ("*", "`*`")]
)
def test_tokens_survive_in_a_cell(token: str, shown: str):
    assert code(token) == shown


def test_numbers_have_their_digits_and_tokens_stay_words():
    table = pd.DataFrame({"a_token": ["`007`", "`1e5`"], "x": [0.12345, 2.0], "y": [1e-9, 1.0]})
    lines = markdown_table(table, 2, ["y"]).splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == ["a token", "x", "y"]
    assert cells[2:] == [["`007`", "0.12", "1e-09"], ["`1e5`", "2.00", "1"]]


def test_a_section_is_a_heading_a_sentence_and_a_table():
    assert section("A", "b.", "|c|") == "## A\n\nb.\n\n|c|\n"


def test_a_table_without_rows_is_no_table():
    assert markdown_table(pd.DataFrame(columns=["a", "b"]), 2) == "None."


def test_a_value_and_its_interval_are_one_column():
    nan = float("nan")
    table = pd.DataFrame(
        {
            "layer": [0, 1, 2],
            "cosine": [0.5, 0.25, nan],
            "cosine_low": [0.4, nan, nan],
            "cosine_high": [0.6, nan, nan],
            "null_cosine_high": [0.1, 0.2, 0.3],
        }
    )
    lines = markdown_table(table, 2).splitlines()
    assert "cosine low" not in lines[0]
    assert "null cosine high" in lines[0]
    assert "0.50 [0.40, 0.60]" in lines[2]
    assert "[" not in lines[3]
    assert "0.25" in lines[3]
    assert "–" in lines[4]
