"""The numbers that decide a claim, as they are read from results."""

from pathlib import Path
from typing import Any

import pytest

from embspace.published.evidence import read_cell, rows_of, varied
from embspace.published.sources import CellPlace
from embspace.published.subjects import Subject
from tests.verify.tree import put

SMALL = Subject("small", "maker/small")
FILE = "results/steps/{model}.csv"
LAYERS = "token,layer,mean\ncat,0,5\ncat,1,2\ncat,2,3\ncat,3,9\ndog,2,4\ndog,3,\n"


@pytest.fixture
def results(tree: Path) -> Path:
    put("results/steps/small.csv", LAYERS)
    return Path("results")


def cell(**keys: Any) -> CellPlace:
    return CellPlace.model_validate({"file": FILE, "value": "mean", **keys})


@pytest.mark.parametrize(
    ("layer", "mean"), [("last", 9.0), ("last-1", 3.0), (0, 5.0), ("1..1", 2.0)]
)
def test_layers_have_numbers_or_are_counted_from_the_last(
    results: Path, layer: str | int, mean: float
):
    evidence = read_cell(cell(where={"token": "cat", "layer": layer}), SMALL, results)
    assert evidence.value == mean


@pytest.mark.parametrize("last", ["last", "1..last"])
def test_the_last_layer_is_that_of_the_rows_that_fit(results: Path, last: str):
    put("results/steps/small.csv", "token,layer,mean\ncat,0.0,1\ncat,1.0,2\ndog,2.0,3\ncow,,4\n")
    assert read_cell(cell(where={"token": "cat", "layer": last}), SMALL, results).value == 2.0
    with pytest.raises(LookupError, match="have no row with"):
        read_cell(cell(where={"token": "cow", "layer": last}), SMALL, results)


@pytest.mark.parametrize(("take", "mean"), [("largest", 3.0), ("smallest", 2.0)])
def test_the_largest_or_smallest_of_several_layers(results: Path, take: str, mean: float):
    where = {"token": "cat", "layer": "1..last-1"}
    evidence = read_cell(cell(where=where, take=take, exact=True), SMALL, results)
    assert (evidence.value, evidence.basis) == (mean, "exact")


def test_a_layer_without_a_number_is_passed_over(results: Path):
    evidence = read_cell(cell(where={"token": "dog"}, take="largest", exact=True), SMALL, results)
    assert evidence.value == 4.0


def test_the_rank_of_a_row_is_the_share_of_the_others_below_it(results: Path):
    put("results/steps/small.csv", "token,layer,mean\na,1,1\nb,1,2\nc,1,3\nd,1,3\nc,0,0\n")
    where = {"layer": 1}
    shares = {
        token: read_cell(cell(where=where, share_below={"token": token}), SMALL, results).value
        for token in "abcd"
    }
    assert shares == pytest.approx({"a": 0, "b": 1 / 3, "c": 2 / 3, "d": 2 / 3})
    with pytest.raises(LookupError, match="has 0 rows with"):
        read_cell(cell(where=where, share_below={"token": "e"}), SMALL, results)
    with pytest.raises(LookupError, match="nothing beside"):
        read_cell(cell(where={"layer": 0}, share_below={"token": "c"}), SMALL, results)


def test_the_values_of_a_column_are_those_of_the_chosen_rows(results: Path):
    chosen = cell(where={"token": "dog", "layer": 2})
    assert list(varied(chosen, "layer", SMALL, results)) == ["2", "3"]
    assert list(varied(chosen, "token", SMALL, results)) == ["cat", "dog"]


def test_a_reader_is_told_which_value_no_row_has(results: Path):
    file = Path("results/steps/small.csv")
    with pytest.raises(LookupError, match="^the results on steps have no row with token Bear$"):
        rows_of(file, cell(where={"token": "Bear", "layer": 2}))
    with pytest.raises(LookupError, match="have no row with all of these$"):
        rows_of(file, cell(where={"token": "dog", "layer": 1}))
    put("results/steps/small.csv", "token,layer,mean\n")
    with pytest.raises(LookupError, match="^nothing was measured on steps here$"):
        rows_of(file, cell(where={"token": "Bear"}))


def test_a_number_that_a_json_lacks_is_named(results: Path):
    put("results/steps/small.json", '{"segment": {"norm_0": 1}}')
    place = cell(file="results/steps/{model}.json", value="segment.norm_1")
    with pytest.raises(LookupError, match="^the results on steps have no segment norm_1$"):
        read_cell(place, SMALL, results)


def test_a_rank_and_an_extreme_at_once_are_refused():
    with pytest.raises(ValueError, match="exclude each other"):
        cell(share_below={"token": "a"}, take="largest")
