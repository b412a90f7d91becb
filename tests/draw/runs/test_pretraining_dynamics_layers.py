"""Draws layers over steps that are known."""

import pandas as pd

from embspace.draw.page.canvas import panels_of
from embspace.draw.runs.pretraining_dynamics_layers import draw_over_training

WORDS = {"title": "A title of words", "subtitle": "1 model", "stage": "measure_dynamics"}
ROWS = pd.DataFrame(
    [
        {"measure": measure, "layer": layer, "step": step, "value": layer + step}
        for measure in ("two_nn", "hubness")
        for layer in (0, 1, 2)
        for step in (0, 10)
    ]
)


def test_a_panel_a_measure_and_a_line_a_layer() -> None:
    figure = draw_over_training(ROWS, 80.0, **WORDS)
    panels = panels_of(figure)
    assert [len(ax.lines) for ax in panels] == [3, 3]
    assert list(panels[0].lines[2].get_ydata()) == [2, 12]


def test_nothing_measured_is_said() -> None:
    figure = draw_over_training(ROWS[:0], 80.0, **WORDS)
    assert "nothing was trained" in figure.axes[0].texts[0].get_text()
