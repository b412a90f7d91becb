"""Holds tables of runs to the names that a reader calls them."""

import pandas as pd

from embspace.draw.page.run_tables import with_runs


def test_runs_have_the_names_that_a_reader_calls_them() -> None:
    table = with_runs(pd.DataFrame({"run": ["rna_encoder"], "step": [3]}), "all runs")
    assert table.to_dict("list") == {"run": ["RNA encoder"], "step": [3]}


def test_a_table_of_one_run_has_its_label() -> None:
    table = with_runs(pd.DataFrame({"step": [3, 4]}), "mine")
    assert table["run"].tolist() == ["mine", "mine"]


def test_an_empty_table_has_the_column() -> None:
    assert list(with_runs(pd.DataFrame(columns=["step"]), "mine")) == ["run", "step"]
