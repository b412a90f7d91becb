"""Holds the figure of attribution to its tables."""

from typing import Any

import pytest
from matplotlib.figure import Figure

from embspace.draw.sequences.attribution import SEPARATION, draw_attribution
from embspace.files.tables import Tables
from tests.draw.fits import assert_words_fit
from tests.draw.sequences.tables import attribution, class_flow, empty, joined_runs, title_of

SETTINGS: dict[str, Any] = {"row_height_mm": 46.0, "digits": 3}


def tables() -> Tables:
    return attribution() | {SEPARATION: class_flow()["separation"]}


def draw(results: Tables) -> tuple[Figure, str]:
    return draw_attribution(results, "all runs", **SETTINGS)


def test_lines_marks_and_frames_are_those_of_the_tables() -> None:
    figure, text = draw(joined_runs(tables(), "mine"))
    assert_words_fit(figure)
    assert list(figure.axes[0].lines[-1].get_ydata())[1:] == pytest.approx([0.25, 0.45, 0.65])
    gene = next(ax for ax in figure.axes if "when a k-mer is hidden" in title_of(ax))
    frames = [(patch.get_x(), patch.get_y()) for patch in gene.patches]
    assert frames == [(4, 0), (1, 1)]  # codon 14 of alpha, codon 6 of beta
    assert "| mine" in text.partition("<details>")[0]


def test_the_title_holds_the_best_method_against_the_regression() -> None:
    given = joined_runs(tables(), "mine")
    rows = given["precision"]
    is_best = (rows["method"] == "gradient_x_input") & (rows["model_seed"] == 0)
    is_best &= rows["weights"] == "trained"
    changed = {name: rows[name].mask(is_best, 0.62) for name in ("precision", "precision_high")}
    given["precision"] = rows.assign(**changed)
    assert " ".join(draw(given)[0].get_suptitle().split()) == (
        "The last layer parts the classes (a); logistic regression finds 50 % of their sites, the "
        "model at most 62 %, by gradient × input (b)"
    )
    assert {text.get_text() for text in draw(given)[0].axes[1].texts} == {"50 %", "62 %"}
    given[SEPARATION] = given[SEPARATION].assign(is_parted=False)
    assert "The last layer does not surely part the classes (a); " in " ".join(
        draw(given)[0].get_suptitle().split()
    )


def test_without_class_flow_its_panel_says_so() -> None:
    given = joined_runs(tables(), "mine")
    figure, _ = draw(given | {SEPARATION: given[SEPARATION][:0]})
    assert figure.axes[0].texts[0].get_text() == "not measured"


def test_no_run_is_said() -> None:
    figure, text = draw(empty(tables()))
    assert figure.get_suptitle().startswith("No run classifies simulated sequences")
    assert "None." in text
