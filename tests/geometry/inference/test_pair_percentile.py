import numpy as np
import pytest

from embspace.geometry.inference.pair_percentile import (
    PairPercentile,
    _about_mean,
    _shifts_by_mean,
    percentile_among_pairs,
)
from embspace.geometry.pairs.directions import cosine_matrix


def place(
    pair: np.ndarray, x: np.ndarray, text: np.ndarray, *, centered: bool = False, seed: int = 0
) -> PairPercentile:
    return percentile_among_pairs(
        pair,
        x,
        text,
        centered=centered,
        n_half_samples=200,
        level=0.95,
        rng=np.random.default_rng(seed),
    )


@pytest.fixture
def cloud() -> np.ndarray:
    """Three vectors of each of 300 texts, so that units have several texts."""
    return np.random.default_rng(1).normal(size=(900, 5)) + 0.5


@pytest.mark.parametrize("centered", [False, True])
def test_every_pair_of_different_texts_counts(cloud: np.ndarray, centered: bool):
    text = np.random.default_rng(2).permutation(np.repeat(np.arange(300), 3))
    pair = np.array([[1.0, 0, 0, 2, 1], [2, 1, 0, 0, 0]])
    outcome = place(pair, cloud, text, centered=centered)
    mean = np.concatenate([cloud, pair, pair, pair]).mean(axis=0) * centered
    cosine = cosine_matrix(pair - mean)[0, 1]
    i, j = np.triu_indices(900, k=1)
    others = cosine_matrix(cloud - mean)[i, j][text[i] != text[j]]
    assert outcome.cosine == pytest.approx(cosine)
    assert outcome.n_pairs == len(others) == 300 * 299 // 2 * 9
    assert outcome.n_documents == 300
    assert outcome.percentile == pytest.approx(100 * np.mean(others < cosine), abs=1e-3)
    assert outcome.mean == pytest.approx(others.mean(), abs=1e-6)
    assert outcome.standard_deviation == pytest.approx(others.std(), abs=1e-6)
    assert outcome.z == pytest.approx((cosine - others.mean()) / others.std(), abs=1e-4)
    assert outcome.low < outcome.percentile < outcome.high


def test_equal_cosines_share_the_middle():
    """What all texts share, such as [CLS] before the first block, is neither high nor low."""
    x = np.ones((20, 3), np.float32) + np.float32(1e-8) * np.arange(60).reshape(20, 3)
    outcome = place(x[:2], x, np.arange(20))
    assert outcome.percentile == 50
    # Symmetric, and not certain: another text may differ from all of these.
    assert 0 < outcome.low < 50 < outcome.high < 100
    assert outcome.low == pytest.approx(100 - outcome.high)
    assert np.isnan(outcome.z)
    without_mean = place(x[:2], x, np.arange(20), centered=True)
    assert np.isnan([without_mean.cosine, without_mean.percentile]).all()
    assert without_mean.n_pairs == 0


def test_one_text_again_is_above_all_pairs_and_that_is_not_certain():
    x = np.random.default_rng(3).normal(size=(40, 6))
    same, opposite = (
        place(x[[0, 0]], x, np.arange(40)),
        place(x[:1] * [[1], [-1]], x, np.arange(40)),
    )
    assert (same.cosine, same.percentile, same.high) == (pytest.approx(1), 100, 100)
    assert (opposite.percentile, opposite.low) == (0, 0)
    assert 80 < same.low < 97
    assert same.low == pytest.approx(100 - opposite.high, abs=1)


def test_lengths_and_turns_change_nothing(cloud: np.ndarray):
    text, rng = np.arange(900) // 3, np.random.default_rng(4)
    turn = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    as_is = place(cloud[[0, 5]], cloud, text)
    other = place(cloud[[0, 5]] @ turn * 3, cloud @ turn * rng.uniform(1, 9, (900, 1)), text)
    assert other.percentile == pytest.approx(as_is.percentile, abs=1e-3)
    assert other.low == pytest.approx(as_is.low, abs=1e-2)
    moved = place(cloud[[0, 5]] + 7, cloud + 7, text, centered=True)
    assert moved.percentile == pytest.approx(
        place(cloud[[0, 5]], cloud, text, centered=True).percentile, abs=1e-3
    )


def test_too_few_texts_have_no_interval_and_no_text_no_percentile():
    x = np.random.default_rng(5).normal(size=(3, 4))
    few = place(x[:2], x, np.arange(3))
    assert np.isfinite(few.percentile)
    assert np.isnan([few.low, few.high]).all()
    for some in (0, 1):
        none = place(x[:2], x[:some], np.arange(some))
        assert np.isnan(none.percentile)
        assert np.isfinite(none.cosine)
    assert place(x[:2], np.zeros((5, 4)), np.arange(5)).n_pairs == 0


@pytest.mark.parametrize("centered", [False, True])
def test_intervals_hold_what_more_texts_would_say(centered: bool):
    rng, dim, n = np.random.default_rng(6), 8, 40
    center = np.eye(dim)[0]
    first, second = rng.normal(size=(2, 200_000, dim)) + (0 if centered else center)
    products = np.einsum("ij,ij->i", first, second)
    all_pairs = products / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1)
    pair = center + np.array([[1.0, 1, 0, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0, 0]])
    truth = 100 * np.mean(all_pairs < cosine_matrix(pair - center * centered)[0, 1])
    n_hold = 0
    for seed in range(60):
        x = rng.normal(size=(n, dim)) + center
        outcome = place(pair, x, np.arange(n), centered=centered, seed=seed)
        n_hold += outcome.low <= truth <= outcome.high
    assert n_hold >= 51  # of 57 expected


def planted(n: int, higher: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """Texts at right angles but for some pairs, and two vectors whose cosine these exceed."""
    x = np.eye(n)
    for i, j in higher:
        x[j] += 2 * x[i]
    return np.eye(n)[:2] + [[0, 0.2] + [0] * (n - 2), [0.0] * n], x


def test_at_the_edge_and_just_below_it_there_is_one_rule():
    lows = []
    for n_higher in range(4):
        pair, x = planted(40, [(2 * i + 10, 2 * i + 11) for i in range(n_higher)])
        outcome = place(pair, x, np.arange(40))
        assert outcome.percentile == pytest.approx(100 * (1 - n_higher / 780))
        assert outcome.low <= outcome.percentile <= outcome.high == 100
        lows.append(outcome.low)
    assert np.abs(np.diff(lows)).max() < 1  # of 100: what one pair of 780 may move


@pytest.mark.parametrize("share_of_texts", [0.0, 0.01, 0.03, 0.06])
def test_intervals_hold_near_the_edge_also_if_single_texts_make_it(share_of_texts: float):
    """Each of a share of texts has a higher cosine with all others; of the rest, no pair has."""
    rng, n, n_drawn, n_hold = np.random.default_rng(8), 30, 100, 0
    truth = 100 * (1 - share_of_texts) ** 2
    pair = np.zeros((2, n + 1))
    pair[:, :2] = [[1, 0], [0.3, np.sqrt(0.91)]]
    for seed in range(n_drawn):
        x = np.hstack([np.full((n, 1), 0.5), np.eye(n)])  # two of these have a cosine of 0.2
        x[rng.random(n) < share_of_texts] = np.eye(n + 1)[0]  # and with one of these of 0.45
        outcome = place(pair, x, np.arange(n), seed=seed)
        n_hold += outcome.low <= truth <= outcome.high
    assert n_hold >= 93  # of 95 expected


def test_a_half_moves_the_percentile_as_far_as_its_own_mean_does():
    rng = np.random.default_rng(7)
    text = np.arange(36) // 3
    rows = _about_mean(rng.normal(size=(2, 4)) + 1, rng.normal(size=(36, 4)) + 1, text, True)
    i, j = np.triu_indices(36, k=1)
    apart = rows.text[i] != rows.text[j]

    def share_about(mean: np.ndarray) -> float:
        cosines = cosine_matrix(rows.x - mean)[i, j][apart]
        return float(np.mean(cosines < cosine_matrix(rows.pair - mean)[0, 1]))

    chosen = rng.random((5, 12)) < 0.5
    weighted = rows.x / 3  # three rows a text
    means = [
        (weighted[half[rows.unit]].sum(axis=0) + rows.pair.sum(axis=0)) / (half.sum() + 2)
        for half in chosen
    ]
    expected = np.array([share_about(mean) for mean in means]) - share_about(np.zeros(4))
    assert _shifts_by_mean(rows, chosen, rng) == pytest.approx(expected, abs=1e-12)
    assert np.abs(expected).max() > 0.01
