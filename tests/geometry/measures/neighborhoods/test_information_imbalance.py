"""Holds the information imbalance to DADApy, to known views, and to its definition."""

from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import embspace.geometry.measures.neighborhoods.information_imbalance as module
from embspace.geometry.measures.neighborhoods.information_imbalance import information_imbalance
from tests.geometry.dadapy_reference import CLOUDS, N_OF_VIEWS, VIEWS, kept


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def both_ways(x: np.ndarray, y: np.ndarray, *, k: int = 1) -> tuple[float, float]:
    """The plane of Glielmo et al. (2022): forth and back."""
    return information_imbalance(x, y, k=k), information_imbalance(y, x, k=k)


@pytest.mark.parametrize("name", VIEWS)
def test_dadapy_finds_the_same(name: str) -> None:
    x = CLOUDS[name]()[:N_OF_VIEWS]
    for k, expected in kept()[name]["imbalances"].items():
        imbalances = both_ways(x, x[:, :1], k=int(k))
        assert imbalances == pytest.approx(expected, rel=1e-9)


def by_definition(x: np.ndarray, y: np.ndarray, k: int) -> float:
    n, x_distances, y_distances = len(x), cdist(x, x), cdist(y, y)
    ranks = []
    for i in range(n):
        others = [j for j in range(n) if j != i]
        nearest = sorted(others, key=lambda j: x_distances[i, j])[:k]
        ranks += [
            1 + sum(y_distances[i, other] < y_distances[i, j] for other in others) for j in nearest
        ]
    return float(np.mean(ranks) * 2 / n)


@pytest.mark.parametrize("k", [1, 3, 40])
def test_it_is_what_the_formula_says_over_several_blocks(
    k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BLOCK_ROWS", 17)
    x, y = rng().normal(size=(60, 4)), rng(1).normal(size=(60, 7))
    y[:, :2] += 3 * x[:, :2]
    assert information_imbalance(x, y, k=k) == pytest.approx(by_definition(x, y, k))


@pytest.mark.parametrize("k", [1, 5])
def test_a_view_of_the_same_distances_has_the_least_imbalance(k: int) -> None:
    x = rng().normal(size=(100, 3))
    turned = 3 * x @ np.linalg.qr(rng(1).normal(size=(3, 3)))[0] + 7
    assert both_ways(x, turned, k=k) == pytest.approx(((k + 1) / 100,) * 2)


@pytest.mark.parametrize("seed", range(3))
def test_independent_views_have_one(seed: int) -> None:
    x, y = rng(seed).normal(size=(1000, 5)), rng(seed + 10).normal(size=(1000, 5))
    # Ranks are even over n - 1, so that the mean of 1,000 scatters by 2 / sqrt(12 n).
    assert both_ways(x, y) == pytest.approx((1, 1), abs=4 * 2 / np.sqrt(12e3))


def test_the_absolute_value_holds_half_of_a_number() -> None:
    """Known: every second neighbor by |x| lies on the other side, where its mean rank is 2n/3."""
    clouds = [rng(seed).uniform(-1, 1, size=(1000, 1)) for seed in range(5)]
    imbalances = np.array([both_ways(x, np.abs(x)) for x in clouds])
    assert imbalances[:, 0].max() < 0.005
    assert imbalances[:, 1].mean() == pytest.approx(2 / 3, abs=0.04)


def coarser_copies() -> dict[str, Any]:
    x = rng(2).normal(size=(800, 4))
    return {
        "without two coordinates": (x, x[:, :2]),
        "rounded": (x, np.round(x)),
        "its signs": (x, np.sign(x)),
        "of groups": (x, np.repeat(np.eye(8), 100, axis=0)[np.argsort(np.argsort(x[:, 0]))]),
        "turned and rounded": (x, np.round(x) @ np.linalg.qr(rng(3).normal(size=(4, 4)))[0]),
    }


@pytest.mark.parametrize("name", coarser_copies())
def test_the_coarser_of_two_copies_is_found(name: str) -> None:
    fine, coarse = coarser_copies()[name]
    forth, back = both_ways(fine, coarse)
    assert forth < 0.7 * back


def test_dadapy_takes_a_rounded_copy_for_the_finer_one() -> None:
    """It ranks equal distances in the order of its sort; by ours the copy is the coarser one."""
    x = CLOUDS["Gaussian of 20"]()[:N_OF_VIEWS, :4]
    theirs_forth, theirs_back = kept()["Gaussian of 20"]["imbalances_with_rounded"]
    forth, back = both_ways(x, np.round(x))
    assert theirs_forth > 1.2 * theirs_back
    assert forth < 0.7 * back


def test_a_view_that_tells_none_apart_says_nothing_and_is_known() -> None:
    x, same = rng().normal(size=(50, 3)), np.ones((50, 2)) / 3
    for k in (1, 7):
        assert both_ways(x, same, k=k) == pytest.approx((2 / 50, 1))
        assert information_imbalance(same, same, k=k) == pytest.approx(2 / 50)


def test_equal_distances_have_the_first_rank_and_share_places() -> None:
    # From each corner of a square two others are as near: of y, 1 is the nearest, 3 the farthest.
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    line = np.array([[0.0], [1.0], [3.0], [7.0]])
    ranks = [(1 + 3) / 2, (1 + 2) / 2, (1 + 3) / 2, (3 + 1) / 2]
    assert information_imbalance(square, line) == pytest.approx(np.mean(ranks) / 2)
    assert information_imbalance(square, line, k=3) == pytest.approx(1)
    # From the line's ends to a neighbor and to the corner opposite: first, first, first, first.
    assert information_imbalance(line, square) == pytest.approx(1 / 2)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_far_and_large_views_are_measured_alike(scale: float) -> None:
    x, y = rng().normal(size=(100, 3)), rng(1).normal(size=(100, 3))
    expected = information_imbalance(x, x + y)
    assert information_imbalance(scale * x, scale * (x + y)) == pytest.approx(expected)
    assert information_imbalance(x + 1e3, x + y - 1e3) == pytest.approx(expected)


def test_what_is_no_other_view_is_refused() -> None:
    x = rng().normal(size=(5, 2))
    with pytest.raises(ValueError, match=r"other: expected 5 vectors.*found \(4, 2\)"):
        information_imbalance(x, x[:4])
    with pytest.raises(ValueError, match="other: expected vectors.*found str"):
        information_imbalance(x, "x")
    with pytest.raises(ValueError, match="NaN or infinity in row 0"):
        information_imbalance(x, np.full((5, 2), np.nan))
    for k in (0, 5):
        with pytest.raises(ValueError, match=f"k: expected 1 to 4, the other vectors, found {k}"):
            information_imbalance(x, x, k=k)


def test_all_other_vectors_may_be_neighbors() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 5, 2))
    # Ranks 1 to 4 of all, of which the mean is 2.5.
    assert information_imbalance(x, y, k=4) == pytest.approx(1)
    assert information_imbalance(x, x, k=1) == pytest.approx(2 / 5)
    for k in (0, 5):
        with pytest.raises(ValueError, match=f"k: expected 1 to 4, the other vectors, found {k}"):
            information_imbalance(x, y, k=k)
