import math

import pytest

from embspace.published.contents import Contents
from embspace.verify.compare import compare
from tests.verify.tree import rules, table

# Values tie within twice the tolerance of 0.001.
HEAD = "space rank first second cosine\n"
BASELINE = HEAD + "input 1 a b 0.9\ninput 2 a c 0.5\ninput 3 b c 0.4985"


def drifted(rows: str, baseline: str = BASELINE) -> list[str]:
    facts = compare(table(baseline), table(HEAD + rows), rules("pairs/small.csv")).drifted
    return [f"{' '.join(fact.row)} {fact.column} {fact.result}" for fact in facts]


def test_a_tie_may_change_places():
    assert drifted("input 1 a b 0.9\ninput 2 b c 0.4986\ninput 3 a c 0.4984") == [
        "space=input first=a second=c cosine 0.4984"
    ]
    assert drifted("input 1 a b 0.9\ninput 2 b c 0.4994\ninput 3 a c 0.4992") == []


def test_what_does_not_tie_may_not_change_places():
    places = drifted("input 1 a c 0.5\ninput 2 a b 0.9\ninput 3 b c 0.4985")
    assert places == [
        "space=input first=a second=b rank 2",
        "space=input first=a second=c rank 1",
    ]


def test_a_tie_with_the_last_may_come_or_go():
    assert drifted("input 1 a b 0.9\ninput 2 a c 0.5\ninput 3 b d 0.4984") == []
    assert drifted("input 1 a b 0.9\ninput 2 b c 0.4985\ninput 3 b d 0.4984") == []


def test_what_does_not_tie_with_the_last_may_not():
    assert drifted("input 1 a d 0.9\ninput 2 a c 0.5\ninput 3 b c 0.4985") == [
        "space=input first=a second=b  missing",
        "space=input first=a second=d  extra",
    ]
    assert drifted("input 1 a b 0.9\ninput 2 a c 0.5\ninput 3 b d 0.4964") == [
        "space=input first=b second=d  extra"
    ]


@pytest.mark.parametrize("n", [1, 2])
def test_a_list_may_not_change_its_length(n: int):
    rows = "\n".join(BASELINE.splitlines()[1 : n + 1])
    assert len(drifted(rows)) == 3 - n


def test_each_group_is_a_list_of_its_own():
    baseline = HEAD + "input 1 a b 0.9\njoint 1 a b 0.2"
    assert drifted("input 1 a b 0.9\njoint 1 c d 0.2", baseline) == []
    assert drifted("input 1 c d 0.2\njoint 1 a b 0.2", baseline) == [
        "space=input first=c second=d  extra"
    ]


def test_a_rank_that_no_list_has_is_no_tie():
    facts = compare(
        table(BASELINE),
        Contents(*_renumbered(BASELINE)),
        rules("pairs/small.csv"),
    ).drifted
    assert [(fact.column, fact.result, fact.allowed, fact.deviation) for fact in facts] == [
        ("rank", "4", "a tie", math.inf)
    ]


def _renumbered(text: str):
    contents = table(text.replace("input 3", "input 4"))
    return contents.columns, contents.rows
