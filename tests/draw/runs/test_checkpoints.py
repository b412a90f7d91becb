"""Holds the figure of checkpoints to its table."""

from itertools import product
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from embspace.draw.page.looks import seed_look
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
    return pd.DataFrame(rows)


def title_of(figure: Figure) -> str:
    return " ".join(figure.get_suptitle().split())


def test_a_row_a_phase_and_quantity_a_column_a_space_and_a_line_a_seed() -> None:
    figure, _ = draw_checkpoints(
        {"csv": table("pretraining", "classification")}, "a model of a long name", **SETTINGS
    )
    assert_words_fit(figure)
    assert len(figure.axes) == 4 * 3
    assert [ax.axison for ax in figure.axes[:6]] == [True, True, False, True, True, True]
    for ax in (ax for ax in figure.axes if ax.axison):
        assert [line.get_color() for line in ax.lines] == [seed_look(n).color for n in range(3)]
        assert list(ax.lines[1].get_ydata()) == [0.2 + 0.01 * step for step in STEPS]
        band = ax.collections[0].get_paths()[0].vertices[:, 1]
        assert (band.min(), band.max()) == (0, 1)
        assert ax.get_xlim()[0] < 0  # so that the marks of step 0 are whole
    said = " ".join(" ".join(text.get_text() for text in figure.texts).split())
    assert "3 seeds · 30 token embeddings, 30 position embeddings" in said


def test_the_title_says_from_where_to_where_the_means_go() -> None:
    figure, _ = draw_checkpoints({"csv": table("pretraining")}, "a model", **SETTINGS)
    assert title_of(figure) == (
        "Over pretraining the mean norm of token embeddings goes from 0.20 to 1.20 "
        "and the mean cosine of token embeddings goes from 0.20 to 1.20"
    )


def test_what_does_not_move_has_no_panel_but_a_sentence() -> None:
    found = table("pretraining", "classification")
    is_still = (found["phase"] == "classification") | (found["quantity"] == "cosine")
    found["mean"] = found["mean"].where(~is_still, 0.5)
    figure, text = draw_checkpoints({"csv": found}, "a model", **SETTINGS)
    assert len(figure.axes) == 3
    assert "cosine (pretraining), norm (classification), cosine (classification)." in text
    frozen = found.assign(mean=0.5)
    figure, _ = draw_checkpoints({"csv": frozen}, "a model", **SETTINGS)
    assert len(figure.axes) == 1
    assert "stays at 0.50" in title_of(figure)


def test_the_text_has_the_last_checkpoint_of_each_phase() -> None:
    _, text = draw_checkpoints({"csv": table("first", "second")}, "a model", **SETTINGS)
    first = text.partition("<details>")[0]
    rows = [line for line in first.splitlines() if "| token embeddings" in line]
    assert len(rows) == 2 * 3 * 2
    assert all(" 100 " in row for row in rows)
