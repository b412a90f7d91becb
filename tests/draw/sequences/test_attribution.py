"""Holds the figure of attribution to its tables."""

from typing import Any

import pytest

from embspace.draw.sequences.attribution import draw_attribution
from tests.draw.fits import assert_words_fit
from tests.draw.sequences.tables import attribution as tables
from tests.draw.sequences.tables import empty, of_runs, title_of

SETTINGS: dict[str, Any] = {"row_height_mm": 44.0, "digits": 3}


def test_curves_marks_and_frames_are_those_of_the_tables() -> None:
    figure, text = draw_attribution(of_runs(tables(), "mine"), "all runs", **SETTINGS)
    assert_words_fit(figure)
    deletion = figure.axes[0]
    assert len(deletion.lines) == 7  # a method each, of the first seed
    assert list(deletion.lines[0].get_ydata()) == pytest.approx([1, 11 / 12, 8 / 12, 0])
    said = " ".join(figure.get_suptitle().split())
    assert "find sites of the class in all seeds" in said
    assert "occlusion 0.50 to 0.50 of the places, logistic regression 0.50, chance 0.10" in said
    gene = next(ax for ax in figure.axes if "when a k-mer is hidden" in title_of(ax))
    frames = [(patch.get_x(), patch.get_y()) for patch in gene.patches]
    assert frames == [(4, 0), (1, 1)]  # codon 14 of alpha, codon 6 of beta
    assert "| mine" in text


def test_a_method_that_does_not_find_sites_by_the_verdict_is_not_named() -> None:
    given = of_runs(tables(), "mine")
    is_rollout = given["precision"]["method"] == "attention_rollout"
    given["precision"].loc[is_rollout, "finds_sites"] = False
    figure, _ = draw_attribution(given, "all runs", **SETTINGS)
    said = " ".join(figure.get_suptitle().split())
    assert said.startswith("Occlusion, gradient × input, attention of the last layer find")


def test_no_run_is_said() -> None:
    figure, text = draw_attribution(empty(tables()), "all runs", **SETTINGS)
    assert figure.get_suptitle().startswith("No run classifies simulated sequences")
    assert "None." in text
