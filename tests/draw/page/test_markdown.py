import re
from html import unescape

import pandas as pd
import pytest
from markdown_it import MarkdownIt

from embspace.draw.page.latex import _cells
from embspace.draw.page.markdown import (
    code,
    folded,
    harmless,
    markdown_table,
    number,
    p_value,
    section,
    significant,
    with_interval,
    words,
)
from embspace.errors import one_line


@pytest.mark.parametrize(
    ("token", "shown"), [("cat", "`cat`"), ("|", "`\\|`"), ("`", "`` ` ``"), ("*", "`*`")]
)
def test_tokens_survive_in_a_cell(token: str, shown: str):
    assert code(token) == shown


REMOTE = "![x](http://127.0.0.1:9/x.png)"
HOSTILE = [
    REMOTE,
    f"a|{REMOTE}",
    f"\\`{REMOTE}`",
    f"\\\\{REMOTE}",
    f"`` ` {REMOTE} ` `` `{REMOTE}",
    f"``{REMOTE}`` `",
    f"[{REMOTE}](http://127.0.0.1:9)",
    f"a\n\n{REMOTE}",
    f"a\r| {REMOTE} |",
    "![x][x]",
    "<http://127.0.0.1:9>",
    "<img src=http://127.0.0.1:9/x.png>",
    "_a_ *b* __c__ 2 * 3 \\* \\| |",
    "| a | b |",
]


def shown(markdown: str) -> tuple[set[str], str]:
    """The elements of a page of Markdown as GitHub reads it, HTML and all, and its text."""
    html = MarkdownIt("commonmark").enable("table").render(markdown)
    return set(re.findall(r"<(\w+)", html)), unescape(re.sub(r"<[^>]*>", "", html)).strip()


@pytest.mark.parametrize("text", HOSTILE)
def test_words_are_what_they_are_and_nothing_else(text: str):
    elements, read = shown(words(text))
    assert elements <= {"p", "code"}
    if "`" not in text:
        assert read == one_line(text).strip()


@pytest.mark.parametrize("text", HOSTILE)
def test_words_and_tokens_keep_their_cell(text: str):
    table = pd.DataFrame({"id": [text], "token": [code(text)], "x": [0.5], text: ["last"]})
    page = markdown_table(table, 2)
    elements, _ = shown(page)
    assert elements <= {"table", "thead", "tbody", "tr", "th", "td", "code"}
    html = MarkdownIt("commonmark").enable("table").render(page)
    assert len(re.findall("<td", html)) == len(re.findall("<th>", html)) == 4
    assert "<td>0.50</td>\n<td>last</td>" in html
    assert [len(_cells(line)) for line in page.splitlines()] == [4, 4, 4]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_token_is_read_as_it_is(text: str):
    elements, read = shown(code(text))
    assert elements == {"p", "code"}
    assert read.split() == one_line(text).replace("|", "\\|").split()


def test_headings_and_sentences_of_a_page_are_harmless_and_its_tables_stay():
    page = f"# Of {REMOTE}\n\nOf `a_b` 0.5 [0.4, 0.6], x <= 2.\n\n| a | b |\n|---|---|\n"
    assert shown(harmless(page))[0] == {"h1", "p", "code", "table", "thead", "tr", "th"}
    assert harmless(page).splitlines()[1:] == page.splitlines()[1:]


def test_numbers_have_their_digits_and_tokens_stay_words():
    table = pd.DataFrame({"a_token": ["`007`", "`1e5`"], "x": [0.12345, 2.0], "y": [1e-9, 1.0]})
    lines = markdown_table(table, 2, ["y"]).splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == ["a token", "x", "y"]
    assert cells[2:] == [["`007`", "0.12", "1 × 10⁻⁹"], ["`1e5`", "2.00", "1"]]


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


def cells_of(table: pd.DataFrame, digits: int) -> list[list[str]]:
    lines = markdown_table(table, digits).splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_whole_numbers_are_whole_beside_gaps_too():
    table = pd.DataFrame({"layer": [0.0, 1.0, float("nan")], "n": [30522, 7, 0]})
    assert cells_of(table, 3) == [["0", "30,522"], ["1", "7"], ["–", "0"]]


def test_a_gap_among_words_is_a_dash():
    table = pd.DataFrame({"differs": ["no", "yes", float("nan")], "n": [1, 2, 3]})
    assert cells_of(table, 3) == [["no", "1"], ["yes", "2"], ["–", "3"]]
    table = table.astype({"differs": "str"})
    assert cells_of(table, 3)[-1] == ["–", "3"]


def test_one_that_is_whole_by_chance_has_the_digits_of_its_column():
    assert cells_of(pd.DataFrame({"x": [1.0, 0.25]}), 3) == [["1.000"], ["0.250"]]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (42097.2, "42,097"),
        (331.411, "331.4"),
        (-0.0, "0.000"),
        (-0.00049, "-0.00049"),
        (-0.000014, "-1.4 × 10⁻⁵"),
        (2.5e-113, "2.5 × 10⁻¹¹³"),
        (0.5, "0.500"),
    ],
)
def test_a_number_has_the_digits_of_its_size(value: float, shown: str):
    assert number(value, 3) == shown


@pytest.mark.parametrize(
    ("estimate", "shown"),
    [
        ((0.61234, 0.58, 0.64), "0.612 [0.580, 0.640]"),
        ((17.8, 12.1, 23.9), "17.8 [12.1, 23.9]"),
        ((39125.7, 30000, 50000), "39,126 [30,000, 50,000]"),
        ((-0.001, -0.04, 0.04), "-0.001 [-0.040, 0.040]"),
        ((0.99997, 0.99995, 0.99999), "0.999970 [0.999950, 0.999990]"),
        ((3.141e-7, 3.114e-7, 3.171e-7), "3.141 [3.114, 3.171] × 10⁻⁷"),
        ((-1e-5, -3e-5, 2e-5), "-1.0 [-3.0, 2.0] × 10⁻⁵"),
        ((5e-4, 4e-4, 6e-4), "0.00050 [0.00040, 0.00060]"),
    ],
)
def test_an_interval_gives_its_half_width_two_digits(estimate: tuple[float, ...], shown: str):
    assert with_interval(*estimate) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (-0.0, "0"),
        (7.672e-6, "7.67 × 10⁻⁶"),
        (0.000483, "0.000483"),
        (1234.5, "1,234"),
        (999.7, "1,000"),
        (-999.7, "-1,000"),
        (999.4, "999"),
        (12.5, "12.5"),
    ],
)
def test_an_exact_number_has_three_digits(value: float, shown: str):
    assert significant(value) == shown


def test_small_numbers_are_set_to_the_right_as_others_are():
    table = pd.DataFrame({"p": [0.25, 1e-9], "x": [1e-7, 1.0], "x_low": [9e-8, 0.5], "x_high": 2.0})
    ends = {f"y{end}": [1e-5, 1.0] for end in ("", "_low", "_high")}  # an interval of width 0
    lines = markdown_table(table.assign(**ends), 3).splitlines()
    assert "| 1 × 10⁻⁵ [1 × 10⁻⁵, 1 × 10⁻⁵] |" in lines[2]
    lines = markdown_table(table, 3).splitlines()
    assert lines[2].startswith("|    0.250 |") and lines[3].startswith("| 1 × 10⁻⁹ |")
    assert not any("  |" in line for line in lines[2:])


def test_two_columns_of_one_heading_are_refused():
    with pytest.raises(ValueError, match="one heading"):
        markdown_table(pd.DataFrame({"chance": [1], "chance ": [2]}), 2)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1 / 1001, "< 0.001"), (0.000999001, "< 0.001"), (0.0, "< 0.001"), (0.25, "0.250")],
)
def test_the_least_p_value_of_a_null_is_a_bound(value: float, shown: str):
    assert p_value(value, 1000) == shown


def test_a_fold_is_one_in_git_and_its_content_stays_harmless():
    page = harmless(folded(f"## {REMOTE}\n\n| a |\n|---|\n"))
    assert {"details", "summary", "table", "h2"} <= shown(page)[0]
    assert "img" not in shown(page)[0]
