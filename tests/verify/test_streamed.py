"""Tests of `embspace.verify.streamed`."""

from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.verify.rules import read_tolerances
from embspace.verify.streamed import compare_streamed, lines_of
from tests.app.cli.call import call
from tests.verify.tree import make_tree, put

FILE = "direction/profiles/small.csv"
HUBS = "hubs/profiles/small.csv"
STAGE = """corpus,space,change,layer,measure,value,low,high,n,n_texts
a,cls,as_is,0,mean_cosine,1.5,1.4,1.6,30,9
a,cls,centered,0,mean_cosine,1.2,1.1,1.3,30,9
b,cls,as_is,0,mean_cosine,2.5,2.4,2.6,40,8
"""
STREAMED = """corpus,space,change,layer,measure,value,low,high,n,n_texts
a,cls,as_is,0,mean_cosine,1.5,1.1,1.9,30,9
"""
OF_SAMPLE = """corpus,space,change,layer,measure,value,low,high,n,n_texts
a,cls,as_is,1,hubness,0.5,0.4,0.6,30,9
a,cls,as_is,2,hubness,0.7,0.4,0.9,30,9
"""
TOLERANCES = """
kinds:
  row: {names_row: true, reason: a name}
  count: {exact: true, reason: how many}
  moment: {relative: 1.0e-4, reason: rounding}
columns: {corpus: row, space: row, change: row, layer: row, measure: row, n: count, n_texts: count}
files:
  "*/profiles": {columns: {value: moment, low: moment, high: moment}}
"""


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_tree()
    put("tests/baselines/tolerances.yaml", TOLERANCES)
    put(f"tests/baselines/{FILE}", STAGE)
    put(f"streamed/{FILE}", STREAMED)


def test_rows_that_are_there_agree_whatever_their_intervals() -> None:
    (table,) = compare_streamed(Path("streamed"), read_tolerances())
    assert (table.n_rows, table.n_left, table.comparison.drifted) == (1, 1, ())
    first, last = lines_of([table])
    assert first.startswith(f"{FILE}: agrees; 1 row compared, 1 of the baseline")
    assert last.startswith("1 row compared in 1 table: value, n, n_texts; not intervals")


def test_each_table_that_is_not_there_is_named_and_a_failure() -> None:
    put(f"tests/baselines/{HUBS}", OF_SAMPLE)
    put("tests/baselines/spectrum/profiles/small.csv", STAGE.replace("a,", "b,"))
    put("tests/baselines/direction/nulls/small.csv", STAGE)
    result = call("verify", "--streamed", "streamed")
    assert result.exit_code == 1
    assert f"{HUBS}: MISSING; `embspace corpus` makes it" in result.stdout
    assert f"lacking: {HUBS}\n" in result.stdout  # of the spectrum there is no row about `a`
    assert "never made by `embspace corpus`: direction/nulls/small.csv" in result.stdout
    assert "1 row compared in 1 table" in result.stdout


def test_a_row_that_sums_give_and_that_is_not_there_is_drift() -> None:
    more = "a,cls,as_is,1,mean_cosine,1.4,1.3,1.5,30,9\na,mean,as_is,0,mean_cosine,1,1,1,30,9\n"
    put(f"tests/baselines/{FILE}", STAGE + more)
    (table,) = compare_streamed(Path("streamed"), read_tolerances())
    assert table.failed and table.n_rows == 1
    drifted = table.comparison.drifted if table.comparison else ()
    assert [fact.result for fact in drifted] == ["missing"]  # `mean` may not be asked for
    assert "layer=1" in drifted[0].row


def test_a_row_of_the_sample_that_is_not_there_is_drift() -> None:
    slow = "a,cls,as_is,1,correlation_dimension,2,2,2,30,9\n"  # never taken of a sample
    put(f"tests/baselines/{HUBS}", OF_SAMPLE + slow)
    lines = OF_SAMPLE.splitlines(keepends=True)
    put(f"streamed/{HUBS}", "".join(lines[:2]))
    hubs = compare_streamed(Path("streamed"), read_tolerances())[1]
    drifted = hubs.comparison.drifted if hubs.comparison else ()
    assert hubs.failed and [fact.result for fact in drifted] == ["missing"]
    assert "layer=2" in drifted[0].row and hubs.n_left == 1


def test_nothing_is_missing_of_a_sample_that_was_not_asked_for() -> None:
    put(f"tests/baselines/{HUBS}", OF_SAMPLE)
    put(f"streamed/{HUBS}", OF_SAMPLE.splitlines(keepends=True)[0])
    hubs = compare_streamed(Path("streamed"), read_tolerances())[1]
    assert not hubs.failed and hubs.n_left == 2


def test_the_sample_asks_for_no_row_of_sums() -> None:
    """Its spaces are there whatever `--spaces` says."""
    more = "a,mean,as_is,0,mean_cosine,1,1,1,30,9\n"
    put(f"tests/baselines/{FILE}", STAGE + more)
    put(f"tests/baselines/{HUBS}", OF_SAMPLE.replace("cls", "mean"))
    put(f"streamed/{HUBS}", OF_SAMPLE.replace("cls", "mean"))
    assert not any(file.failed for file in compare_streamed(Path("streamed"), read_tolerances()))


def test_of_a_sample_only_what_is_about_as_many_vectors_is_compared() -> None:
    put(f"tests/baselines/{HUBS}", OF_SAMPLE)
    put(f"streamed/{HUBS}", OF_SAMPLE.replace("0.7,0.4,0.9,30,9", "0.9,0.4,0.9,20,20"))
    tables = compare_streamed(Path("streamed"), read_tolerances())
    assert [(table.n_rows, table.n_sampled, table.failed) for table in tables] == [
        (1, 0, False),
        (1, 1, False),
    ]
    assert "1 row compared, 1 of a smaller sample" in lines_of(tables)[1]


def test_more_vectors_than_those_of_the_baseline_are_no_sample() -> None:
    put(f"tests/baselines/{HUBS}", OF_SAMPLE)
    put(f"streamed/{HUBS}", OF_SAMPLE.replace(",30,", ",31,"))
    hubs = compare_streamed(Path("streamed"), read_tolerances())[1]
    assert hubs.failed and hubs.n_sampled == 0


def test_a_table_of_which_no_row_is_compared_does_not_agree() -> None:
    put(f"tests/baselines/{HUBS}", OF_SAMPLE)
    put(f"streamed/{HUBS}", OF_SAMPLE.replace(",30,", ",29,"))
    tables = compare_streamed(Path("streamed"), read_tolerances())
    assert f"{HUBS}: nothing to compare; 0 rows compared" in lines_of(tables)[1]


@pytest.mark.parametrize(
    ("old", "new", "line_end"),
    [
        ("1.5,", "1.6,", "value: baseline 1.5, found 1.6, allowed ±0.00015"),
        (",30,", ",31,", "n: baseline 30, found 31, allowed exact"),
        ("mean_cosine", "other", "measure=other: baseline not there, found extra"),
    ],
)
def test_another_value_number_or_row_is_drift(old: str, new: str, line_end: str) -> None:
    put(f"streamed/{FILE}", STREAMED.replace(old, new))
    tables = compare_streamed(Path("streamed"), read_tolerances())
    assert any(line.endswith(line_end) for line in lines_of(tables))
    assert call("verify", "--streamed", "streamed").exit_code == 1


def test_the_command_says_what_agrees() -> None:
    result = call("verify", "--streamed", "streamed")
    assert (result.exit_code, result.stderr) == (0, "")
    assert f"{FILE}: agrees" in result.stdout
    refused = call("verify", "--streamed", "streamed", "--update")
    assert refused.exit_code == 1 and refused.stderr.startswith("error: --streamed: goes with")


def test_nothing_to_compare_is_an_error() -> None:
    with pytest.raises(InputError, match="embspace corpus"):
        compare_streamed(Path("none"), read_tolerances())
    put(f"streamed/{FILE}", STREAMED.replace("a,cls", "c,cls"))
    with pytest.raises(InputError, match="no table has a baseline"):
        compare_streamed(Path("streamed"), read_tolerances())
