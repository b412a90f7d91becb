"""Holds the sentence, the tables and the panel of class flow to its rows."""

import pytest
from matplotlib.figure import Figure

from embspace.draw.sequences.class_flow import draw_class_flow, draw_silhouettes
from tests.draw.sequences.tables import class_flow as tables
from tests.draw.sequences.tables import empty, joined_runs


def test_lines_are_those_of_the_table() -> None:
    ax = Figure().subplots()
    draw_silhouettes(ax, tables()["separation"])
    drawn = [list(line.get_ydata())[1:] for line in ax.lines]
    assert [pytest.approx(values) for values in drawn] == [
        [0.2, 0.4, 0.6],  # random weights
        [0.2, 0.4, 0.6],  # before it learned classes
        [0.2, 0.4, 0.6],
        [0.25, 0.45, 0.65],
    ]


def test_the_finding_is_of_the_first_run_and_the_tables_of_all() -> None:
    finding, text = draw_class_flow(joined_runs(tables(), "yours", "mine"), "all runs", digits=3)
    assert "parts the classes at the last layer in 2 of 2 seeds" in finding
    assert "0.60 to 0.65" in finding
    assert "| yours" in text and "| mine" in text


def test_no_run_is_said() -> None:
    finding, text = draw_class_flow(empty(tables()), "all runs", digits=3)
    assert finding == "No run classifies sequences"
    assert "None." in text
