"""Holds the sentence and the tables of checkpoints to their rows."""

from itertools import product

import pandas as pd

from embspace.draw.runs.checkpoints import draw_checkpoints

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


def draw(rows: pd.DataFrame) -> tuple[str, str]:
    return draw_checkpoints({"csv": rows}, "all runs", digits=3)


def test_the_finding_counts_the_models_in_which_means_rise() -> None:
    falls = table("first", run="other").assign(mean=lambda rows: 9 - rows["mean"])
    assert draw(pd.concat([table("first"), falls]))[0] == (
        "Training raises the mean Euclidean norm of token embeddings in 3 of 6 models "
        "and the mean cosine of token embeddings in 3 of 6 models"
    )


def test_what_does_not_move_is_named() -> None:
    frozen = table("first", run="frozen").assign(mean=0.5)
    assert "at all steps: frozen." in draw(pd.concat([table("first"), frozen]))[1]
    assert draw(frozen)[0] == "Training moves no learned matrix"
    assert "None." in draw(pd.DataFrame())[1]


def test_the_text_has_the_last_checkpoint_of_each_phase() -> None:
    first, _, rest = draw(table("first", "second"))[1].partition("<details>")
    rows = [line for line in first.splitlines() if line.startswith("| mine")]
    assert len(rows) == 2 * 3
    assert all(" 100 " in row for row in rows)
    assert len([line for line in rest.splitlines() if "| token embeddings" in line]) == 2 * 3 * 2
