"""Holds the figure of checkpoints to its table."""

from itertools import product
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from embspace.draw.page.looks import SPACES as LOOKS
from embspace.draw.runs.checkpoints import draw_checkpoints
from tests.draw.fits import assert_words_fit

SETTINGS: dict[str, Any] = {"row_height_mm": 70.0, "digits": 3}
SPACES = ("input", "positional", "token_position")
STEPS = (0, 1, 10, 100)


def table(*phases: str, run: str = "mine") -> pd.DataFrame:
    rows = [
        {
            "seed": seed,
            "phase": phase,
            "step": step,
            "space": space,
            "quantity": quantity,
            "n": 30,
            "standard_deviation": 0.1,
            "mean": 0.1 * (seed + 1) + 0.01 * step,
            "quantile_0.25": 0.0,
            "quantile_0.75": 1.0,
        }
        for seed in range(3)
        for phase in phases
        for step in STEPS
        for space, quantity in (*product(SPACES[:2], ("norm", "cosine")), (SPACES[2], "cosine"))
    ]
    return pd.DataFrame(rows).assign(run=run)


def title_of(figure: Figure) -> str:
    return " ".join(figure.get_suptitle().split())


def test_a_row_for_each_run_and_phase_and_a_line_for_each_seed_and_space() -> None:
    both = pd.concat([table("first", "second"), table("first", run="an_encoder")])
    figure, _ = draw_checkpoints({"csv": both}, "all runs", **SETTINGS)
    assert_words_fit(figure)
    assert len(figure.axes) == 3 * 2
    titles = [ax.get_title("left") or ax.get_title() for ax in figure.axes]
    assert titles == ["Mine", "", "Mine, second", "", "An encoder", ""]
    for number, ax in enumerate(figure.axes):
        spaces = SPACES if number % 2 else SPACES[:2]  # a pair has no norm
        colors = [LOOKS[space].color for space in spaces for _ in range(3)]
        assert [line.get_color() for line in ax.lines] == colors
        assert list(ax.lines[1].get_ydata()) == [0.2 + 0.01 * step for step in STEPS]
        assert ax.get_xlim()[0] < 0  # so that the marks of step 0 are whole
    said = " ".join(" ".join(text.get_text() for text in figure.texts).split())
    assert "2 runs, 6 models" in said


def test_the_title_counts_the_models_in_which_means_rise() -> None:
    falls = table("first", run="other").assign(mean=lambda rows: 9 - rows["mean"])
    both = pd.concat([table("first"), falls])
    figure, _ = draw_checkpoints({"csv": both}, "all runs", **SETTINGS)
    assert title_of(figure) == (
        "Training raises the mean Euclidean norm of token embeddings in 3 of 6 models "
        "and the mean cosine of token embeddings in 3 of 6 models"
    )


def test_what_does_not_move_has_no_panel_but_a_sentence() -> None:
    frozen = table("first", run="frozen").assign(mean=0.5)
    figure, text = draw_checkpoints({"csv": pd.concat([table("first"), frozen])}, "a", **SETTINGS)
    assert len(figure.axes) == 2
    assert "at all steps: frozen." in text
    figure, _ = draw_checkpoints({"csv": frozen}, "all runs", **SETTINGS)
    assert title_of(figure) == "Training moves no learned matrix"
    figure, text = draw_checkpoints({"csv": pd.DataFrame()}, "all runs", **SETTINGS)
    assert "no learned matrix moves" in figure.axes[0].texts[0].get_text()
    assert "None." in text


def test_the_text_has_the_last_checkpoint_of_each_phase() -> None:
    _, text = draw_checkpoints({"csv": table("first", "second")}, "all runs", **SETTINGS)
    first = text.partition("<details>")[0]
    rows = [line for line in first.splitlines() if "| token embeddings" in line]
    assert len(rows) == 2 * 3 * 2
    assert all(" 100 " in row for row in rows)
