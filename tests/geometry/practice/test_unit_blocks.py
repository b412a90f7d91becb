from pathlib import Path

import numpy as np
import pytest

from embspace.geometry.practice import unit_blocks as module
from embspace.geometry.practice.unit_blocks import UnitRows


def test_rows_without_a_direction_are_left_out():
    x = np.random.default_rng(0).normal(size=(9, 3))
    x[[2, 5]] = 0
    unit = UnitRows(x)
    assert len(unit) == 7 and unit.kept.tolist() == [0, 1, 3, 4, 6, 7, 8]
    expected = x[unit.kept] / np.linalg.norm(x[unit.kept], axis=1, keepdims=True)
    assert unit[2:5] == pytest.approx(expected[2:5], abs=1e-6)
    assert unit[np.array([6, 0])] == pytest.approx(expected[[6, 0]], abs=1e-6)


def test_any_two_rows_are_in_one_pair_of_blocks(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "BLOCK_NUMBERS", 16)
    unit = UnitRows(np.eye(11, 4) + 1)
    counts = np.zeros((11, 11), dtype=int)
    for first, second in unit.pairs_of_blocks():
        counts[first, second] += 1
    rows, columns = np.nonzero(np.triu(np.ones((11, 11)), 1))
    assert (counts[rows, columns] == 1).all() and counts.shape[0] > 4


def test_a_mapped_file_is_read_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "BLOCK_NUMBERS", 64)
    x = np.random.default_rng(1).normal(size=(40, 6)).astype(np.float32) + 1
    np.save(tmp_path / "x.npy", x)
    mean = x.mean(axis=0, dtype=np.float64)
    mapped = UnitRows(np.load(tmp_path / "x.npy", mmap_mode="r"), mean)
    assert (mapped[7:19] == UnitRows(x, mean)[7:19]).all()
    assert np.linalg.norm(mapped[:40], axis=1) == pytest.approx(1, abs=1e-6)
