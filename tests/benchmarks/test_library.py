"""Tests of `benchmarks.library`."""

import pytest

from benchmarks.library import QUERIES, ROWS, SCRIPTS, least, marks, page
from benchmarks.repro import Run
from embspace.errors import InputError


def test_a_script_has_the_costs_between_its_marks() -> None:
    first, second = marks("mark()\nsum(range(10**6))\nmark()\nend()", [])
    assert 0 < first.processor_seconds < second.processor_seconds


def test_a_script_that_fails_is_told() -> None:
    with pytest.raises(InputError, match=r"(?s)failed:.*no way"):
        marks("raise SystemExit('no way')", [])


def test_the_least_counts_clock_by_clock() -> None:
    before = least(None, [Run(3, 1)])
    assert least(before, [Run(2, 5)]) == [Run(2, 1)]


def test_each_row_is_of_contestants_that_there_are() -> None:
    known = {*SCRIPTS, *QUERIES, "whole plain"}
    names = {place[0] for row in ROWS for place in (row.ours, row.other) if place}
    assert names == known


def test_the_page_has_a_ratio_a_row() -> None:
    costs = {name: [Run(2, 3), Run(4, 6)] for name in {*SCRIPTS, *QUERIES}}
    costs["whole plain"] = [Run(1, 2)]
    text = page(costs, 0.5)
    assert "load was 0.5" in text
    assert "| `embspace cosine`, second time | 1.50 | 1.3 | 3.000 : 2.000 | 2.000 : 1.000 |" in text
    assert "| `import embspace` | – | 0.1 s | 3.00 | 2.00 |" in text
    assert len(text.splitlines()) == 6 + len(ROWS)
