"""Holds the figure of checkpoints to its table."""

from itertools import product
from typing import Any

import pandas as pd

from embspace.draw.runs.checkpoints import draw_checkpoints
from tests.draw.fits import assert_words_fit

SETTINGS: dict[str, Any] = {"row_height_mm": 70.0, "digits": 3}
SPACES = ("input", "positional", "token_position")
STEPS = (0, 1, 10, 100)


def table(*phases: str) -> pd.DataFrame:
    rows = [
        {
            "seed": seed,
            "phase": phase,
            "step": step,
            "space": space,
            "quantity": quantity,
            "n": 30,
            "mean": 0.1 * (seed + 1) + 0.01 * step,
            "quantile_0.25": 0.0,
            "quantile_0.75": 1.0,
        }
        for seed in range(3)
        for phase in phases
        for step in STEPS
        for space, quantity in (*product(SPACES[:2], ("norm", "cosine")), (SPACES[2], "cosine"))
    ]
    return pd.DataFrame(rows)


def test_a_row_a_phase_a_panel_a_quantity_and_a_line_a_seed_and_space() -> None:
    figure, _ = draw_checkpoints(
        {"csv": table("pretraining", "classification")}, "a model of a long name", **SETTINGS
    )
    assert_words_fit(figure)
    assert len(figure.axes) == 4
    for ax, n_spaces in zip(figure.axes, (2, 3, 2, 3), strict=True):
        assert len(ax.lines) == 3 * n_spaces
        assert list(ax.lines[1].get_ydata()) == [0.2 + 0.01 * step for step in STEPS]
    labels = [text.get_text() for text in figure.axes[1].get_legend().get_texts()]
    assert labels == ["input embeddings", "positional embeddings", "token-position pairs"]


def test_the_text_has_the_last_checkpoint_of_each_phase() -> None:
    _, text = draw_checkpoints({"csv": table("first", "second")}, "a model", **SETTINGS)
    rows = [line for line in text.splitlines() if "| input" in line]
    assert len(rows) == 2 * 3 * 2
    assert all(" 100 " in row for row in rows)
