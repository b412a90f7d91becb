"""Holds the figure of the geometry over training to its table."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from embspace.draw.page.looks import seed_look
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


def panels(figure: Figure) -> list[Axes]:
    return [ax for ax in figure.axes if ax.get_label() != "<colorbar>"]


def title_of(figure: Figure) -> str:
    return " ".join(figure.get_suptitle().split())


def test_a_row_a_phase_and_measure() -> None:
    results = {"csv": table("pretraining", "classification")}
    figure, _ = draw_dynamics(results, "a model of a long name", **SETTINGS)
    assert_words_fit(figure)
    titles = [ax.get_title("left") or ax.get_title() for ax in panels(figure)]
    names = ("Top variance share", "TwoNN dimension")
    phases = ("pretraining", "classification")
    assert titles[::2] == [f"{name}, {phase}" for phase in phases for name in names]
    assert titles[1::2] == ["Mean of the blocks"] * 4
    said = " ".join(" ".join(each.get_text() for each in figure.texts).split())
    assert "2 seeds · 99 tokens" in said


def test_the_map_has_means_of_seeds_and_lines_are_means_of_blocks() -> None:
    figure, _ = draw_dynamics({"csv": table("pretraining")}, "a model", **SETTINGS)
    by_layer, by_step = panels(figure)[:2]
    assert (by_layer.get_xlabel(), by_layer.get_ylabel()) == ("Step", "Layer")
    expected = [
        [np.mean([value(seed, step, layer) for seed in (0, 1)]) for step in STEPS]
        for layer in range(3)
    ]
    assert np.asarray(by_layer.collections[0].get_array()) == pytest.approx(np.array(expected))
    for seed, line in enumerate(by_step.lines):
        assert (line.get_label(), line.get_color()) == (f"seed {seed}", seed_look(seed).color)
        assert list(line.get_xdata()) == list(STEPS)
        expected_line = [np.mean([value(seed, step, layer) for layer in (1, 2)]) for step in STEPS]
        assert list(line.get_ydata()) == pytest.approx(expected_line)
    assert by_step.get_xlim()[0] < 0  # so that the marks of step 0 are whole


def test_the_title_says_where_the_mean_of_the_blocks_goes() -> None:
    given = table("pretraining")
    twice = 2 * given["value"]
    falls = twice.where(given["measure"] != "two_nn", 9 - twice)
    figure, _ = draw_dynamics({"csv": given.assign(value=falls)}, "a model", **SETTINGS)
    assert title_of(figure) == (
        "In the blocks, over pretraining, top variance share rises from 3.1 to 5.1 "
        "and TwoNN dimension falls from 5.9 to 3.9"
    )


def test_what_does_not_move_has_no_panel_but_a_sentence() -> None:
    given = table("pretraining")
    still = given.assign(value=given["value"].where(given["measure"] != "two_nn", 5.85))
    figure, text = draw_dynamics({"csv": still}, "a model", **SETTINGS)
    assert len(panels(figure)) == 2
    assert "TwoNN dimension (pretraining)." in text
    figure, _ = draw_dynamics({"csv": given.assign(value=5.85)}, "a model", **SETTINGS)
    assert len(panels(figure)) == 2 and "stays near 5.8" in title_of(figure)
    low, high = panels(figure)[1].get_ylim()
    assert low == 0 and high > 5.85


def test_the_text_has_the_last_checkpoint_of_each_phase() -> None:
    _, text = draw_dynamics({"csv": table("a", "b")}, "a model", **SETTINGS)
    assert text.startswith("# Dynamics of a model\n\nStage `measure_dynamics`.")
    lines = [line for line in squeezed(text).splitlines() if "| TwoNN dimension |" in line]
    assert len(lines) == 2 * 2
    assert lines[1].endswith("| 1.100 | 2.100 | 3.100 |")
    assert "stable rank" not in text


def test_a_value_that_is_none_is_a_gap() -> None:
    given = table("pretraining")
    gap = (given["measure"] == "two_nn") & (given["layer"] == 2)
    figure, text = draw_dynamics(
        {"csv": given.assign(value=given["value"].mask(gap))}, "a model", **SETTINGS
    )
    assert_words_fit(figure)
    assert not np.isnan(panels(figure)[3].lines[0].get_ydata()).any()
    assert "TwoNN dimension" in text


def test_a_measure_that_was_left_out_is_named() -> None:
    given = table("pretraining").query("measure != 'two_nn'")
    figure, text = draw_dynamics({"csv": given}, "a model", **SETTINGS)
    assert len(panels(figure)) == 2
    assert "not measured: TwoNN dimension (pretraining)." in text


def test_too_few_documents_say_so(tmp_path: Path) -> None:
    table().to_csv(tmp_path / "empty.csv", index=False)
    for each in (table(), pd.read_csv(tmp_path / "empty.csv")):
        figure, text = draw_dynamics({"csv": each}, "a model", **SETTINGS)
        assert "too few held-out documents" in figure.axes[0].texts[0].get_text()
        assert text.startswith("# Dynamics of a model\n")


def test_the_settings_of_the_project_are_drawn(root: Path) -> None:
    figure, _ = draw_dynamics({"csv": table("a")}, "a model", **settings_of(root, "dynamics"))
    assert_words_fit(figure)
