import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from embspace.geometry.pairs.directions import norms, unit_rows
from embspace.geometry.pairs.extremes import ORDERS, ExtremeLists, ExtremePairs, Kept, cosine_margin
from embspace.geometry.pairs.pairs import scan_pairs
from tests.geometry.brute import KEYS, TIE, extremes_of

Lists = list[tuple[int, str, list[int], list[int], list[float]]]


def gaussian(n: int, dim: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dim)).astype(np.float32)


def as_list(pairs: ExtremePairs) -> tuple:
    columns = (column.tolist() for column in (pairs.first, pairs.second, pairs.cosine))
    return (pairs.group, pairs.order, *columns)


def scanned(x: np.ndarray, y: np.ndarray | None = None, **options: object) -> Lists:
    return [as_list(pairs) for pairs in scan_pairs(x, y, n_bins=8, **options).extremes]


def assert_same(lists: Lists, expected: Lists) -> None:
    """The same pairs in the same order; a cosine may be rounded up here and down there."""
    assert [pairs[:4] for pairs in lists] == [pairs[:4] for pairs in expected]
    for one, other in zip(lists, expected, strict=True):
        assert one[4] == pytest.approx(other[4], abs=2 / TIE, rel=0)


def by_order(x: np.ndarray, n_extremes: int, **options: object) -> dict[str, ExtremePairs]:
    scan = scan_pairs(x, n_bins=8, n_extremes=n_extremes, **options)
    return {pairs.order: pairs for pairs in scan.extremes}


@pytest.mark.parametrize("block_rows", [9, 100, 1024])
@pytest.mark.parametrize("dim", [2, 48, 384])
def test_match_brute_force(dim: int, block_rows: int) -> None:
    x = gaussian(260, dim)
    groups = np.stack([np.arange(260) % 3 > 0, np.arange(260) < 40, np.zeros(260, bool)])
    lists = scanned(x, groups=groups, n_extremes=17, block_rows=block_rows)
    assert_same(lists, extremes_of(x, groups=groups, n_extremes=17))


def test_across_match_brute_force() -> None:
    x, y = gaussian(120, 24), gaussian(77, 24, seed=1)
    groups = np.stack([np.ones(120, bool), np.arange(120) % 2 > 0])
    lists = scanned(x, y, groups=groups, n_extremes=17, block_rows=50)
    assert_same(lists, extremes_of(x, y, groups=groups, n_extremes=17))


# Small integers: many zero rows, copies, multiples, opposites and right angles.
@settings(max_examples=80, deadline=None)
@given(
    x=st.tuples(st.integers(2, 14), st.integers(1, 4)).flatmap(
        lambda shape: arrays(np.float32, shape, elements=st.integers(-2, 2))
    ),
    n_extremes=st.integers(1, 100),
    block_rows=st.integers(1, 16),
    seed=st.integers(0, 9),
)
def test_ties_go_to_the_first_pairs(
    x: np.ndarray, n_extremes: int, block_rows: int, seed: int
) -> None:
    groups = np.random.default_rng(seed).random((2, len(x))) < 0.8
    options = {"groups": groups, "n_extremes": n_extremes}
    assert_same(scanned(x, block_rows=block_rows, **options), extremes_of(x, **options))


def around(axis: np.ndarray, along: float, n: int) -> np.ndarray:
    """Rows of cosine `along` to the axis, but for the rounding of their coordinates."""
    unit = axis / norms(axis)[:, np.newaxis]
    across = gaussian(n, axis.shape[1], seed=1).astype(np.float64)
    across = unit_rows(across - across @ unit.T * unit)
    return (across * np.sqrt(1 - along**2) + along * unit).astype(np.float32)


@pytest.mark.parametrize(
    ("order", "along", "elsewhere"),
    [
        ("largest", 0.5, (0, -0.9)),
        ("smallest", -0.5, (0, 0.9)),
        ("nearest_to_zero", 0, (-0.9, 0.9)),
    ],
)
@pytest.mark.parametrize("dim", [16, 384])
def test_order_is_right_where_float32_cannot_tell(
    dim: int, order: str, along: float, elsewhere: tuple[float, float]
) -> None:
    axis = gaussian(1, dim)
    # The other two lists have rows of their own, lest they find those of this one by chance.
    x = np.concatenate([around(axis, cosine, 40) for cosine in elsewhere])
    x = np.concatenate([x, around(axis, along, 4000)])
    expected = extremes_of(x, axis, n_extremes=30)
    naive = KEYS[order]((unit_rows(axis) @ unit_rows(x).T)[0]).argsort(kind="stable")
    assert naive[:30].tolist() != expected[ORDERS.index(order)][2]  # else nothing is shown
    assert_same(scanned(x, axis, n_extremes=30, block_rows=1000), expected)
    assert_same(scanned(axis, x, n_extremes=30), extremes_of(axis, x, n_extremes=30))


def test_identical_rows_are_all_ties() -> None:
    x = np.tile(gaussian(1, 20), (150, 1))
    for pairs in by_order(x, 3, block_rows=64).values():
        assert pairs.first.tolist() == [0, 0, 0]
        assert pairs.second.tolist() == [1, 2, 3]
        assert pairs.cosine.tolist() == [1, 1, 1]


def test_multiples_of_one_vector_are_all_ties() -> None:
    # Each cosine comes with a rounding of its own: without the multiple of 2^-46, noise decides.
    x = np.arange(1, 61)[:, np.newaxis] * np.round(50 * gaussian(1, 20))
    largest = by_order(x.astype(np.float32), 20, block_rows=16)["largest"]
    assert largest.first.tolist() == 20 * [0]
    assert largest.second.tolist() == list(range(1, 21))


def test_orthogonal_rows_are_all_ties() -> None:
    nearest = by_order(np.eye(150, dtype=np.float32), 4, block_rows=64)["nearest_to_zero"]
    assert nearest.first.tolist() == [0, 0, 0, 0]
    assert nearest.second.tolist() == [1, 2, 3, 4]
    assert nearest.cosine.tolist() == [0, 0, 0, 0]


def test_a_tie_in_a_late_block_may_come_first() -> None:
    x = np.eye(200, dtype=np.float32)
    x[1:5] = x[1]  # six ties in the first block
    x[190] = x[0]
    largest = by_order(x, 3, block_rows=10)["largest"]
    assert largest.first.tolist() == [0, 1, 1]
    assert largest.second.tolist() == [190, 2, 3]


def test_more_than_there_are() -> None:
    x = gaussian(6, 5)
    x[2] = 0
    for pairs in by_order(x, 99, block_rows=4).values():
        assert len(pairs.first) == 10
        assert not np.isin(2, [pairs.first, pairs.second])
        assert (pairs.first < pairs.second).all()


def test_no_list_without_extremes() -> None:
    assert scan_pairs(gaussian(6, 5), n_bins=8).extremes == ()


def test_lists_do_not_depend_on_the_order_of_parts() -> None:
    rng = np.random.default_rng(0)
    parts = []
    for _ in range(5):
        key = rng.integers(0, 4, size=(3, 6)).astype(np.float64)
        parts.append(Kept(key, *rng.integers(0, 9, size=(2, 3, 6)), key))
    pairs = []
    for order in (parts, parts[::-1]):
        lists = ExtremeLists(1, 6, 10)
        for part in order:
            lists.add(part)
        pairs.append([as_list(pair_list) for pair_list in lists.pairs()])
    assert pairs[0] == pairs[1]
    assert [listed[1] for listed in pairs[0]] == list(ORDERS)


@pytest.mark.parametrize("dim", [1, 10, 1000])
def test_margin_is_above_the_errors_of_float32(dim: int) -> None:
    # All of one sign, so that the bound, which is for absolute values, is approached.
    x = np.abs(gaussian(300, dim)) + np.float32(1 / 3)
    unit = x / np.linalg.norm(x.astype(np.float64), axis=1, keepdims=True)
    error = np.abs(unit.astype(np.float32) @ unit.astype(np.float32).T - unit @ unit.T).max()
    assert error < cosine_margin(dim) < 1e-6 * (dim + 10)


def test_the_margin_is_highams_gamma() -> None:
    # k u = 16 / 2^24 = 2^-20, so that k u / (1 - k u) = 1 / (2^20 - 1).
    assert cosine_margin(8) == pytest.approx(1 / (2**20 - 1), rel=1e-14)
