"""Holds the figure and the tables of the geometry over training to their rows."""

from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from embspace.draw.runs.dynamics import draw_dynamics
from embspace.measure.runs.dynamics import DYNAMICS
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.draw.layer_tables import squeezed

STEPS = (0, 1, 10, 100)
SHOWN = ["top_variance_share", "two_nn"]


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


def draw(rows: pd.DataFrame, learned: pd.DataFrame = DECODER) -> tuple[Any, str]:
    given = as_drawn(DYNAMICS, {"csv": rows}, **{"training/held_out": learned})
    return draw_dynamics(given, "all runs", **settings_of(draw_dynamics, shown=SHOWN))


def title(rows: pd.DataFrame, learned: pd.DataFrame = DECODER) -> str:
    return " ".join(draw(rows, learned)[0].get_suptitle().split())


def falling(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(value=9 - rows["value"])


def test_the_title_says_in_which_runs_the_blocks_end_higher_and_lower() -> None:
    falls = falling(table("first", run="an_encoder"))
    learned = held_out(a_decoder="causal_language_modeling", an_encoder="masked_language_modeling")
    assert title(pd.concat([table("first"), falls]), learned) == (
        "After training, top variance share and TwoNN dimension of blocks are higher in all a "
        "decoders, lower in all an encoders"
    )
    rows = table("first")
    one_falls = rows.assign(value=rows["value"].where(rows["seed"] == 0, 9 - rows["value"]))
    assert title(one_falls).endswith(
        "of blocks are neither higher nor lower in all models of a run"
    )


def test_lines_are_the_means_over_the_blocks_by_model() -> None:
    figure, _ = draw(table("first"))
    assert_words_fit(figure)
    [top, _] = figure.axes
    assert [line.get_label() for line in top.lines] == ["a decoder"] * 2
    for seed, line in enumerate(top.lines):
        assert list(line.get_xdata()) == [*STEPS]
        means = [(value(seed, step, 1) + value(seed, step, 2)) / 2 for step in STEPS]
        assert list(line.get_ydata()) == pytest.approx(means)


def test_only_the_first_phase_of_a_run_is_drawn() -> None:
    assert title(pd.concat([table("first"), falling(table("second"))])).endswith(
        "of blocks are higher in all a decoders"
    )


def test_what_does_not_move_is_named() -> None:
    still = table("first", run="still").assign(value=5.85)
    _, text = draw(pd.concat([table("first"), still]))
    assert "top variance share (still), TwoNN dimension (still)." in text
    _, text = draw(table("pretraining").query("measure != 'two_nn'"))
    assert "not measured: TwoNN dimension (a decoder)." in text


def test_the_first_table_has_the_blocks_at_both_ends_and_the_second_all_layers() -> None:
    _, text = draw(table("a", "b"))
    first, rest = squeezed(text).split("## The last checkpoint")
    rows = [line for line in first.splitlines() if "| TwoNN dimension |" in line]
    assert rows == [
        "| a decoder | TwoNN dimension | 1.550 | 2.550 |",
        "| a decoder, b | TwoNN dimension | 1.550 | 2.550 |",
    ]
    rows = [line for line in rest.splitlines() if "| TwoNN dimension |" in line]
    assert len(rows) == 2 * 2
    assert rows[1].endswith("| 1.100 | 2.100 | 3.100 |")
    assert "stable rank" not in text


def test_too_few_documents_say_so(tmp_path: Path) -> None:
    table().to_csv(tmp_path / "empty.csv", index=False)
    for rows in (table(), pd.read_csv(tmp_path / "empty.csv"), pd.DataFrame()):
        figure, text = draw(rows, pd.DataFrame())
        assert figure.get_suptitle().startswith("No model that learns a language")
        assert text.rstrip().endswith("None.")
