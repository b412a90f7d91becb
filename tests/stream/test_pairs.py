"""Tests of `embspace.stream.pairs`."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform

from embspace.errors import InputError
from embspace.geometry.pairs.scan._blocks import Distributions
from embspace.stream.matrices import MatrixFile
from embspace.stream.pairs import (
    BASE,
    GB,
    GraphFile,
    Wanted,
    bytes_of_row,
    nearest_of,
    panels_of,
    save_pairs,
    scan_panels,
)

N, DIM, K, BINS = 90, 7, 5, 50
CUTS = ([0, 90], [0, 45, 90], [0, 30, 60, 90], [0, 20, 41, 63, 90])


def cloud() -> np.ndarray:
    """Gaussian rows, of which some are equal in different panels, and two are zero."""
    x = np.random.default_rng(0).normal(size=(N, DIM)).astype(np.float32)
    x[[17, 40, 88]] = x[3]
    x[[10, 71]] = 0
    return x


def scanned(
    folder: Path, x: np.ndarray, cuts: list[int], k: int = K
) -> tuple[Distributions, np.ndarray, np.ndarray]:
    np.save(folder / "x.npy", x)
    file = MatrixFile.of(folder / "x.npy")
    graph = GraphFile(folder / "i.npy", folder / "d.npy", len(x), k)
    panels = [slice(a, b) for a, b in zip(cuts, cuts[1:], strict=False)]
    histograms = scan_panels(file, panels, BINS, float(file.norms().max()), graph, print)
    return histograms, np.load(folder / "i.npy"), np.load(folder / "d.npy")


def brute_graph(x: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    distances = squareform(pdist(x.astype(np.float64)))
    np.fill_diagonal(distances, np.inf)
    indices = distances.round(9).argsort(axis=1, kind="stable")[:, :k]
    return indices, np.take_along_axis(distances, indices, axis=1)


@pytest.mark.parametrize("cuts", CUTS)
def test_graph_is_that_of_comparing_every_pair(tmp_path: Path, cuts: list[int]) -> None:
    x = cloud()
    _, indices, distances = scanned(tmp_path, x, cuts)
    expected = brute_graph(x, K)
    np.testing.assert_array_equal(indices, expected[0])
    np.testing.assert_allclose(distances, expected[1], atol=1e-9)
    assert indices.dtype == np.int32 and distances.dtype == np.float64
    assert indices[3, :3].tolist() == [17, 40, 88]


@pytest.mark.parametrize("cuts", CUTS)
def test_every_pair_is_counted_once(tmp_path: Path, cuts: list[int]) -> None:
    x = cloud()
    histograms, _, _ = scanned(tmp_path, x, cuts)
    values = pdist(x.astype(np.float64))
    distance = histograms["euclidean_distance"]
    assert distance.n == histograms["dot_product"].n == N * (N - 1) // 2
    assert histograms["cosine"].n == (N - 2) * (N - 3) // 2  # zero rows have none
    np.testing.assert_array_equal(distance.counts, np.histogram(values, distance.edges)[0])
    assert distance.mean == pytest.approx(values.mean(), rel=1e-6)
    assert distance.minimum == 0
    assert distance.maximum == pytest.approx(values.max(), rel=1e-6)


@pytest.mark.parametrize("cuts", CUTS[1:])
def test_panels_change_no_count_and_no_neighbor(tmp_path: Path, cuts: list[int]) -> None:
    x = np.random.default_rng(1).normal(size=(N, DIM)).astype(np.float32)
    whole = scanned(tmp_path, x, [0, N])
    parts = scanned(tmp_path, x, cuts)
    for name, histogram in whole[0].items():
        np.testing.assert_array_equal(histogram.counts, parts[0][name].counts)
        np.testing.assert_allclose(histogram.sums_about(0), parts[0][name].sums_about(0), rtol=1e-6)
    np.testing.assert_array_equal(whole[1], parts[1])
    np.testing.assert_array_equal(whole[2], parts[2])


def test_of_ties_the_smaller_number_is_first(tmp_path: Path) -> None:
    x = np.ones((12, 3), dtype=np.float32)
    _, indices, distances = scanned(tmp_path, x, [0, 4, 8, 12], k=3)
    assert indices[0].tolist() == [1, 2, 3] and indices[11].tolist() == [0, 1, 2]
    assert not distances.any()


def test_all_zero_rows_have_distances_and_no_cosine(tmp_path: Path) -> None:
    histograms, indices, distances = scanned(
        tmp_path, np.zeros((9, 2), dtype=np.float32), [0, 3, 6, 9], k=2
    )
    assert histograms["cosine"].n == 0 and histograms["euclidean_distance"].n == 36
    assert indices[8].tolist() == [0, 1] and not distances.any()


def test_a_number_that_is_listed_twice_counts_once() -> None:
    indices, distances = nearest_of(np.array([[4, 2, 4, 9]]), np.array([[1.0, 2.0, 1.0, 2.0]]), k=3)
    assert indices.tolist() == [[4, 2, 9]] and distances.tolist() == [[1, 2, 2]]


def test_panels_hold_all_rows_and_any_two_fit() -> None:
    row = bytes_of_row(768, 90, zeros=False)
    for n in (250_000, 1_000_000, 10_000_019):
        panels = panels_of(n, row, 90, 2.0)
        assert [a.stop for a in panels[:-1]] == [b.start for b in panels[1:]]
        assert (panels[0].start, panels[-1].stop) == (0, n)
        sizes = sorted(panel.stop - panel.start for panel in panels)
        rows = n if len(panels) == 1 else sizes[-1] + sizes[-2]
        assert BASE + rows * row <= 2 * GB


def test_a_quarter_of_a_million_rows_take_one_panel_in_2_gb() -> None:
    assert len(panels_of(250_000, bytes_of_row(768, 90, zeros=False), 90, 2.0)) == 1


def test_too_little_memory_says_how_much_is_needed(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((5000, 8), dtype=np.float32))
    with pytest.raises(InputError, match=r"memory: found 0.1 GB, allowed: 0\.\d+ GB or more"):
        save_pairs(tmp_path / "x.npy", tmp_path / "out", Wanted(10, 90, (0.5,), 0.1), print)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (Wanted(0, 3, (0.5,), 2), "bins: found 0, allowed: 1 to 1,000,000"),
        (Wanted(10**12, 3, (0.5,), 2), "bins: found 1000000000000, allowed: 1 to 1,000,000"),
        (Wanted(10, -1, (0.5,), 2), "neighbors: found -1, allowed: 0 or more"),
        (Wanted(10, 3, (0.5,), float("nan")), "memory: found nan GB, allowed: a finite number"),
        (Wanted(10, 3, (0.5,), float("inf")), "memory: found inf GB, allowed: a finite number"),
    ],
)
def test_numbers_out_of_range_are_an_error(tmp_path: Path, wanted: Wanted, said: str) -> None:
    np.save(tmp_path / "x.npy", np.eye(4, dtype=np.float32))
    with pytest.raises(InputError, match=said):
        save_pairs(tmp_path / "x.npy", tmp_path / "out", wanted, print)
    assert not (tmp_path / "out").exists()


def test_files_are_those_of_the_scan(tmp_path: Path) -> None:
    x = cloud()
    np.save(tmp_path / "x.npy", x)
    save_pairs(tmp_path / "x.npy", tmp_path / "out", Wanted(BINS, 200, (0.5,), 2), print)
    table = pd.read_csv(tmp_path / "out/pairs.csv").set_index("quantity")
    assert table.loc["euclidean_distance", "n"] == N * (N - 1) // 2
    counts = pd.read_csv(tmp_path / "out/histograms.csv").groupby("quantity")["count"].sum()
    assert counts.to_dict() == table["n"].to_dict()
    indices = np.load(tmp_path / "out/neighbor_indices.npy")
    assert indices.shape == (N, N - 1)  # all others at most
    np.testing.assert_array_equal(np.sort(indices[0]), np.arange(1, N))


def test_without_neighbors_there_is_no_graph(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", cloud())
    save_pairs(tmp_path / "x.npy", tmp_path / "out", Wanted(BINS, 0, (0.5,), 2), print)
    names = sorted(file.name for file in (tmp_path / "out").iterdir())
    assert names == ["histograms.csv", "pairs.csv"]


@contextmanager
def files_of_at_most(n_bytes: int) -> Iterator[None]:
    """A limit that the kernel refuses to pass, as it does on a full disk: in mid-write."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("limit", [1500, 3000, 6000])  # in the graph's two files, in the histograms
def test_a_full_disk_leaves_graph_and_tables_of_before(tmp_path: Path, limit: int) -> None:
    x, out = cloud(), tmp_path / "out"
    np.save(tmp_path / "x.npy", x)
    save_pairs(tmp_path / "x.npy", out, Wanted(BINS, K, (0.5,), 2), print)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    assert [len(before[name]) for name in ("neighbor_indices.npy", "neighbor_distances.npy")] == [
        1928,
        3728,
    ]
    np.save(tmp_path / "x.npy", x[::-1])
    with (
        files_of_at_most(limit),
        pytest.raises(InputError, match=f"{out}: cannot be written: File too large"),
    ):
        save_pairs(tmp_path / "x.npy", out, Wanted(1000, K, (0.5,), 2), print)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_a_graph_of_before_does_not_stay_beside_tables_without_one(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", cloud())
    for k in (K, 0):
        save_pairs(tmp_path / "x.npy", tmp_path / "out", Wanted(BINS, k, (0.5,), 2), print)
    names = sorted(file.name for file in (tmp_path / "out").iterdir())
    assert names == ["histograms.csv", "pairs.csv"]


def test_quantiles_beside_one_huge_row_are_empty_and_told(tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=(60, 5)).astype(np.float32)
    x[7] *= 1e6
    np.save(tmp_path / "x.npy", x)
    said: list[str] = []
    save_pairs(tmp_path / "x.npy", tmp_path / "out", Wanted(100, 0, (0.5,), 2.0), said.append)
    table = pd.read_csv(tmp_path / "out/pairs.csv").set_index("quantity")
    assert table["quantile_0.5"].isna().to_dict() == {
        "euclidean_distance": True,
        "dot_product": True,
        "cosine": False,
    }
    assert "(euclidean distance, dot product)" in said[-1]
