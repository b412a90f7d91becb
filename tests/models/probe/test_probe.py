from pathlib import Path

import pytest

from embspace.errors import RefusedModel
from embspace.models.probe.probe import Probe, check_batches, check_probe, probe, rows_of
from tests.models.probe.loaded import IDS, load_tiny


def test_a_model_as_it_is_described_passes(tmp_path: Path):
    outcome = probe(load_tiny("bert", tmp_path), IDS, 40)
    assert outcome == Probe(batches="any", window=40, adds_positions=True)
    check_probe(outcome, "any", "embeddings.position_embeddings.weight")
    check_probe(outcome, "alone", None)


def test_rows_of_padding_make_the_window_shorter(tmp_path: Path):
    assert probe(load_tiny("ibert", tmp_path), IDS, 40).window == 39
    with pytest.raises(RefusedModel, match="cannot read a text of"):
        probe(load_tiny("gpt2", tmp_path), IDS, 50)


def test_a_description_that_reads_other_states_is_refused(tmp_path: Path):
    module = load_tiny("fnet", tmp_path)
    outcome = probe(module, IDS, 40)
    for check in (
        lambda: check_probe(outcome, "any", None),
        lambda: check_batches(module, IDS, "any"),
    ):
        with pytest.raises(RefusedModel, match="found 'any'.*\n  batches: equal_lengths"):
            check()
    check_batches(module, IDS, "equal_lengths")
    check_batches(module, IDS, "alone")


def test_a_table_that_is_not_added_is_refused(tmp_path: Path):
    outcome = probe(load_tiny("llama", tmp_path), IDS, 40)
    with pytest.raises(RefusedModel, match="found 'x', but layer 0 is the same at every"):
        check_probe(outcome, "any", "x")


def test_rows_are_no_longer_than_a_window():
    assert [len(row) for row in rows_of(IDS, None)] == [5, 5, 12]
    assert [len(row) for row in rows_of(IDS, 4)] == [3, 3, 4]
