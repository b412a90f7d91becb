"""Holds the figure of stitching to its tables."""

from typing import Any

import pandas as pd
import pytest

from embspace.draw.sequences.stitching import draw_stitching
from tests.draw.fits import assert_words_fit
from tests.draw.sequences.tables import empty, of_runs, title_of
from tests.draw.sequences.tables import stitching as tables

SETTINGS: dict[str, Any] = {"row_height_mm": 44.0, "digits": 3}


def test_a_panel_for_each_ordered_pair() -> None:
    figure, text = draw_stitching(of_runs(tables(), "mine"), "all runs", **SETTINGS)
    assert_words_fit(figure)
    assert [title_of(ax) for ax in figure.axes] == [
        "Seed 0 above itself (control)",
        "Seed 0 above seed 1",
        "Seed 1 above seed 0",
        "Seed 1 above itself (control)",
    ]
    lines = {str(line.get_label()): list(line.get_ydata()) for line in figure.axes[1].lines}
    assert lines["through the vocabulary"] == pytest.approx([0.3, 0.4, 0.5, 0.6])
    assert lines["trained linear stitch"] == pytest.approx([0.5, 0.6, 0.7, 0.8])
    assert lines["classifier itself"] == [0.9, 0.9] and lines["chance"] == [0.25, 0.25]
    of_control = [line.get_label() for line in figure.axes[0].lines]
    assert "trained linear stitch" not in of_control
    said = " ".join(figure.get_suptitle().split())
    assert "1 of 2 pairs of seeds stitch better than at random (0.60 to 0.70; states" in said
    assert "| mine" in text and "better than random" in text


def test_another_model_below_has_a_row_with_one_control() -> None:
    names = {0: "base", 1: "other"}
    models = {
        name: table.assign(lower_model=table["lower_seed"].map(names), lower_seed=None)
        if "lower_seed" in table
        else table
        for name, table in tables().items()
    }
    models["pairs"] = models["pairs"].assign(is_control=models["pairs"]["lower_model"] == "base")
    both = {
        name: pd.concat([table.assign(run="mine"), models[name].assign(run="tuned")])
        for name, table in tables().items()
    }
    figure, text = draw_stitching(both, "all runs", **SETTINGS)
    assert_words_fit(figure)
    titles = [title_of(ax) for ax in figure.axes if ax.axison]
    assert titles[4:] == [
        "Seed 0 above base (control)",
        "Seed 0 above other",
        "Seed 1 above other",
    ]
    assert "of a run and another model" in " ".join(figure.get_suptitle().split())
    assert "| tuned" in text and "other" in text


def test_of_several_runs_the_first_is_drawn_and_all_are_in_the_tables() -> None:
    figure, text = draw_stitching(of_runs(tables(), "yours", "mine"), "all runs", **SETTINGS)
    assert len(figure.axes) == 4
    assert "| yours" in text and "| mine" in text


def test_one_seed_alone_is_said() -> None:
    alone = {
        name: table[(table["upper_seed"] == 0) & (table["lower_seed"] == 0)]
        if "upper_seed" in table
        else table[:0]
        for name, table in tables().items()
    }
    figure, _ = draw_stitching(of_runs(alone, "mine"), "all runs", **SETTINGS)
    assert figure.get_suptitle().startswith("One seed alone")


def test_no_run_is_said() -> None:
    figure, text = draw_stitching(empty(tables()), "all runs", **SETTINGS)
    assert figure.get_suptitle().startswith("No run classifies sequences after another phase")
    assert "None." in text
