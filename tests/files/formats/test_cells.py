from typing import Any

import pytest

from embspace.errors import InputError
from embspace.files.formats.cells import (
    cell_rows,
    checked_separator,
    declared_separator,
    numbered_cells,
    other_separator,
)
from embspace.files.formats.row import NoRow


def rows_of(content: str, *names: str, separator: str = ",") -> list[tuple[int, Any]]:
    return list(cell_rows(content.splitlines(keepends=True), separator, "x.csv", names))


def test_blank_lines_are_counted_and_comments_in_front_are_none():
    content = '# made by hand\n\n#\ntext,n\n\n"a\nb",1\n \n#c,2\n'
    assert rows_of(content, "text") == [
        (6, {"text": "a\nb", "n": "1"}),
        (9, {"text": "#c", "n": "2"}),
    ]


def test_a_name_may_begin_as_a_comment():
    assert rows_of("#text\na\n", "#text") == [(2, {"#text": "a"})]
    assert rows_of("#n,text\n1,a\n", "text") == [(2, {"#n": "1", "text": "a"})]
    assert rows_of("#n,x\n1,a\n", "text") == [(2, {"#n": "1", "x": "a"})]


def test_a_line_that_is_no_row_is_a_reason_and_the_next_is_read():
    rows = rows_of('a,b\n1,2\n3\n"4" x,5\n6,7,8\n9,"0\n', "a")
    assert rows[0] == (2, {"a": "1", "b": "2"})
    assert [line for line, row in rows if isinstance(row, NoRow)] == [3, 4, 5, 6]
    assert "is not closed" in rows[-1][1].reason


@pytest.mark.parametrize(
    "content",
    ['text,n\na,1\n"he said \\"hi\\", so",2\n', 'text\n"x\\"\ny"\n', 'text,n\n"a \\"b\\" c",1\n'],
)
def test_a_backslash_before_a_quote_is_told_with_its_line(content: str):
    flaws = [(line, row) for line, row in rows_of(content, "text") if isinstance(row, NoRow)]
    assert "a backslash stands before a quote" in flaws[0][1].reason
    assert flaws[0][0] == content.count("\n", 0, content.rindex('"')) + 1


def test_a_backslash_at_the_end_of_a_cell_is_one():
    assert rows_of('text,n\n"C:\\",1\nb,2\n', "text")[0] == (2, {"text": "C:\\", "n": "1"})


def test_a_carriage_return_outside_of_quotes_ends_no_line():
    ((line, row),) = list(numbered_cells(["a\rb\n"], ","))
    assert line == 1 and isinstance(row, NoRow) and "carriage return" in row.reason
    assert list(numbered_cells(['"a\rb"\r\n'], ",")) == [(1, ["a\rb"])]


@pytest.mark.parametrize("line", ["sep=;\n", '"sep=;"\r\n', "SEP=;"])
def test_a_separator_may_be_declared(line: str):
    declared, lines = declared_separator([line, "a;b\n"])
    assert declared == ";"
    assert list(numbered_cells(lines, ";")) == [(2, ["a", "b"])]
    assert declared_separator(["sep\n"])[0] is None and declared_separator([])[0] is None


def test_a_tab_may_be_written_out():
    assert checked_separator(r"\t", "x") == "\t" == checked_separator("\t", "x")
    for wrong in ("", ";;", '"', "\n", r"\n"):
        with pytest.raises(InputError, match="x: found the separator"):
            checked_separator(wrong, "x")
    assert "--separator '\\t'" in other_separator(["a\tb"], ",")


def test_names_stand_once_but_those_that_are_none():
    with pytest.raises(InputError, match=r"x\.csv, line 1: the column 'a' stands 2 times"):
        rows_of("a,a\n1,2\n")
    assert rows_of("a,,\n1,,\n") == [(2, {"a": "1", "": ""})]
