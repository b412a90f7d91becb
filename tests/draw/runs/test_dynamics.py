"""Holds the figure of the geometry over training to its table."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.draw.runs.dynamics import draw_dynamics
from embspace.measure.runs.dynamics import COLUMNS
from tests.draw.fits import assert_words_fit
from tests.draw.layer_tables import settings_of, squeezed

STEPS = (0, 1, 10, 100)
SHOWN = ["top_variance_share", "two_nn"]
SETTINGS: dict[str, Any] = {"shown": SHOWN, "row_height_mm": 55.0, "digits": 3}


def value(seed: int, step: int, layer: int) -> float:
    return layer + 0.1 * seed + 0.01 * step


def table(*phases: str) -> pd.DataFrame:
    rows = [
        {
            "seed": seed,
            "phase": phase,
            "step": step,
            "layer": layer,
            "change": change,
            "measure": measure,
            "value": value(seed, step, layer) + 10 * (change != "as_is"),
            "n": 99,
        }
        for seed, phase, step, layer, change, measure in product(
            range(2), phases, STEPS, range(3), ("as_is", "ordinary_tokens"), [*SHOWN, "stable_rank"]
        )
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def test_a_row_a_phase_and_measure() -> None:
    results = {"csv": table("pretraining", "classification")}
    figure, _ = draw_dynamics(results, "a model of a long name", **SETTINGS)
    assert_words_fit(figure)
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == ["pretraining"] * 4 + ["classification"] * 4
    names = [ax.get_ylabel() for ax in figure.axes]
    assert names == (["top variance share"] * 2 + ["TwoNN dimension"] * 2) * 2
    assert "mean of 2 seeds" in "".join(each.get_text() for each in figure.texts)


def test_lines_are_means_of_seeds_by_layer_and_of_blocks_by_step() -> None:
    figure, _ = draw_dynamics({"csv": table("pretraining")}, "a model", **SETTINGS)
    by_layer, by_step = figure.axes[:2]
    assert by_layer.get_xlabel() == "layer" and by_step.get_xlabel() == "step"
    for step, line in zip(STEPS, by_layer.lines, strict=True):
        expected = [np.mean([value(seed, step, layer) for seed in (0, 1)]) for layer in range(3)]
        assert list(line.get_ydata()) == pytest.approx(expected)
    assert [line.get_label() for line in by_step.lines] == ["seed 0", "seed 1"]
    for seed, line in enumerate(by_step.lines):
        assert list(line.get_xdata()) == list(STEPS)
        expected = [np.mean([value(seed, step, layer) for layer in (1, 2)]) for step in STEPS]
        assert list(line.get_ydata()) == pytest.approx(expected)
    steps = [each.get_text() for each in by_layer.get_legend().get_texts()]
    assert steps == ["0", "10", "100"]


def test_the_text_has_the_last_checkpoint_of_each_phase() -> None:
    _, text = draw_dynamics({"csv": table("a", "b")}, "a model", **SETTINGS)
    assert text.startswith("# Dynamics of a model\n\nStage `measure_dynamics`.")
    lines = [line for line in squeezed(text).splitlines() if "| TwoNN dimension |" in line]
    assert len(lines) == 2 * 2
    assert lines[1].endswith("| 1.100 | 2.100 | 3.100 |")
    assert "stable rank" not in text


def test_a_value_that_is_none_is_a_gap() -> None:
    given = table("pretraining")
    gap = (given["measure"] == "two_nn") & (given["layer"] == 0)
    figure, text = draw_dynamics(
        {"csv": given.assign(value=given["value"].mask(gap))}, "a model", **SETTINGS
    )
    assert_words_fit(figure)
    assert np.isnan(figure.axes[2].lines[0].get_ydata()).tolist() == [True, False, False]
    assert not np.isnan(figure.axes[3].lines[0].get_ydata()).any()
    assert "TwoNN dimension" in text


def test_a_measure_that_was_left_out_is_no_line() -> None:
    given = table("pretraining").query("measure != 'two_nn'")
    figure, _ = draw_dynamics({"csv": given}, "a model", **SETTINGS)
    assert len(figure.axes) == 4 and not figure.axes[2].lines
    assert figure.axes[2].texts[0].get_text() == "pretraining: TwoNN dimension was not measured"


def test_too_few_documents_say_so(tmp_path: Path) -> None:
    table().to_csv(tmp_path / "empty.csv", index=False)
    for each in (table(), pd.read_csv(tmp_path / "empty.csv")):
        figure, text = draw_dynamics({"csv": each}, "a model", **SETTINGS)
        assert "too few held-out documents" in figure.axes[0].texts[0].get_text()
        assert text.startswith("# Dynamics of a model\n")


def test_the_settings_of_the_project_are_drawn(root: Path) -> None:
    figure, _ = draw_dynamics({"csv": table("a")}, "a model", **settings_of(root, "dynamics"))
    assert_words_fit(figure)
