"""The path of torch, driven on the CPU: as the path of NumPy, but for the rounding of counts."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from embspace.geometry.pairs import pairs
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.pairs import PairScan, scan_pairs
from embspace.geometry.pairs.scan._blocks import Block
from embspace.geometry.pairs.scan._totals import Part
from tests.geometry.brute import assert_counted, extremes_of, neighbors_of, rounding, values_of
from tests.geometry.pairs.test_extremes import as_list, assert_same
from tests.lazy import torch


def gaussian(n: int, dim: int, seed: int = 0, mean: float = 0.0) -> np.ndarray:
    return (np.random.default_rng(seed).normal(size=(n, dim)) + mean).astype(np.float32)


def with_copies_and_zeros() -> np.ndarray:
    x = gaussian(200, 24, mean=0.5)
    x[::7], x[5::40] = x[0], 0
    x[100:120] += np.float32(1e-3) * gaussian(20, 24, seed=1)
    return x


@pytest.fixture
def on_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors on the CPU count as those on another device."""
    monkeypatch.setattr(pairs, "device_of", lambda x: torch.as_tensor(x).device)


def scan_tensors(x: np.ndarray, y: np.ndarray | None = None, **options: object) -> PairScan:
    return scan_pairs(torch.tensor(x), None if y is None else torch.tensor(y), **options)


def assert_same_graph(graph: NeighborGraph | None, x: np.ndarray, k: int) -> None:
    assert graph is not None
    indices, distances = neighbors_of(x, k)
    assert np.array_equal(graph.indices, indices)
    assert np.array_equal(graph.distances, distances)


@pytest.mark.usefixtures("on_torch")
@pytest.mark.parametrize("block_rows", [33, 64, None])
@pytest.mark.parametrize("x", [gaussian(200, 24), with_copies_and_zeros()], ids=["", "hard"])
def test_all_in_one_pass_within(x: np.ndarray, block_rows: int | None) -> None:
    groups = np.stack([np.arange(200) % 3 > 0, np.arange(200) < 40, np.zeros(200, bool)])
    options = {"groups": groups, "n_extremes": 9}
    scan = scan_tensors(
        x, n_bins=2000, n_neighbors=12, largest_cosines=True, block_rows=block_rows, **options
    )
    tolerances = rounding(x)
    for metric, values in values_of(x).items():
        distribution, tolerance = scan.distributions[metric], tolerances[metric]
        assert_counted(distribution, values, tolerance)
        assert distribution.mean == pytest.approx(values.mean(), abs=tolerance.max() / 10)
        assert distribution.standard_deviation == pytest.approx(values.std(), abs=tolerance.max())
        assert distribution.minimum == pytest.approx(values.min(), abs=tolerance.max())
        assert distribution.maximum == pytest.approx(values.max(), abs=tolerance.max())
    assert_same([as_list(pairs) for pairs in scan.extremes], extremes_of(x, **options))
    assert_same_graph(scan.neighbors, x, 12)


@pytest.mark.usefixtures("on_torch")
@pytest.mark.parametrize("within", [True, False])
def test_as_the_path_of_numpy(within: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.round(3 * with_copies_and_zeros())  # products are exact: no count may differ
    y = None if within else np.round(gaussian(90, 24, seed=2))
    options = {"n_bins": 500, "n_extremes": 6, "largest_cosines": True, "block_rows": 50}
    scan = scan_tensors(x, y, **options)
    monkeypatch.setattr(pairs, "device_of", lambda x: None)
    expected = scan_tensors(x, y, **options)
    dots = "dot_product"
    assert np.array_equal(scan.distributions[dots].counts, expected.distributions[dots].counts)
    assert scan.distributions[dots].power_sums == pytest.approx(
        expected.distributions[dots].power_sums, rel=1e-12
    )
    for one, other in zip(scan.extremes, expected.extremes, strict=True):
        assert np.array_equal(one.first, other.first)
        assert np.array_equal(one.second, other.second)
        assert np.array_equal(one.cosine, other.cosine)
    assert scan.largest_cosines == pytest.approx(expected.largest_cosines, abs=1e-6, nan_ok=True)


@pytest.mark.usefixtures("on_torch")
def test_blocks_are_scanned_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """They add to the same counts and lists, which two threads at once would spoil."""
    from embspace.geometry.pairs.scan._torch_scan import TorchScan

    threads, scan = set(), TorchScan._scan

    def scan_slowly(self: TorchScan, block: Block) -> Part:
        threads.add(threading.get_ident())
        time.sleep(0.01)  # so that another thread would take the next block
        return scan(self, block)

    monkeypatch.setattr(TorchScan, "_scan", scan_slowly)
    scan_tensors(gaussian(40, 3), n_bins=5, block_rows=20)
    assert len(threads) == 1


@pytest.mark.usefixtures("on_torch")
def test_a_block_of_one_row_has_no_extremes() -> None:
    x = gaussian(9, 24)
    scan = scan_tensors(x, n_bins=10, block_rows=4)
    for metric, values in values_of(x).items():
        distribution = scan.distributions[metric]
        assert distribution.minimum == pytest.approx(values.min(), abs=1e-4)
        assert distribution.maximum == pytest.approx(values.max(), abs=1e-4)


@pytest.mark.usefixtures("on_torch")
@pytest.mark.parametrize("k", [1, 5, 80, 119])
def test_ties_of_the_graph(k: int) -> None:
    x = np.random.default_rng(0).integers(-1, 2, size=(120, 3)).astype(np.float32)
    assert_same_graph(scan_tensors(x, n_neighbors=k, block_rows=50).neighbors, x, k)


@pytest.mark.usefixtures("on_torch")
def test_the_largest_value_that_there_can_be_is_in_the_last_bin() -> None:
    scan = scan_tensors(np.array([[2, 0], [2, 0]], np.float32), n_bins=9)
    for metric in ("dot_product", "cosine"):
        assert scan.distributions[metric].counts.tolist() == 8 * [0] + [1]


@pytest.mark.usefixtures("on_torch")
def test_zero_rows_alone() -> None:
    scan = scan_tensors(np.zeros((4, 3), np.float32), n_bins=9, n_extremes=2, n_neighbors=2)
    assert scan.distributions["euclidean_distance"].counts.tolist() == [6] + 8 * [0]
    assert scan.neighbors is not None
    assert scan.neighbors.indices.tolist() == [[1, 2], [0, 2], [0, 1], [0, 1]]


@pytest.mark.usefixtures("on_torch")
def test_settings_of_the_caller_stay() -> None:
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        x = gaussian(100, 64)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert_same_graph(scan_tensors(x, n_neighbors=4).neighbors, x, 4)
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision(before)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_a_tensor_on_the_cpu_is_its_array(dtype: str) -> None:
    x = torch.tensor(gaussian(60, 8)).to(getattr(torch, dtype)).requires_grad_()
    options = {"n_bins": 300, "n_neighbors": 4}
    scan = scan_pairs(x, **options)
    expected = scan_pairs(x.detach().float().numpy(), **options)
    assert scan.neighbors is not None
    assert expected.neighbors is not None
    assert np.array_equal(scan.neighbors.distances, expected.neighbors.distances)
    for metric, distribution in expected.distributions.items():
        assert np.array_equal(scan.distributions[metric].counts, distribution.counts)


def test_arrays_do_not_import_torch() -> None:
    code = (
        "import sys, numpy, embspace.geometry.pairs.pairs as pairs;"
        "pairs.scan_pairs(numpy.eye(5, dtype='float32'), n_bins=5, n_neighbors=2);"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
