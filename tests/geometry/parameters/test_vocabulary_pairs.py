"""Tests of `embspace.geometry.parameters.vocabulary_pairs`."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from embspace.geometry.parameters import vocabulary_pairs
from embspace.geometry.parameters.vocabulary_pairs import (
    _Best,
    _side,
    equal_pairs,
    n_pairs_above,
    token_factor,
    top_pairs,
)

ALL = {"classes": None, "tokens": None}


SIZES = ("BLOCK_ROWS", "BLOCK_COLUMNS", "FIRST_ROWS", "FIRST_COLUMNS", "MANY")


@pytest.fixture(autouse=True, params=[True, False], ids=["rough", "single"])
def rough(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor that is fast at numbers of 16 bits, and one that is not."""
    monkeypatch.setattr(vocabulary_pairs, "rough_is_faster", lambda: request.param)


@pytest.fixture(autouse=True, params=[(1024, 8192, 128, 2048, 1 << 16), (7, 5, 4, 3, 11)])
def blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One block, and many, which have more candidates than are looked at at once."""
    for name, size in zip(SIZES, request.param, strict=True):
        monkeypatch.setattr(vocabulary_pairs, name, size)
    yield


def factors(n: int = 40, rank: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    lengths = rng.exponential(size=(2, n, 1))
    return tuple((lengths * rng.normal(size=(2, n, rank))).astype(np.float32))


def small_integers(n: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Factors whose scores are often tied."""
    return tuple(np.random.default_rng(1).integers(-2, 3, (2, n, 3)).astype(np.float32))


def brute_force(x, y, n_pairs, order, classes=None, tokens=None) -> list[tuple[int, int]]:
    scores = x.astype(np.float64) @ y.astype(np.float64).T
    sign = -1 if order == "largest" else 1
    allowed = range(len(x)) if tokens is None else tokens
    pairs = [
        (sign * scores[i, j], i, j)
        for i, j in product(allowed, allowed)
        if classes is None or classes[i] != classes[j] or classes[i] < 0
    ]
    return [(i, j) for _, i, j in sorted(pairs)[:n_pairs]]


def listed(pairs) -> list[tuple[int, int]]:
    return list(zip(pairs.rows.tolist(), pairs.columns.tolist(), strict=True))


@pytest.mark.parametrize("order", ["largest", "smallest"])
@pytest.mark.parametrize("made", [factors, small_integers])
@pytest.mark.parametrize("n_pairs", [1, 20, 300, 5000])
def test_top_pairs_are_those_of_brute_force(made, n_pairs, order):
    x, y = made()
    pairs = top_pairs(x, y, n_pairs=n_pairs, order=order, **ALL)
    assert listed(pairs) == brute_force(x, y, n_pairs, order)
    assert pairs.scores == pytest.approx((x[pairs.rows] * y[pairs.columns]).sum(1), rel=1e-4)


@pytest.mark.parametrize("made", [factors, small_integers])
@pytest.mark.parametrize("n_pairs", [1, 20, 5000])
def test_equal_pairs_are_left_out_and_others_kept(made, n_pairs):
    x, y = made()
    classes = np.random.default_rng(2).integers(-1, 12, len(x))
    tokens = np.random.default_rng(3).permutation(len(x))[:25]
    pairs = top_pairs(x, y, n_pairs=n_pairs, order="largest", classes=classes, tokens=tokens)
    assert listed(pairs) == brute_force(x, y, n_pairs, "largest", classes, sorted(tokens))


def test_top_pairs_and_equal_pairs_together_are_all_pairs():
    x, y = small_integers()
    classes = np.random.default_rng(2).integers(-1, 12, len(x))
    other = top_pairs(x, y, n_pairs=30, order="largest", classes=classes, tokens=None)
    equal = equal_pairs(x, y, classes=classes)
    assert len(equal.rows) == sum(
        a == b >= 0 for a, b in product(classes.tolist(), classes.tolist())
    )
    whole = top_pairs(x, y, n_pairs=30, order="largest", **ALL)
    assert listed(other.merged(equal, 30)) == listed(whole)


def test_the_transposed_form_has_rows_and_columns_exchanged():
    x, y = small_integers()
    pairs = top_pairs(x, y, n_pairs=1600, order="largest", **ALL).transposed()
    assert listed(pairs) == listed(top_pairs(y, x, n_pairs=1600, order="largest", **ALL))


def test_any_change_of_basis_between_the_factors_changes_nothing():
    x, y = factors()
    turned = [
        (x @ np.diag([2.0, 4.0, 0.5])).astype(np.float32),
        (y @ np.diag([0.5, 0.25, 2.0])).astype(np.float32),
    ]
    pairs = top_pairs(*turned, n_pairs=50, order="largest", **ALL)
    assert listed(pairs) == brute_force(x, y, 50, "largest")


def test_what_float32_does_not_tell_apart_is_told_apart():
    # The sum of 1 and 2^-30 is 1 in float32.
    x = np.array([[1, 0], [1, 2.0**-15], [1, 0]], dtype=np.float32)
    y = np.array([[1, 0], [1, 2.0**-15], [0, 0]], dtype=np.float32)
    pairs = top_pairs(x, y, n_pairs=1, order="largest", **ALL)
    assert listed(pairs) == [(1, 1)] and pairs.scores[0] == 1 + 2.0**-30


@pytest.mark.parametrize("n_pairs", [1, 25])
@pytest.mark.parametrize("scale", [2.0**-100, 2.0**-30, 2.0**30, 2.0**60])
def test_top_pairs_of_very_small_and_very_large_vectors(n_pairs, scale):
    x, y = factors(n=60, rank=8)
    x[5], y[9] = 0, 0
    small, large = (scale * x).astype(np.float32), y
    pairs = top_pairs(small, large, n_pairs=n_pairs, order="largest", **ALL)
    assert listed(pairs) == brute_force(small, large, n_pairs, "largest")


def test_top_pairs_where_all_vectors_are_alike_are_the_first():
    x = np.ones((70, 5), dtype=np.float32)
    pairs = top_pairs(x, x, n_pairs=80, order="largest", **ALL)
    assert listed(pairs) == [*product([0], range(70)), *product([1], range(10))]


def test_a_form_that_is_0_has_no_top_pairs():
    x, y = factors()
    assert not len(top_pairs(0 * x, y, n_pairs=9, order="largest", **ALL).rows)
    assert not len(top_pairs(x[:0], y[:0], n_pairs=9, order="largest", **ALL).rows)


@pytest.mark.parametrize("made", [factors, small_integers])
@pytest.mark.parametrize("threshold", [-1.0, 0.0, 2.0, 100.0])
def test_pairs_above_a_threshold_are_counted(made, threshold):
    x, y = made()
    scores = x.astype(np.float64) @ y.astype(np.float64).T
    assert n_pairs_above(x, y, threshold) == (scores > threshold).sum()


def test_roundings_that_all_go_one_way_hide_no_pair():
    # Added one by one to 1, each of 63 halves of the last digit of float32 is lost.
    x = np.full((64, 64), 2.0**-12, dtype=np.float32)
    x[:, 0] = 1
    assert n_pairs_above(x, x, 1 + 40 * 2.0**-24) == 64**2
    assert n_pairs_above(x, x, 1 + 63 * 2.0**-24) == 0


def test_a_score_that_rounding_made_smaller_is_looked_at_again():
    x, y = np.zeros((2, 2, 24), dtype=np.float32)
    x[:, 0], y[:, 0] = 1, 2.0**20
    x[1, 1], y[1, 1] = 2.0**-10, 2.0**10
    left, right = _side(x, None, None), _side(y, None, None)
    assert left.numbers.tolist() == right.numbers.tolist() == [1, 0]  # the longest first
    best = _Best(1, left, right, -np.inf)
    best.offer(np.array([1]), slice(1, 2), np.array([[2.0**20]], dtype=np.float32))
    # Its score is 2^20 + 1, of which 24 sums of float32 may lose more than 1.
    best.offer(np.array([0]), slice(0, 1), np.array([[2.0**20 - 0.5]], dtype=np.float32))
    assert (best.rows.tolist(), best.columns.tolist()) == ([1], [1])
    assert best.scores.tolist() == [2.0**20 + 1]


def test_a_planted_pair_is_the_top_one():
    embedding = np.random.default_rng(0).normal(size=(200, 60))
    unit = embedding / np.linalg.norm(embedding, axis=1, keepdims=True)
    x = token_factor(embedding, unit[[17]].T)
    y = token_factor(embedding, unit[[93]].T)
    pairs = top_pairs(x, y, n_pairs=1, order="largest", **ALL)
    assert listed(pairs) == [(17, 93)]
    assert x[:, 0] == pytest.approx(embedding @ unit[17], rel=1e-6)


def test_vocabularies_and_widths_that_do_not_fit_are_refused():
    x, y = factors()
    with pytest.raises(ValueError, match="y: expected 40 tokens, as x has, found 39"):
        top_pairs(x, y[:-1], n_pairs=1, order="largest", **ALL)
    with pytest.raises(ValueError, match="classes: expected 40 tokens, as x has, found 3"):
        top_pairs(x, y, n_pairs=1, order="largest", classes=np.arange(3), tokens=None)
    with pytest.raises(ValueError, match="y: expected rank 3, as x has, found 2"):
        n_pairs_above(x, y[:, :2], 0.0)
    with pytest.raises(ValueError, match="factor: expected 3 rows, one a dimension, found 2"):
        token_factor(x, y[:2])
