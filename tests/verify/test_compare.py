import math

import pytest

from embspace.published.contents import Contents
from embspace.verify.compare import compare, unguarded
from tests.verify.tree import rules, table

BASELINE = table("space n mean\ninput 3 1.5\npositional 2 0.25")


def drifted(text: str) -> list[tuple[str, str, str]]:
    facts = compare(BASELINE, table(text), rules()).drifted
    return [(" ".join(fact.row), fact.column, fact.result) for fact in facts]


def test_equal_tables_agree():
    comparison = compare(BASELINE, BASELINE, rules())
    assert (comparison.n_facts, comparison.worst, comparison.drifted) == (4, 0.0, ())


def test_the_worst_is_kept_though_nothing_drifted():
    comparison = compare(
        BASELINE, table("space n mean\ninput 3 1.50003\npositional 2 0.25"), rules()
    )
    assert comparison.drifted == ()
    assert comparison.worst == pytest.approx(0.2)


def test_the_order_of_rows_and_columns_is_no_fact():
    assert drifted("mean n space\n0.25 2 positional\n1.5 3 input") == []


def test_which_columns_an_empty_table_has_is_no_fact():
    empty = Contents(("space", "n"), ())
    assert compare(Contents(("space", "n", "mean"), ()), empty, rules()).n_facts == 0
    lost = compare(BASELINE, empty, rules()).drifted
    assert {(fact.row, fact.result) for fact in lost} == {
        (("space=input",), "missing"),
        (("space=positional",), "missing"),
    }


def test_each_drifted_cell_is_named_the_farthest_first():
    cells = drifted("space n mean\ninput 3 1.6\npositional 4 0.5")
    assert cells == [
        ("space=positional", "n", "4"),  # exact
        ("space=positional", "mean", "0.5"),  # doubled
        ("space=input", "mean", "1.6"),
    ]


def test_a_fact_says_what_was_allowed():
    (fact,) = compare(
        BASELINE, table("space n mean\ninput 3 1.6\npositional 2 0.25"), rules()
    ).drifted
    assert (fact.baseline, fact.result, fact.allowed) == ("1.5", "1.6", "±0.00015")


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("space n mean\ninput 3 1.5", ("space=positional", "", "missing")),
        ("space n mean\ninput 3 1.5\npositional 2 0.25\njoint 5 1", ("space=joint", "", "extra")),
        ("space n\ninput 3\npositional 2", ("", "mean", "missing")),
        ("space n mean norm_0\ninput 3 1.5 1\npositional 2 0.25 1", ("", "norm_0", "extra")),
        (
            "space n mean\ninput 3 1.5\ninput 3 1.5\npositional 2 0.25",
            ("space=input #2", "", "extra"),
        ),
    ],
)
def test_a_row_or_column_that_one_side_lacks_is_named(text: str, fact: tuple[str, str, str]):
    assert drifted(text) == [fact]
    assert compare(BASELINE, table(text), rules()).worst == math.inf


def test_rows_may_have_a_tolerance_of_their_own():
    moved = table("space n mean\ninput 3 1.5005\npositional 2 0.2505")
    own = rules("similarity/small.csv")
    assert own.rows is not None
    (fact,) = compare(BASELINE, moved, own).drifted
    assert (fact.row, fact.allowed) == (("space=input",), "±0.00015")
    farther = table("space n mean\ninput 3 1.5\npositional 2 0.252")
    (fact,) = compare(BASELINE, farther, own).drifted
    assert (fact.row, fact.allowed) == (("space=positional",), "±0.001")


def test_a_row_under_another_name_is_missing_and_extra():
    assert drifted("space n mean\ninputs 3 1.5\npositional 2 0.25") == [
        ("space=input", "", "missing"),
        ("space=inputs", "", "extra"),
    ]


def test_nan_equals_nan():
    before = Contents(("mean",), ({"mean": ""},))
    assert compare(before, before, rules()).drifted == ()
    (fact,) = compare(before, Contents(("mean",), ({"mean": "0"},)), rules()).drifted
    assert (fact.baseline, fact.result) == ("NaN", "0")


def test_a_column_or_key_that_no_rule_names_is_found():
    assert unguarded(table("space n median\ninput 3 1.5"), rules()) == ["median"]
    assert unguarded(Contents(("a.n", "a.median"), ()), rules()) == ["a.median"]
