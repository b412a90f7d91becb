import pytest

from embspace.draw.__main__ import DRAWINGS, RESULTS, load_results
from embspace.errors import InputError
from embspace.files.scalars import save_scalars
from embspace.files.tables import save_table
from tests.measure.vectors import vocabulary_of


def test_every_drawing_says_which_results_it_takes():
    assert DRAWINGS.keys() == RESULTS.keys()


def test_results_are_found_by_noun_table_and_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_table(vocabulary_of(3), "results/noun/pairs/tiny.csv")
    save_scalars({"n": 3}, "results/noun/tiny.json")
    loaded = load_results("noun", "tiny", ("json", "pairs.csv"))
    assert loaded["json"] == {"n": 3}
    assert len(loaded["pairs"]) == 3


def test_a_missing_result_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="results/noun/pairs/tiny.csv: not found"):
        load_results("noun", "tiny", ("pairs.csv",))
