"""Holds the figure of sequence attention to its tables."""

from typing import Any

import pytest

from embspace.draw.sequences.sequence_attention import draw_sequence_attention
from tests.draw.fits import assert_words_fit
from tests.draw.sequences.tables import empty, of_runs, title_of
from tests.draw.sequences.tables import sequence_attention as tables

SETTINGS: dict[str, Any] = {"row_height_mm": 44.0, "digits": 3}


def test_heads_that_look_there_are_counted_and_layers_drawn() -> None:
    figure, text = draw_sequence_attention(of_runs(tables(), "mine"), "all runs", **SETTINGS)
    assert_words_fit(figure)
    said = " ".join(figure.get_suptitle().split())
    assert said.startswith("4 of 12 heads (2 seeds × 6) have [CLS] look at defining sites")
    assert "more than every random head does, 2 away from them" in said
    assert said.endswith("at the sequence's own sites: 4")
    titles = [title_of(ax) for ax in figure.axes if ax.has_data()]
    assert titles[:2] == ["Attention of [CLS]", "Attention of the k-mers, mean"]
    assert [each for each in titles if each.startswith("Ratio")] == [
        "Ratio, seed 0",
        "Ratio, seed 1",
        "Ratio, random",
    ]
    entropy = next(ax for ax in figure.axes if title_of(ax) == "Row entropy")
    assert [list(line.get_ydata()) for line in entropy.lines] == [[1, 2, 3], [1, 2, 3], [2, 3, 4]]
    codons = [each.get_text() for each in figure.axes[0].texts]
    assert codons == ["6", "14"]
    assert "| mine" in text


def test_a_head_is_as_dark_as_its_ratio() -> None:
    figure, _ = draw_sequence_attention(of_runs(tables(), "mine"), "all runs", **SETTINGS)
    seed = next(ax for ax in figure.axes if title_of(ax) == "Ratio, seed 0")
    values = seed.collections[0].get_array()
    assert values is not None
    assert values.reshape(3, 2)[0].tolist() == pytest.approx([1.0, 2.0])  # log2 of 2 and 4


def test_no_run_is_said() -> None:
    figure, text = draw_sequence_attention(empty(tables()), "all runs", **SETTINGS)
    assert figure.get_suptitle().startswith("No run classifies simulated sequences")
    assert "None." in text
