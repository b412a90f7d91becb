"""Tests of `embspace.app.cli.vectors`."""

from pathlib import Path

import numpy as np
import pandas as pd

from tests.app.cli.call import call


def test_tables_and_graph_lie_beside_the_file(tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=(50, 6)).astype(np.float32)
    np.save(tmp_path / "words.npy", x)
    said = call("vectors", str(tmp_path / "words.npy"), "--neighbors", "4", "--bins", "20")
    assert said.exit_code == 0
    assert f"tables and graph in {tmp_path / 'words-pairs'}" in said.output
    assert np.load(tmp_path / "words-pairs/neighbor_indices.npy").shape == (50, 4)


def test_what_is_no_matrix_is_an_error_without_a_traceback(tmp_path: Path) -> None:
    said = call("vectors", str(tmp_path / "words.csv"))
    assert said.exit_code == 1
    assert "words.csv: not found" in said.output
    (tmp_path / "words.doc").touch()
    assert "found the ending '.doc'" in call("vectors", str(tmp_path / "words.doc")).output


def test_every_file_of_vectors_is_taken(tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=(50, 6)).astype(np.float32)
    np.save(tmp_path / "a.npy", x)
    np.save(tmp_path / "b.npy", np.asfortranarray(x))
    pd.DataFrame(x, columns=range(1, 7)).to_csv(tmp_path / "c.CSV", index=False, sep=";")
    pd.DataFrame(x).rename(columns=str).to_parquet(tmp_path / "d.parquet")
    options = ("--neighbors", "4", "--bins", "20")
    refused = call("vectors", str(tmp_path / "c.CSV"), *options)
    assert refused.exit_code == 1 and "say --header yes, or --header no" in refused.output
    for name in ("a.npy", "b.npy", "c.CSV", "d.parquet"):
        header = ("--header", "yes") if name == "c.CSV" else ()
        assert call("vectors", str(tmp_path / name), *options, *header).exit_code == 0
    tables = [
        (tmp_path / f"{name}-pairs/neighbor_indices.npy").read_bytes()
        for name in ("a", "b", "c", "d")
    ]
    assert len({*tables}) == 1
