import pytest

from embspace.errors import InputError
from embspace.files.formats.number_cells import is_number, likely_separator, number_table


def test_a_separator_is_the_one_that_leaves_numbers():
    assert likely_separator(["x;y\n", "0,5;1\n", "2;3,5\n"], ",") == ";"
    assert likely_separator(["x y\n", "1 2\n"], ",") == " "
    assert likely_separator(["x,y\n", "1,2\n"], ",") == ","
    assert likely_separator(["x\n", "word\n"], "\t") == "\t"


@pytest.mark.parametrize(
    ("cell", "expected"),
    [("1e-3", True), ("0,5", True), ("nan", True), ("1_0", False), ("", False), ("a", False)],
)
def test_what_is_a_number(cell: str, expected: bool):
    assert is_number(cell) == expected


def test_a_row_of_other_length_is_named():
    lines = ["x,y\n", "1,2\n", "\n", "3,4,5\n"]
    with pytest.raises(InputError, match=r"x\.csv, line 4: expected 2 cells as in line 2, found 3"):
        number_table(lines, ",", "x.csv", header=None, known=())
