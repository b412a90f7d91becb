import inspect
import subprocess
import sys
from collections.abc import Iterator

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.neighbors import NearestNeighbors

from embspace.geometry.pairs.directions import norms, unit_rows
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.pairs import scan_pairs
from embspace.geometry.pairs.scan import _neighbor_lists
from embspace.geometry.pairs.scan._neighbor_lists import shrunk_halves
from embspace.geometry.pairs.scan._neighbor_loops import (
    Candidates,
    _compact,
    begin_lists,
    settle_all,
)
from tests.geometry.brute import neighbors_of

unchecked_scan_pairs = inspect.unwrap(scan_pairs)


def gaussian(n: int, dim: int, seed: int = 0, mean: float = 0.0) -> np.ndarray:
    return (np.random.default_rng(seed).normal(size=(n, dim)) + mean).astype(np.float32)


def graph_of(x: np.ndarray, k: int, **options: object) -> NeighborGraph:
    graph = scan_pairs(x, n_neighbors=k, **options).neighbors
    assert graph is not None
    return graph


def assert_exact(x: np.ndarray, k: int, **options: object) -> None:
    graph = graph_of(x, k, **options)
    indices, distances = neighbors_of(x, k)
    assert graph.indices.dtype == np.int32
    assert np.array_equal(graph.indices, indices)
    assert np.array_equal(graph.distances, distances)


@pytest.fixture
def compared_with_all(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Rows that the candidates could not settle, in the order of their comparison with all."""
    rows_seen: list[int] = []
    settle_all = _neighbor_lists.settle_all

    def spy(x: np.ndarray, rows: np.ndarray, *results: np.ndarray) -> None:
        rows_seen.extend(rows.tolist())
        settle_all(x, rows, *results)

    monkeypatch.setattr(_neighbor_lists, "settle_all", spy)
    return rows_seen


@pytest.mark.parametrize("block_rows", [9, 64, 1024])
@pytest.mark.parametrize("k", [1, 10, 100])
@pytest.mark.parametrize(
    "x",
    [gaussian(260, 3), gaussian(400, 65, mean=1.5), 1e-12 * gaussian(130, 384)],
    ids=["few dims", "anisotropic", "short"],
)
def test_matches_brute_force(x: np.ndarray, k: int, block_rows: int) -> None:
    assert_exact(x, k, block_rows=block_rows)


def test_matches_another_library() -> None:
    x = gaussian(1500, 48)
    graph = graph_of(x, 15)
    distances, indices = NearestNeighbors(n_neighbors=16).fit(x.astype(np.float64)).kneighbors()
    assert np.array_equal(graph.indices, indices[:, :15])
    assert graph.distances == pytest.approx(distances[:, :15])


def test_candidates_settle_an_ordinary_cloud(compared_with_all: list[int]) -> None:
    graph_of(gaussian(2000, 100), 20)
    assert compared_with_all == []


@pytest.mark.parametrize("k", [149, 150, 10_000])
def test_at_most_all_others(k: int) -> None:
    x = gaussian(150, 8)
    graph = graph_of(x, k, block_rows=40)
    assert graph.k == 149
    assert np.array_equal(np.sort(graph.indices[7]), np.delete(np.arange(150), 7))
    assert_exact(x, 149, block_rows=40)


# Small integers: many zero rows, copies and exact ties; n far below and above a block.
@settings(max_examples=150, deadline=None)
@given(
    x=st.tuples(st.integers(2, 60), st.integers(1, 4)).flatmap(
        lambda shape: arrays(np.float32, shape, elements=st.integers(-2, 2))
    ),
    k=st.integers(1, 12),
    block_rows=st.integers(1, 70),
)
def test_ties_go_to_the_smaller_index(x: np.ndarray, k: int, block_rows: int) -> None:
    k = min(k, len(x) - 1)
    assert_exact(x, k, block_rows=block_rows)


@pytest.mark.parametrize("k", [1, 5, 80])
def test_copies(k: int) -> None:
    x = gaussian(300, 20)
    x[::3] = x[0]  # more copies than candidates are kept
    x[1::50] = x[1]
    assert_exact(x, k, block_rows=64)
    assert graph_of(x, k).indices[3, 0] == 0


def test_copies_have_one_distance_to_a_third() -> None:
    x = gaussian(200, 77)
    x[100:] = x[:100]
    graph = graph_of(x, 199, block_rows=33)
    assert (graph.distances[:, 0] == 0).all()
    assert np.array_equal(graph.distances[:100], graph.distances[100:])
    assert np.array_equal(graph.distances[:, 1::2], graph.distances[:, 2::2])


@pytest.mark.parametrize("n_zeros", [1, 4, 60])
def test_zero_rows_are_points_like_others(n_zeros: int) -> None:
    x = gaussian(150, 6)
    x[np.random.default_rng(0).permutation(150)[:n_zeros]] = 0
    for k in (1, 5, 149):
        assert_exact(x, k, block_rows=40)


def test_zero_rows_alone() -> None:
    graph = graph_of(np.zeros((4, 3), dtype=np.float32), 2)
    assert graph.indices.tolist() == [[1, 2], [0, 2], [0, 1], [0, 1]]
    assert not graph.distances.any()


def test_identical_rows_are_all_ties(compared_with_all: list[int]) -> None:
    x = np.tile(gaussian(1, 30), (120, 1))
    graph = graph_of(x, 2, block_rows=50)
    assert graph.indices[[0, 1, 2, 119]].tolist() == [[1, 2], [0, 2], [0, 1], [0, 1]]
    assert sorted(compared_with_all) == list(range(120))


def test_near_ties_are_settled_in_float64(compared_with_all: list[int]) -> None:
    # A shell: all at one distance from the first row but for the rounding of coordinates, and
    # far from one another.
    x = np.concatenate([np.zeros((1, 64)), unit_rows(gaussian(800, 64).astype(np.float64))])
    x = (x + 3 * unit_rows(gaussian(1, 64, seed=1))).astype(np.float32)
    dots = (x @ x[0]).astype(np.float32)
    naive = np.argsort(norms(x) ** 2 - 2 * dots.astype(np.float32), kind="stable")
    assert naive[1:11].tolist() != neighbors_of(x, 10)[0][0].tolist()  # else nothing is shown
    assert_exact(x, 10, block_rows=100)
    assert 0 in compared_with_all
    assert len(compared_with_all) < 100


def test_lengths_of_all_kinds() -> None:
    # The margin is of each pair's own norms, so that a giant does not spoil it for dwarves.
    x = gaussian(300, 40)
    x[::3] *= np.float32(1e-6)
    x[1::10] *= np.float32(1e8)
    assert_exact(x, 7, block_rows=64)


@pytest.mark.parametrize("dim", [1, 10, 1000])
def test_keys_are_below_half_the_squared_distance(dim: int) -> None:
    x = np.abs(gaussian(300, dim)) + np.float32(1 / 3)
    x[::2] *= np.float32(100)
    halves = shrunk_halves(np.square(norms(x)), dim)
    keys = halves[:, None] + halves - x @ x.T
    exact = x.astype(np.float64)
    for row in range(300):
        assert (keys[row] <= norms(exact - exact[row]) ** 2 / 2).all()


@settings(max_examples=200, deadline=None)
@given(
    keys=st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 3.0, 1e30]) | st.floats(-1, 1, width=32)),
    n_least=st.integers(0, 20),
    n_more=st.integers(0, 3),
)
def test_compaction_keeps_the_smallest(keys: list[float], n_least: int, n_more: int) -> None:
    if len(keys) <= n_least:
        return
    kept, indices = np.array(keys, dtype=np.float32), np.arange(len(keys), dtype=np.int32)
    n_kept, bound = _compact(kept, indices, n_least, n_least + n_more)
    assert n_least <= n_kept <= n_least + n_more
    assert np.array_equal(kept[:n_kept], np.array(keys, dtype=np.float32)[indices[:n_kept]])
    dropped = np.delete(np.array(keys, dtype=np.float32), indices[:n_kept])
    assert len(dropped) == len(keys) - n_kept
    assert (dropped >= bound).all()


@pytest.fixture
def threads() -> Iterator[None]:
    before = numba.get_num_threads()
    yield
    numba.set_num_threads(before)


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="has one thread alone")
@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("x", [gaussian(600, 40), np.round(gaussian(600, 3))], ids=["", "ties"])
def test_the_number_of_threads_changes_no_bit(x: np.ndarray) -> None:
    graphs = []
    for n_threads in (1, 2):
        numba.set_num_threads(n_threads)
        graphs.append(graph_of(x, 30, block_rows=32))
    one, two = graphs
    assert np.array_equal(one.indices, two.indices)
    assert np.array_equal(one.distances, two.distances)


@pytest.mark.parametrize("block_rows", [1, 13, 32, 100, 101])
def test_the_size_of_a_block_changes_no_bit(block_rows: int) -> None:
    x = gaussian(100, 50)
    whole, parts = graph_of(x, 20), graph_of(x, 20, block_rows=block_rows)
    assert np.array_equal(whole.indices, parts.indices)
    assert np.array_equal(whole.distances, parts.distances)


@pytest.mark.parametrize("k", [5, 40, 70])
def test_rows_that_come_ever_nearer(k: int) -> None:
    x = np.arange(1, 301, dtype=np.float32)[:, np.newaxis] * np.ones(3, dtype=np.float32)
    x[:50] = 0  # compared with all
    assert_exact(x, k)


def test_of_many_neighbors_among_many_more_none_is_left_out() -> None:
    x, k = gaussian(200, 5), 33
    indices, distances = np.empty((200, k), np.int32), np.empty((200, k))
    settle_all(x, np.arange(200), indices, distances)
    expected = neighbors_of(x, k)
    assert np.array_equal(indices, expected[0])
    assert distances == pytest.approx(expected[1], rel=1e-6)


@pytest.mark.parametrize("n_equal", [1, 50])
def test_the_order_of_blocks_changes_no_bit(n_equal: int) -> None:
    x = gaussian(300, 8)
    x[:n_equal] = x[0]
    assert_exact(x, 10, block_rows=64, progress=lambda blocks: blocks[::-1])


@pytest.mark.parametrize("n_equal", [1, 40, 100])
@pytest.mark.parametrize("n", [2, 12, 14, 100])
@pytest.mark.parametrize("first", [0, 3])
def test_a_list_begins_with_the_smallest_keys_of_its_block(
    first: int, n: int, n_equal: int
) -> None:
    x, n_least = gaussian(n, 5), 12
    x[:n_equal] = x[0]
    dots, halves = x @ x.T, np.square(norms(x)).astype(np.float32) / 2
    candidates = Candidates.empty(first + n, min(2 * n_least, first + n))
    begin_lists(dots, first, np.append(np.zeros(first, np.float32), halves), candidates, n_least)
    for row in range(n):
        count, bound = candidates.counts[first + row], candidates.bounds[first + row]
        listed = candidates.indices[first + row, :count] - first
        keys = halves[row] + halves - dots[row]
        assert min(n_least, n - 1) <= count <= n_least + n_least // 8
        assert len(set(listed.tolist())) == count and row not in listed
        assert np.array_equal(candidates.keys[first + row, :count], keys[listed])
        assert (np.delete(keys, [row, *listed]) >= bound).all() and (keys[listed] <= bound).all()
        assert n > n_least + 1 or bound == np.inf


def test_one_pass_finds_what_many_find() -> None:
    x = gaussian(300, 24)
    x[[3, 200]] = 0
    scan = scan_pairs(x, n_bins=500, n_extremes=5, n_neighbors=6, block_rows=64)
    alone = scan_pairs(x, n_bins=500, block_rows=64)
    assert scan.neighbors is not None
    assert np.array_equal(scan.neighbors.indices, graph_of(x, 6).indices)
    for metric, distribution in alone.distributions.items():
        assert np.array_equal(scan.distributions[metric].counts, distribution.counts)
    extremes, expected = scan.extremes, scan_pairs(x, n_extremes=5).extremes
    assert [pairs.first.tolist() for pairs in extremes] == [
        pairs.first.tolist() for pairs in expected
    ]


def test_a_graph_alone_has_no_distribution() -> None:
    scan = scan_pairs(gaussian(30, 4), n_neighbors=2)
    assert (scan.distributions, scan.extremes, scan.largest_cosines) == ({}, (), None)
    assert scan_pairs(gaussian(30, 4), n_bins=5).neighbors is None


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_other_types_are_taken_in_float32(dtype: type) -> None:
    x = gaussian(90, 8).astype(dtype)
    one, other = graph_of(x, 5), graph_of(x.astype(np.float32), 5)
    assert np.array_equal(one.distances, other.distances)


def test_no_neighbors_across_or_below_zero() -> None:
    x = gaussian(10, 3)
    with pytest.raises(ValueError, match="n_neighbors: neighbors are those of x in x"):
        scan_pairs(x, x, n_neighbors=3)
    with pytest.raises(ValueError, match="n_neighbors: expected at least 0, found -1"):
        scan_pairs(x, n_neighbors=-1)
    x[3, 1] = np.nan
    with pytest.raises(ValueError, match="x: 1 of 10 rows hold NaN"):
        scan_pairs(x, n_neighbors=3)


def test_a_graph_of_fewer_neighbors() -> None:
    x = gaussian(100, 5)
    graph = graph_of(x, 9)
    assert (graph.n, graph.k, graph.first(4).k) == (100, 9, 4)
    assert np.array_equal(graph.first(4).indices, graph_of(x, 4).indices)
    assert np.array_equal(graph.first(4).distances, graph_of(x, 4).distances)
    for k in (0, 10):
        with pytest.raises(ValueError, match=f"k: expected 1 to 9, found {k}"):
            graph.first(k)


def test_in_degrees_of_a_star() -> None:
    # The center is the nearest of every ray; its own nearest is the first of equals.
    x = np.concatenate([np.zeros((1, 6)), np.eye(6), -np.eye(6)]).astype(np.float32)
    assert graph_of(x, 1).in_degrees().tolist() == [12, 1] + 11 * [0]
    degrees = graph_of(gaussian(200, 20), 7).in_degrees()
    assert degrees.sum() == 200 * 7


def test_an_empty_list_of_candidates() -> None:
    candidates = Candidates.empty(3, 2)
    assert candidates.counts.tolist() == [0, 0, 0]
    assert np.isinf(candidates.bounds).all()


def test_reading_a_graph_compiles_nothing() -> None:
    code = (
        "import sys, embspace.geometry.pairs.neighbors, embspace.geometry.pairs.pairs;"
        "sys.exit(bool({'numba', 'torch'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_one_neighbor_or_all_may_be_kept():
    graph = NeighborGraph(np.array([[1, 2], [0, 2], [1, 0]]), np.array([[1.0, 3], [1, 2], [2, 3]]))
    assert graph.first(1).indices.tolist() == [[1], [0], [1]]
    assert graph.first(2).distances.tolist() == graph.distances.tolist()
    for k in (0, 3):
        with pytest.raises(ValueError, match=f"k: expected 1 to 2, found {k}"):
            graph.first(k)
