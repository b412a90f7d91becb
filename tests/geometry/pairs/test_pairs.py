import inspect
from collections.abc import Iterator

import numba
import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from embspace.geometry.pairs.directions import cosine_tail, norms, unit_rows
from embspace.geometry.pairs.pairs import PairScan, scan_pairs
from embspace.geometry.pairs.scan import _block_scan
from embspace.geometry.pairs.scan._blocks import blocks_of
from embspace.geometry.pairs.scan._threads import map_in_order
from tests.geometry.brute import assert_counted, rounding, values_of

METRICS = ("euclidean_distance", "dot_product", "cosine")
# Past the check of shapes that tests put in front of it, which raises another error.
unchecked_scan_pairs = inspect.unwrap(scan_pairs)


def gaussian(n: int, dim: int, seed: int = 0, mean: float = 0.0) -> np.ndarray:
    return (np.random.default_rng(seed).normal(size=(n, dim)) + mean).astype(np.float32)


def integers(n: int, dim: int, seed: int = 0) -> np.ndarray:
    """Vectors whose products are exact in float32, in whatever order they are summed."""
    return np.random.default_rng(seed).integers(-9, 10, size=(n, dim)).astype(np.float32)


def assert_same_counts(one: PairScan, other: PairScan) -> None:
    for metric in METRICS:
        a, b = one.distributions[metric], other.distributions[metric]
        assert np.array_equal(a.counts, b.counts), metric


def assert_matches_brute_force(scan: PairScan, x: np.ndarray, y: np.ndarray | None = None) -> None:
    tolerances = rounding(x, y)
    for metric, values in values_of(x, y).items():
        distribution, tolerance = scan.distributions[metric], tolerances[metric]
        assert_counted(distribution, values, tolerance)
        # A float32 value is off by its rounding, a mean of many by far less.
        largest = tolerance.max()
        assert distribution.minimum == pytest.approx(values.min(), abs=largest)
        assert distribution.maximum == pytest.approx(values.max(), abs=largest)
        assert distribution.mean == pytest.approx(values.mean(), abs=largest / 10)
        assert distribution.standard_deviation == pytest.approx(values.std(), abs=largest)
        sums = [(values**power).sum() for power in (1, 2, 3, 4)]
        scale = [(np.abs(values) ** power).sum() for power in (1, 2, 3, 4)]
        assert distribution.sums_about(0) == pytest.approx(sums, abs=1e-6 * max(scale), rel=1e-5)


@pytest.mark.parametrize("block_rows", [7, 64, 1024])
@pytest.mark.parametrize(
    "x",
    [gaussian(2, 3), gaussian(150, 24), gaussian(130, 65, mean=1.5), 1e-6 * gaussian(64, 5)],
    ids=["one pair", "isotropic", "anisotropic", "short"],
)
def test_pairs_within_match_brute_force(x: np.ndarray, block_rows: int) -> None:
    assert_matches_brute_force(scan_pairs(x, n_bins=4096, block_rows=block_rows), x)


@pytest.mark.parametrize("block_rows", [7, 64, 1024])
def test_pairs_across_match_brute_force(block_rows: int) -> None:
    x, y = gaussian(90, 24), gaussian(33, 24, seed=1, mean=0.5)
    assert_matches_brute_force(scan_pairs(x, y, n_bins=4096, block_rows=block_rows), x, y)


def test_edges_are_the_limits_of_each_metric() -> None:
    x = gaussian(20, 3)
    longest = norms(x).max()
    edges = {
        metric: distribution.edges
        for metric, distribution in scan_pairs(x, n_bins=8).distributions.items()
    }
    assert edges["euclidean_distance"] == pytest.approx(np.linspace(0, 2 * longest, 9))
    assert edges["dot_product"] == pytest.approx(np.linspace(-(longest**2), longest**2, 9))
    assert edges["cosine"] == pytest.approx(np.linspace(-1, 1, 9))


def test_exact_products_are_counted_exactly() -> None:
    x = integers(120, 16)
    dots = scan_pairs(x, n_bins=1000, block_rows=50).distributions["dot_product"]
    values = values_of(x)["dot_product"]
    assert np.array_equal(dots.counts, np.histogram(values, bins=dots.edges)[0])
    moved = values - dots.center
    sums = [(moved**power).sum() for power in (1, 2, 3, 4)]
    assert dots.power_sums == pytest.approx(sums, rel=1e-12, abs=1e-9 * len(values))


@settings(max_examples=40, deadline=None)
@given(
    n_x=st.integers(1, 30),
    n_y=st.integers(0, 30),
    block_rows=st.integers(1, 40),
    n_bins=st.sampled_from([1, 2, 1000]),
    seed=st.integers(0, 99),
)
def test_no_pair_is_lost(n_x: int, n_y: int, block_rows: int, n_bins: int, seed: int) -> None:
    # Copies and opposites reach the limits of all three metrics, and rounding passes them.
    x = gaussian(n_x + 1, 7, seed)
    x = np.concatenate([x, x, -x])
    y = np.concatenate([x[:n_y], gaussian(n_y, 7, seed + 1)]) if n_y else None
    scan = scan_pairs(x, y, n_bins=n_bins, block_rows=block_rows)
    for metric in METRICS:
        distribution = scan.distributions[metric]
        assert distribution.n == (len(x) * (len(x) - 1) // 2 if y is None else len(x) * len(y))
        assert distribution.edges[0] <= distribution.minimum
        assert distribution.maximum <= distribution.edges[-1]


@pytest.fixture
def threads() -> Iterator[None]:
    before = numba.get_num_threads()
    yield
    numba.set_num_threads(before)


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="has one thread alone")
@pytest.mark.usefixtures("threads")
def test_the_number_of_threads_changes_no_bit() -> None:
    x, scans = gaussian(300, 40), []
    for n_threads in (1, 2):
        numba.set_num_threads(n_threads)
        scans.append(scan_pairs(x, n_bins=16384, n_extremes=9, block_rows=32))
    one, two = scans
    assert_same_counts(one, two)
    for metric in METRICS:
        a, b = one.distributions[metric], two.distributions[metric]
        assert np.array_equal(a.power_sums, b.power_sums)
        assert (a.minimum, a.maximum) == (b.minimum, b.maximum)
    for first, second in zip(one.extremes, two.extremes, strict=True):
        assert np.array_equal(first.first, second.first)
        assert np.array_equal(first.cosine, second.cosine)


@pytest.mark.parametrize("block_rows", [1, 13, 32, 60, 61])
def test_the_size_of_a_block_changes_nothing(block_rows: int) -> None:
    x = integers(60, 12)
    whole = scan_pairs(x, n_bins=16384, block_rows=1024)
    assert_same_counts(scan_pairs(x, n_bins=16384, block_rows=block_rows), whole)


def test_parts_add_up_to_the_joint_cloud() -> None:
    x, y = integers(70, 12), 3 * integers(41, 12, seed=1)
    joint = np.concatenate([x, y])
    longest = float(norms(joint).max())
    parts = [
        scan_pairs(*matrices, n_bins=500, largest_norm=longest, block_rows=32)
        for matrices in ([x], [y], [x, y])
    ]
    whole = scan_pairs(joint, n_bins=500)
    for metric in METRICS:
        total = sum(
            (part.distributions[metric] for part in parts[1:]), parts[0].distributions[metric]
        )
        assert np.array_equal(total.counts, whole.distributions[metric].counts)
        expected = whole.distributions[metric].sums_about(0)
        assert total.sums_about(0) == pytest.approx(expected, rel=1e-6)


def test_rotation_changes_no_distance_and_no_angle() -> None:
    x = gaussian(200, 32, mean=0.3)
    rotation = np.linalg.qr(gaussian(32, 32, seed=1).astype(np.float64))[0]
    assert_matches_brute_force(
        scan_pairs((x @ rotation).astype(np.float32), n_bins=1000, largest_norm=50), x
    )


def test_the_order_of_rows_changes_nothing() -> None:
    x = integers(200, 12)
    shuffled = np.random.default_rng(1).permutation(x)
    options = {"n_bins": 1000, "block_rows": 64}
    assert_same_counts(scan_pairs(x, **options), scan_pairs(shuffled, **options))


@pytest.mark.parametrize("factor", [2.0**-40, 0.5, 2.0**40])
def test_scale_changes_no_cosine(factor: float) -> None:
    x = gaussian(200, 12)
    scaled = scan_pairs(x * np.float32(factor), n_bins=16384)
    # Powers of two are exact, and so is all that follows from them.
    assert_same_counts(scaled, scan_pairs(x, n_bins=16384))
    assert scaled.distributions["euclidean_distance"].mean == pytest.approx(
        factor * scan_pairs(x, n_bins=16384).distributions["euclidean_distance"].mean
    )


@pytest.mark.parametrize("dim", [3, 48, 384])
def test_cosines_of_random_directions_follow_their_law(dim: int) -> None:
    cosine = scan_pairs(gaussian(1500, dim), n_bins=200).distributions["cosine"]
    # Any two of these cosines are independent, even where the pairs share a row: the variance
    # of a count is the binomial one, that of the mean 1/dim over the number of pairs.
    assert abs(cosine.mean) < 5 / np.sqrt(dim * cosine.n)
    assert cosine.standard_deviation == pytest.approx(1 / np.sqrt(dim), rel=0.01)
    for n_bins_outside in (40, 80, 90, 95):
        threshold = 1 - n_bins_outside / 100
        outside = cosine.counts[:n_bins_outside].sum() + cosine.counts[-n_bins_outside:].sum()
        expected = cosine.n * float(cosine_tail(threshold, dim))
        assert abs(outside - expected) < 5 * np.sqrt(expected) + 1


def test_copies_of_a_vector_are_at_distance_zero() -> None:
    x = np.repeat(gaussian(3, 100), 4, axis=0)
    distance = scan_pairs(x, n_bins=16384, block_rows=5).distributions["euclidean_distance"]
    assert distance.minimum == 0
    assert distance.counts[0] == 3 * 6


@pytest.mark.parametrize("separation", [1e-4, 1e-2, 0.05, 0.5])
def test_small_distances_keep_their_digits(separation: float) -> None:
    # From the dot product alone, the error would be some 1e-7 / separation.
    x = gaussian(1, 300)
    y = x + np.float32(separation) * gaussian(50, 300, seed=1)
    distance = scan_pairs(x, y, n_bins=10).distributions["euclidean_distance"]
    expected = values_of(x, y)["euclidean_distance"]
    assert distance.minimum == pytest.approx(expected.min(), rel=1e-4)
    assert distance.mean == pytest.approx(expected.mean(), rel=1e-4)


def test_zero_rows_have_distances_and_products_but_no_cosine() -> None:
    x = gaussian(40, 8)
    x[[0, 17, 39]] = 0
    scan = scan_pairs(x, n_bins=1000, block_rows=16)
    assert scan.distributions["dot_product"].n == 40 * 39 // 2
    assert scan.distributions["cosine"].n == 37 * 36 // 2
    assert_matches_brute_force(scan, x)


def test_zero_rows_across() -> None:
    x, y = gaussian(20, 8), gaussian(30, 8, seed=1)
    x[:3], y[5:9] = 0, 0
    scan = scan_pairs(x, y, n_bins=1000, block_rows=16)
    assert scan.distributions["euclidean_distance"].n == 20 * 30
    assert scan.distributions["cosine"].n == 17 * 26
    assert_matches_brute_force(scan, x, y)


def test_zero_rows_alone() -> None:
    scan = scan_pairs(np.zeros((4, 3), dtype=np.float32), n_bins=10, n_extremes=2)
    assert scan.distributions["euclidean_distance"].counts.tolist() == [6] + 9 * [0]
    assert scan.distributions["dot_product"].n == 6
    assert scan.distributions["cosine"].n == 0
    assert all(len(pairs.first) == 0 for pairs in scan.extremes)


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_other_types_are_taken_in_float32(dtype: type) -> None:
    x = gaussian(50, 8).astype(dtype)
    assert_same_counts(scan_pairs(x, n_bins=1000), scan_pairs(x.astype(np.float32), n_bins=1000))


def test_the_matrix_stays_as_it_is() -> None:
    x = gaussian(50, 8)
    x.flags.writeable = False
    scan_pairs(x[::2], n_bins=10)
    assert np.array_equal(x, gaussian(50, 8))


def test_progress_wraps_the_blocks() -> None:
    seen = []

    def progress(blocks: list) -> Iterator:
        seen.append(len(blocks))
        yield from blocks

    scan_pairs(gaussian(50, 8), n_bins=10, block_rows=20, progress=progress)
    scan_pairs(gaussian(50, 8), gaussian(21, 8), n_bins=10, block_rows=20, progress=progress)
    assert seen == [6, 6]


def test_few_blocks_wait_at_a_time() -> None:
    taken = []
    items = (taken.append(item) or item for item in range(1000))
    results = map_in_order(str, items, n_threads=2)
    assert next(results) == "0"
    assert len(taken) < 10
    assert list(results) == [str(item) for item in range(1, 1000)]


def test_a_vocabulary_of_usual_dims() -> None:
    # Several blocks, dims and bins as in use, a twentieth of the rows.
    x = gaussian(1500, 384, mean=0.05)
    scan = scan_pairs(x, n_bins=16384, n_extremes=5)
    assert {metric: scan.distributions[metric].n for metric in METRICS} == dict.fromkeys(
        METRICS, 1500 * 1499 // 2
    )
    cosine = scan.distributions["cosine"]
    # E[cos] -> |m|^2 / (|m|^2 + dim) for N(m, I) in many dimensions.
    assert cosine.mean == pytest.approx(0.05**2 / (0.05**2 + 1), abs=1e-3)
    largest, smallest, _ = scan.extremes
    assert largest.cosine[0] == pytest.approx(cosine.maximum, abs=1e-6)
    assert smallest.cosine[0] == pytest.approx(cosine.minimum, abs=1e-6)


@pytest.mark.parametrize("wanted", [(), ("cosine",), ("dot_product", "euclidean_distance")])
def test_metrics_that_are_not_asked_for(wanted: tuple[str, ...]) -> None:
    x = gaussian(90, 12)
    x[4] = 0
    all_three = scan_pairs(x, n_bins=300, block_rows=32).distributions
    some = scan_pairs(x, n_bins=300, metrics=wanted, block_rows=32).distributions
    assert set(some) == set(wanted)
    for metric in wanted:
        assert np.array_equal(some[metric].counts, all_three[metric].counts)
        assert some[metric].power_sums == pytest.approx(all_three[metric].power_sums, rel=1e-12)
        assert some[metric].minimum == all_three[metric].minimum
        assert some[metric].maximum == all_three[metric].maximum


@pytest.mark.parametrize("n_bins", [None, 100])
@pytest.mark.parametrize("block_rows", [1, 17, 64, None])
def test_largest_cosines(block_rows: int | None, n_bins: int | None) -> None:
    x = gaussian(120, 6)
    x[[0, 50]], x[7] = 0, x[99]
    largest = scan_pairs(x, n_bins=n_bins, largest_cosines=True, block_rows=block_rows)
    assert largest.largest_cosines is not None
    present = x.any(axis=1)
    cosines = unit_rows(x.astype(np.float64)) @ unit_rows(x.astype(np.float64)).T
    np.fill_diagonal(cosines, -np.inf)
    expected = np.where(present, cosines[:, present].max(axis=1), np.nan)
    assert largest.largest_cosines == pytest.approx(expected, abs=1e-6, nan_ok=True)
    assert np.nanmax(largest.largest_cosines) <= 1


@pytest.mark.parametrize("block_rows", [10, 64])
def test_largest_cosines_across_are_those_of_x(block_rows: int) -> None:
    x, y = gaussian(90, 6), gaussian(70, 6, seed=1)
    x[3], y[5] = 0, 0
    scan = scan_pairs(x, y, largest_cosines=True, block_rows=block_rows)
    cosines = unit_rows(x.astype(np.float64)) @ unit_rows(y.astype(np.float64)).T
    expected = np.where(x.any(axis=1), cosines[:, y.any(axis=1)].max(axis=1), np.nan)
    assert scan.largest_cosines == pytest.approx(expected, abs=1e-6, nan_ok=True)


def test_a_row_alone_has_no_largest_cosine() -> None:
    x = np.zeros((3, 4), dtype=np.float32)
    x[1] = 1
    assert np.isnan(scan_pairs(x, largest_cosines=True).largest_cosines).all()
    y = -np.ones((1, 4), dtype=np.float32)
    assert scan_pairs(x[1:2], y, largest_cosines=True).largest_cosines == pytest.approx([-1])


def test_counts_pass_from_32_to_64_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    x = gaussian(300, 8)
    expected = scan_pairs(x, n_bins=50, block_rows=16)
    monkeypatch.setattr(_block_scan, "MOST_COUNTS", 1000)  # some four blocks
    assert_same_counts(scan_pairs(x, n_bins=50, block_rows=16), expected)


def test_blocks_on_the_diagonal_come_first_and_then_those_of_one_row() -> None:
    blocks = blocks_of(100, None, 10, first=37)
    assert len(blocks) == 55
    assert [block.on_diagonal for block in blocks] == [True] * 10 + [False] * 45
    assert all(30 in (block.rows.start, block.columns.start) for block in blocks[10:19])
    steps = [block.columns.start - block.rows.start for block in blocks[19:]]
    assert steps == sorted(steps)


def spoilt(n_rows: int, value: float) -> np.ndarray:
    x = gaussian(10, 3)
    x[:n_rows, 1] = value
    return x


X = gaussian(10, 3)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((X[0],), {}, r"x: expected \(n, dim\), found \(3,\)"),
        ((X[:, :0],), {}, r"x: expected \(n, dim\), found \(10, 0\)"),
        ((X[:1],), {}, "x: expected at least 2 rows, which make a pair, found 1"),
        ((X, X[:0]), {}, "expected rows in x and y, found 10 and 0"),
        ((X, X[:, :2]), {}, "dims differ: x has 3, y has 2"),
        ((spoilt(2, np.nan),), {}, "x: 2 of 10 rows hold NaN or infinity"),
        ((X, spoilt(3, np.inf)), {}, "y: 3 of 10 rows hold NaN or infinity"),
        ((spoilt(1, 1.0).astype(np.float64) * 1e60,), {}, "x: 10 of 10 rows hold NaN"),
        ((spoilt(4, 1e20),), {}, "found 4 of 10 outside"),
        ((X,), {"largest_norm": 0.1}, "largest_norm: 0.1 is less than a norm present"),
        ((X,), {"largest_norm": np.nan}, "largest_norm: nan is less"),
        ((X,), {"n_bins": 0}, "n_bins: expected at least 1, found 0"),
        ((X,), {"n_bins": None, "metrics": ["cosine"]}, "n_bins: expected a number for cosine"),
        ((X,), {"metrics": ["cosinus"]}, r"metrics: expected some of .* found \{'cosinus'\}"),
        ((X,), {"n_extremes": -1}, "n_extremes: expected at least 0, found -1"),
        ((X,), {"block_rows": 0}, "block_rows: expected 1 to 32768, found 0"),
        ((X,), {"groups": np.ones((1, 9), bool)}, r"expected bool \(n_groups, 10\), found bool"),
        ((X,), {"groups": np.ones((1, 10))}, "found float64"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: tuple, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        unchecked_scan_pairs(*arguments, **({"n_bins": 10} | options))


@settings(max_examples=30, deadline=None)
@given(
    shape=st.tuples(st.sampled_from([3, 20, 50]), st.sampled_from([2, 16, 64])),
    dimension=st.sampled_from([0.0, 1.0, 30.0, 300.0, 3e3, 2e4]),
    everywhere=st.sampled_from([0.0, 0.0, 10.0, 1e3]),
    row=st.sampled_from([0.0, 1.0, 100.0, 2e4, 1e6]),
    is_skewed=st.booleans(),
    seed=st.integers(0, 2**16),
)
def test_shape_and_quantiles_are_right_or_empty(
    shape: tuple[int, int],
    dimension: float,
    everywhere: float,
    row: float,
    is_skewed: bool,
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    x = rng.gamma(1, size=shape) if is_skewed else rng.normal(size=shape)
    x[:, 0] += dimension
    x[1] += row
    x = (x + everywhere).astype(np.float32)
    scan = scan_pairs(x, n_bins=2000)
    for metric, values in values_of(x).items():
        distribution, n = scan.distributions[metric], len(values)
        skewness, kurtosis = distribution.skewness, distribution.excess_kurtosis
        if not np.isnan(skewness):
            assert abs(skewness) <= (n - 2) / np.sqrt(n - 1) * (1 + 1e-6)
            assert kurtosis >= skewness**2 - 2 - 1e-5 * (1 + skewness**2)
            assert skewness == pytest.approx(scipy.stats.skew(values), rel=0.01, abs=0.01)
            assert kurtosis == pytest.approx(scipy.stats.kurtosis(values), rel=0.02, abs=0.02)
        # What float32 can tell of so narrow a distribution, with a hundredfold margin, is told.
        assert np.isnan(skewness) <= (values.std() <= 100 * distribution.rounding)
        for q in (0.05, 0.5, 0.95):
            quantile = distribution.quantile(q)
            if np.isnan(quantile):
                assert 2 * distribution.counts.max() > n
                continue
            off = distribution.resolution * (1 + 1e-6) + 1e-5 * np.abs(values).max()
            assert quantile == pytest.approx(np.quantile(values, q, method="inverted_cdf"), abs=off)


def test_a_large_dimension_or_row_leaves_the_kurtosis_of_cosines() -> None:
    x = np.random.default_rng(0).normal(size=(500, 64)).astype(np.float32)
    x[:, 0] += 300
    values = values_of(x)["cosine"]
    cosine = scan_pairs(x, n_bins=2000).distributions["cosine"]
    assert cosine.excess_kurtosis == pytest.approx(scipy.stats.kurtosis(values), abs=0.01)
    assert cosine.skewness == pytest.approx(scipy.stats.skew(values), abs=0.01)
    assert np.isnan(cosine.quantile(0.5))  # all are within a few bins of 1
    x[7] = 2e4
    for metric, values in values_of(x).items():
        distribution = scan_pairs(x, n_bins=2000).distributions[metric]
        expected = scipy.stats.kurtosis(values)
        assert distribution.excess_kurtosis == pytest.approx(expected, rel=0.01)
