"""Holds the sentence and the tables of sequence attention to their rows."""

from embspace.draw.sequences.sequence_attention import draw_sequence_attention
from tests.draw.sequences.tables import empty, joined_runs
from tests.draw.sequences.tables import sequence_attention as tables


def test_heads_that_look_there_are_counted() -> None:
    finding, text = draw_sequence_attention(joined_runs(tables(), "mine"), "all runs", digits=3)
    assert finding.startswith("4 of 12 heads (2 seeds × 6) have [CLS] look at defining sites")
    assert "more than every random head does, 2 away from them" in finding
    assert finding.endswith("at the sequence's own sites: 4")
    first = text.partition("<details>")[0]
    assert "| mine" in first and "random weights" in first


def test_no_run_is_said() -> None:
    finding, text = draw_sequence_attention(empty(tables()), "all runs", digits=3)
    assert finding == "No run classifies simulated sequences"
    assert "None." in text
