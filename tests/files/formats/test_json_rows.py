import pytest

from embspace.errors import InputError
from embspace.files.formats.json_rows import json_line_rows, json_list_rows
from embspace.files.formats.row import NoRow


def test_lines_keep_their_numbers_beside_blank_ones():
    lines = ['{"a": 1}\n', "\n", " \ufeff\n", '\ufeff{"a": 2}\n', "# note\n", "[1]\n"]
    rows = dict(json_line_rows(lines))
    assert rows[1] == {"a": 1} and rows[4] == {"a": 2} and 2 not in rows
    assert isinstance(rows[5], NoRow) and rows[5].reason.endswith("is it a comment?")
    assert rows[6] == NoRow("expected keys and values, found [1]")


@pytest.mark.parametrize("line", ["[" * 100_000, '{"a":' * 100_000, f'{{"a": {"9" * 5000}}}'])
def test_what_python_cannot_hold_is_a_reason(line: str):
    ((_, row),) = json_line_rows([line])
    assert isinstance(row, NoRow)


def test_lines_under_the_name_of_a_list_are_told():
    with pytest.raises(InputError, match=r"x\.json, line 2: .*let its name end in \.jsonl"):
        list(json_list_rows('{"a": 1}\n{"a": 2}\n', "x.json"))
