"""Holds the page of matched layers to its tables."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.parameters.parameter_alignment import SETTINGS as MEASURED
from embspace.draw.parameters.parameter_alignment import draw_parameter_alignment
from tests.draw.fits import assert_words_fit

GROUPS = ("feed_forward_value", "attention_query")
SETTINGS: dict[str, Any] = {"height_mm": 88.0, "digits": 3}
N_LAYERS = 3


def assignments(is_aligned: bool) -> pd.DataFrame:
    rows = [
        ("pretraining", step, 0, 1, group, space, float(step == 9), step == 9 and is_aligned)
        for step, group, space in product((0, 9), GROUPS, ("vocabulary", "raw"))
    ]
    columns = ["phase", "step", "seed", "other_seed", "group", "space", "on_diagonal", "is_aligned"]
    return pd.DataFrame(rows, columns=columns).assign(
        n_layers=N_LAYERS, null_on_diagonal=0.3, null_on_diagonal_low=0.0,
        null_on_diagonal_high=0.6, p_value=0.01, total=1.5, diagonal_total=1.5, margin=0.1,
    )  # fmt: skip


def planted() -> pd.DataFrame:
    rows = [
        (group, space, noise, 1.0 if space == "vocabulary" and not noise else 0.3)
        for group, space, noise in product(GROUPS, ("vocabulary", "raw"), (0.0, 8.0))
    ]
    table = pd.DataFrame(rows, columns=["group", "space", "noise", "found"])
    given = {"found_low": 0.2, "found_high": 1.0, "chance": 1 / 3, "smallest_margin": 0.01}
    return table.assign(n_copies=5, **given)


def draw(*runs: str, is_aligned: bool = True, phase: str = "pretraining") -> tuple[Figure, str]:
    tables = {"assignments": assignments(is_aligned).assign(phase=phase), "planted": planted()}
    results: dict[str, Any] = {
        name: pd.concat([table.assign(run=run) for run in runs]) for name, table in tables.items()
    }
    results |= {MEASURED: {"level": 0.9}}
    return draw_parameter_alignment(results, "all runs", **SETTINGS)


def title(figure: Figure) -> str:
    return " ".join(figure.get_suptitle().split())


def test_the_title_says_what_was_found_and_which_runs_are_aligned() -> None:
    figure, _ = draw("mine")
    assert_words_fit(figure)
    assert title(figure) == (
        "Copies' layers are found through the vocabulary unless noise is strong, in raw space by "
        "chance alone; seeds without a common base are aligned in mine"
    )
    assert "in 95 % of random" in " ".join(" ".join(t.get_text() for t in figure.texts).split())
    assert title(draw("mine", is_aligned=False)[0]).endswith(
        "without a common base match in at most 0 % of kinds of weights (untrained 0 %)"
    )


def test_seeds_of_one_base_are_no_finding() -> None:
    figure, _ = draw("mine", phase="classification")
    assert title(figure).endswith("in raw space by chance alone")
    ax = figure.axes[1]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["mine\n(1 pair, one base)"]
    assert {line.get_markerfacecolor() for line in ax.lines[::2]} == {"white"}


def test_curves_are_means_of_groups_and_runs() -> None:
    figure, _ = draw("mine", "yours")
    lines = {line.get_label(): np.asarray(line.get_ydata()) for line in figure.axes[0].lines}
    assert lines["through the vocabulary"] == pytest.approx([1.0, 0.3])
    assert lines["in raw space"] == pytest.approx([0.3, 0.3])


def test_every_run_has_a_row_of_points_and_its_tables() -> None:
    figure, text = draw("mine", "yours")
    ax = figure.axes[1]
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["mine\n(1 pair)", "yours\n(1 pair)"]
    assert [list(line.get_xdata()) for line in ax.lines[::2]] == [[1.0]] * 4
    assert [list(line.get_xdata()) for line in ax.lines[1::2]] == [[0.0]] * 4  # untrained
    point = draw("mine", is_aligned=False)[0].axes[1].lines[0]
    assert list(point.get_xdata()) == [0.0]
    first, _, rest = text.partition("<details>")
    assert "| mine" in first and "| yours" in first
    assert "| MLP values" in rest


def test_nothing_trained_is_said_in_words() -> None:
    empty = {name: pd.DataFrame() for name in ("assignments", "planted")}
    figure, text = draw_parameter_alignment(
        {**empty, MEASURED: {"level": 0.9}}, "all runs", **SETTINGS
    )
    assert_words_fit(figure)
    assert "None." in text
    assert title(figure) == "No run was trained"
