"""Holds the figure of a published model's heads over training to its table."""

from typing import Any

from embspace.draw.runs.pretraining_head_dynamics import draw_pretraining_head_dynamics
from embspace.measure.runs.pretraining_head_dynamics import PRETRAINING_HEAD_DYNAMICS
from tests.draw.fits import assert_words_fit
from tests.draw.runs.test_head_dynamics import heads

SETTINGS: dict[str, Any] = {
    "shown": ["row_entropy", "previous_mass"],
    "height_mm": 80.0,
    "digits": 3,
}


def test_the_title_says_where_the_blocks_go() -> None:
    table = heads().query("seed == 0").drop(columns="run")
    figure, text = draw_pretraining_head_dynamics({"csv": table}, "Pythia", **SETTINGS)
    assert_words_fit(figure)
    title = " ".join(figure.get_suptitle().split())
    assert "entropy of attention rises from 0.16 to 0.26" in title
    said = " ".join(" ".join(label.get_text() for label in figure.texts).split())
    assert "Pythia · 3 checkpoints that its makers published · 7 documents" in said
    assert text.startswith("# Attention heads of Pythia over its pretraining")


def test_no_checkpoint_is_said_in_words() -> None:
    empty = PRETRAINING_HEAD_DYNAMICS.empty()
    figure, text = draw_pretraining_head_dynamics(empty, "Pythia", **SETTINGS)
    assert_words_fit(figure)
    assert "Nothing was measured over training" in figure.get_suptitle()
    assert "No checkpoint was read." in text
