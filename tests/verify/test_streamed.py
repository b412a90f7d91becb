"""Tests of `embspace.verify.streamed`."""

from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.verify.rules import read_tolerances
from embspace.verify.streamed import compare_streamed, lines_of
from tests.app.cli.call import call
from tests.verify.tree import make_tree, put

FILE = "direction/profiles/small.csv"
STAGE = """corpus,space,change,layer,measure,value,low,high,n,n_texts
a,cls,as_is,0,mean_norm,1.5,1.4,1.6,30,9
a,cls,centered,0,mean_norm,1.2,1.1,1.3,30,9
b,cls,as_is,0,mean_norm,2.5,2.4,2.6,40,8
"""
STREAMED = """corpus,space,change,layer,measure,value,low,high,n,n_texts
a,cls,as_is,0,mean_norm,1.5,1.1,1.9,30,9
"""
TOLERANCES = """
kinds:
  row: {names_row: true, reason: a name}
  count: {exact: true, reason: how many}
  moment: {relative: 1.0e-4, reason: rounding}
columns: {corpus: row, space: row, change: row, layer: row, measure: row, n: count, n_texts: count}
files:
  direction/profiles: {columns: {value: moment, low: moment, high: moment}}
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
    assert "not intervals" in last


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("1.5,", "1.6,", "value: baseline 1.5, found 1.6, allowed ±0.00015"),
        (",30,", ",31,", "n: baseline 30, found 31, allowed exact"),
        ("mean_norm", "other", "measure=other: baseline not there, found extra"),
    ],
)
def test_another_value_number_or_row_is_drift(old: str, new: str, told: str) -> None:
    put(f"streamed/{FILE}", STREAMED.replace(old, new))
    tables = compare_streamed(Path("streamed"), read_tolerances())
    assert any(line.endswith(told) for line in lines_of(tables))
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
