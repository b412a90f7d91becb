"""Holds the figure of class flow to its tables."""

from typing import Any

import pytest

from embspace.draw.sequences.class_flow import draw_class_flow
from tests.draw.fits import assert_words_fit
from tests.draw.sequences.tables import class_flow as tables
from tests.draw.sequences.tables import empty, of_runs, title_of

SETTINGS: dict[str, Any] = {"row_height_mm": 44.0, "digits": 3}


def test_lines_and_maps_are_those_of_the_tables() -> None:
    figure, text = draw_class_flow(of_runs(tables(), "mine"), "all runs", **SETTINGS)
    assert_words_fit(figure)
    silhouettes = figure.axes[0]
    drawn = [list(line.get_ydata())[1:] for line in silhouettes.lines]
    assert [pytest.approx(values) for values in drawn] == [
        [0.2, 0.4, 0.6],  # random weights
        [0.2, 0.4, 0.6],  # before it learned classes
        [0.2, 0.4, 0.6],
        [0.25, 0.45, 0.65],
    ]
    titles = [title_of(ax) for ax in figure.axes if ax.has_data()]
    assert titles[2:] == ["PCA, layer 1", "PCA, layer 3", "t-SNE, layer 1", "t-SNE, layer 3"]
    said = " ".join(figure.get_suptitle().split())
    assert "parts the classes at the last layer in 2 of 2 seeds" in said
    assert "0.60 to 0.65" in said
    assert "| mine" in text


def test_of_several_runs_the_first_is_drawn_and_all_are_in_the_tables() -> None:
    figure, text = draw_class_flow(of_runs(tables(), "yours", "mine"), "all runs", **SETTINGS)
    assert len(figure.axes[0].lines) == 4
    assert "| yours" in text and "| mine" in text
    assert any("mine" in each.get_text() for each in figure.texts)


def test_no_run_is_said() -> None:
    figure, text = draw_class_flow(empty(tables()), "all runs", **SETTINGS)
    assert figure.get_suptitle().startswith("No run classifies sequences")
    assert "None." in text
