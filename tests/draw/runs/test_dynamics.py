"""Holds the figure of the geometry over training to its table."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from embspace.draw.page.looks import MODELS
from embspace.draw.runs.dynamics import CLASSIFIER, draw_dynamics
from embspace.measure.runs.dynamics import DYNAMICS
from tests.draw.fits import assert_words_fit
from tests.draw.layer_tables import settings_of, squeezed

STEPS = (0, 1, 10, 100)
SHOWN = ["top_variance_share", "two_nn"]
SETTINGS: dict[str, Any] = {"shown": SHOWN, "row_height_mm": 55.0, "digits": 3}


def value(seed: int, step: int, layer: int) -> float:
    return layer + 0.1 * seed + 0.01 * step


def table(*phases: str, run: str = "a_decoder") -> pd.DataFrame:
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
    return DYNAMICS.tables["csv"].of(rows).assign(run=run)


def held_out(**objectives: str) -> pd.DataFrame:
    """The column that says of each run what it learns."""
    return pd.DataFrame({"run": [*objectives], "objective": [*objectives.values()]})


DECODER = held_out(a_decoder="causal_language_modeling")


def draw(rows: pd.DataFrame, learned: pd.DataFrame = DECODER, **given: Any) -> Any:
    results = {"csv": rows, "training/held_out": learned}
    return draw_dynamics(results, "all runs", **SETTINGS | given)


def panels(figure: Figure) -> list[Axes]:
    return [ax for ax in figure.axes if ax.get_label() != "<colorbar>"]


def title_of(figure: Figure) -> str:
    return " ".join(figure.get_suptitle().split())


def test_a_row_for_each_run_and_phase_and_two_columns_for_each_measure() -> None:
    both = pd.concat([table("first", "second"), table("first", run="an_encoder")])
    figure, _ = draw(both)
    assert_words_fit(figure)
    rows = panels(figure)
    assert len(rows) == 3 * 4
    titles = [ax.get_title("left") or ax.get_title() for ax in rows]
    names = ["Top variance share", "Mean of blocks", "TwoNN dimension", "Mean of blocks"]
    assert titles == [*names, *[""] * 8]
    labels = [" ".join(ax.get_ylabel().split()) for ax in rows[::4]]
    assert labels == ["a decoder", "a decoder second", "an encoder"]
    said = " ".join(" ".join(each.get_text() for each in figure.texts).split())
    assert "2 runs, 4 models · up to 99 tokens" in said


def test_the_map_has_means_of_seeds_and_lines_are_means_of_blocks() -> None:
    figure, _ = draw(table("pretraining"))
    by_layer, by_step = panels(figure)[:2]
    assert (by_layer.get_xlabel(), by_layer.get_ylabel()) == ("step", "a\ndecoder")
    expected = [
        [np.mean([value(seed, step, layer) for seed in (0, 1)]) for step in STEPS]
        for layer in range(3)
    ]
    assert np.asarray(by_layer.collections[0].get_array()) == pytest.approx(np.array(expected))
    for seed, line in enumerate(by_step.lines):
        assert list(line.get_xdata()) == list(STEPS)
        expected_line = [np.mean([value(seed, step, layer) for layer in (1, 2)]) for step in STEPS]
        assert list(line.get_ydata()) == pytest.approx(expected_line)
    assert by_step.get_xlim()[0] < 0  # so that the marks of step 0 are whole


def test_encoders_decoders_and_classifiers_are_told_apart_by_color_and_line() -> None:
    runs = [table("first", run=run) for run in ("a_decoder", "an_encoder", "a_classifier")]
    kinds = held_out(a_decoder="causal_language_modeling", an_encoder="masked_language_modeling")
    figure, _ = draw(pd.concat(runs), kinds)
    lines = [panels(figure)[number].lines[0] for number in (1, 5, 9)]
    looks = (MODELS["decoder"], MODELS["encoder"], CLASSIFIER)
    assert [line.get_color() for line in lines] == [look.color for look in looks]
    assert len({(line.get_linestyle(), line.get_marker(), line.get_color()) for line in lines}) == 3
    named = [each.get_text() for each in figure.legends[0].get_texts()]
    assert named == ["decoder", "encoder", "classifier"]


def test_all_runs_have_one_scale() -> None:
    far = table("first", run="an_encoder").assign(value=lambda rows: 7 * rows["value"])
    figure, _ = draw(pd.concat([table("first"), far]))
    rows = panels(figure)
    maps = [rows[number].collections[0] for number in (0, 4)]
    assert maps[0].get_clim() == maps[1].get_clim()
    assert rows[1].get_ylim() == rows[5].get_ylim()


def test_the_title_counts_the_models_in_which_the_blocks_rise() -> None:
    falls = table("first", run="an_encoder").assign(value=lambda rows: 9 - rows["value"])
    learned = held_out(a_decoder="causal_language_modeling", an_encoder="masked_language_modeling")
    figure, _ = draw(pd.concat([table("first"), falls]), learned)
    assert title_of(figure) == (
        "Top variance share and TwoNN dimension rise in 2 of 2 a decoders and 0 of 2 an encoders"
    )


def test_only_the_first_phase_of_a_run_is_in_the_title() -> None:
    second = table("second").assign(value=lambda rows: 9 - rows["value"])
    figure, _ = draw(pd.concat([table("first"), second]))
    assert title_of(figure).endswith("rise in 2 of 2 a decoders")


def test_what_does_not_move_has_no_row_but_a_sentence() -> None:
    still = table("first", run="still").assign(value=5.85)
    figure, text = draw(pd.concat([table("first"), still]))
    assert len(panels(figure)) == 4
    assert "top variance share (still), TwoNN dimension (still)." in text
    figure, _ = draw(still)
    assert len(panels(figure)) == 4
    low, high = panels(figure)[1].get_ylim()
    assert low == 0 and high > 5.85


def test_the_text_has_the_last_checkpoint_of_each_phase() -> None:
    _, text = draw(table("a", "b"))
    assert text.startswith("# Dynamics\n\nStage `measure_dynamics`.")
    lines = [line for line in squeezed(text).splitlines() if "| TwoNN dimension |" in line]
    assert len(lines) == 2 * 2
    assert lines[1].endswith("| 1.100 | 2.100 | 3.100 |")
    assert "stable rank" not in text


def test_a_value_that_is_none_is_a_gap() -> None:
    given = table("pretraining")
    gap = (given["measure"] == "two_nn") & (given["layer"] == 2)
    figure, text = draw(given.assign(value=given["value"].mask(gap)))
    assert_words_fit(figure)
    assert not np.isnan(panels(figure)[3].lines[0].get_ydata()).any()
    assert "TwoNN dimension" in text


def test_a_measure_that_was_left_out_is_named() -> None:
    figure, text = draw(table("pretraining").query("measure != 'two_nn'"))
    assert len(panels(figure)) == 2
    assert "not measured: TwoNN dimension (a decoder)." in text


def test_too_few_documents_say_so(tmp_path: Path) -> None:
    table().to_csv(tmp_path / "empty.csv", index=False)
    for each in (table(), pd.read_csv(tmp_path / "empty.csv"), pd.DataFrame()):
        figure, text = draw(each, pd.DataFrame())
        assert "too few documents" in figure.axes[0].texts[0].get_text()
        assert text.endswith("None.\n")


def test_the_settings_of_the_project_are_drawn(root: Path) -> None:
    figure, _ = draw(table("a"), **settings_of(root, "dynamics"))
    assert_words_fit(figure)
