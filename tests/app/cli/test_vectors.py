"""Tests of `embspace.app.cli.vectors`."""

from pathlib import Path

import numpy as np

from tests.app.cli.call import call


def test_tables_and_graph_lie_beside_the_file(tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=(50, 6)).astype(np.float32)
    np.save(tmp_path / "words.npy", x)
    found = call("vectors", str(tmp_path / "words.npy"), "--neighbors", "4", "--bins", "20")
    assert found.exit_code == 0
    assert f"tables and graph in {tmp_path / 'words-pairs'}" in found.output
    assert np.load(tmp_path / "words-pairs/neighbor_indices.npy").shape == (50, 4)


def test_what_is_no_matrix_is_an_error_without_a_traceback(tmp_path: Path) -> None:
    found = call("vectors", str(tmp_path / "words.csv"))
    assert found.exit_code == 1
    assert "found the ending '.csv', allowed: .npy" in found.output
