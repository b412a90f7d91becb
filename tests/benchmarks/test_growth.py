"""Tests of `benchmarks.growth`."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.growth import Run, exponent_of, run_one, table_of, write_matrix


def test_exponent_is_that_of_the_power() -> None:
    assert exponent_of([10, 20, 40], [3.0 * n**1.7 for n in (10, 20, 40)]) == pytest.approx(1.7)


def test_table_has_a_row_a_run_and_an_exponent_a_dimension() -> None:
    runs = [Run(n, dim, 1, n**2 / 1e6, 200) for dim in (4, 8) for n in (1000, 2000)]
    table = table_of([*runs, Run(1000, 16, 1, 1, 200)])
    assert "| 2,000 | 8 | 1.0 | 4.0 | 200 |" in table
    assert table.count("grows as n^2.00; expected: 2.") == 2


def test_a_matrix_is_written_and_run(tmp_path: Path) -> None:
    write_matrix(tmp_path / "x.npy", 1200, 3)
    x = np.load(tmp_path / "x.npy")
    assert x.shape == (1200, 3) and x.dtype == np.float32 and np.isfinite(x).all() and x.all()
    assert min(run_one(tmp_path / "x.npy")) > 0
    assert (tmp_path / "out/neighbor_indices.npy").is_file()
