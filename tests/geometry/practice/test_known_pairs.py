import numpy as np
import pytest

from embspace.geometry.practice.known_pairs import (
    JudgedPairs,
    held_out_threshold,
    judged_pairs,
    precision_and_recall,
)


def planted(n: int, noise: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vectors of which the second half repeats the first with noise, who is the same, units."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 20))
    x = np.concatenate([x, x + noise * rng.normal(size=x.shape)])
    unit = np.tile(np.arange(n), 2)
    return x, unit[:, None] == unit, unit


def judged(n: int = 60, noise: float = 0.5, seed: int = 0) -> JudgedPairs:
    x, same, unit = planted(n, noise, seed)
    return judged_pairs(x, np.arange(len(x)), same, unit)


def test_the_curve_is_that_of_scikit_learn():
    from sklearn.metrics import precision_recall_curve

    pairs = judged()
    truth = np.repeat([1, 0], [len(pairs.same), len(pairs.other)])
    precision, recall, thresholds = precision_recall_curve(
        truth, np.concatenate([pairs.same, pairs.other])
    )
    curve = precision_and_recall(pairs, len(pairs.same), len(pairs.other), thresholds)
    assert curve.precision == pytest.approx(precision[:-1])
    assert curve.recall == pytest.approx(recall[:-1])


def test_a_larger_collection_has_a_lower_precision():
    pairs = judged(noise=1.0)
    at = np.array([0.5])
    small = precision_and_recall(pairs, 60, 7000, at)
    large = precision_and_recall(pairs, 600, 700_000, at)
    assert large.precision[0] < small.precision[0]
    assert large.recall[0] == small.recall[0]


def test_the_threshold_of_a_wanted_precision_keeps_it_on_the_other_half():
    threshold = held_out_threshold(judged(200, 0.7), 0.9, n_splits=20, rng=np.random.default_rng(0))
    assert (threshold.n_reached, threshold.n_halves) == (40, 40)
    assert threshold.precision.low > 0.65 and threshold.precision.value == pytest.approx(
        0.9, abs=0.06
    )
    assert 0.3 < threshold.recall.value < 1
    assert threshold.threshold.low <= threshold.threshold.value <= threshold.threshold.high


def test_same_pairs_that_are_alike_by_chance_alone_have_no_threshold():
    rng = np.random.default_rng(0)
    x, unit = rng.normal(size=(120, 20)), np.tile(np.arange(60), 2)
    pairs = judged_pairs(x, np.arange(120), unit[:, None] == unit, unit)
    threshold = held_out_threshold(pairs, 0.9, n_splits=20, rng=rng)
    assert threshold.n_reached <= 0.1 * threshold.n_halves or not threshold.precision.value > 0.5


def test_rows_without_direction_and_of_one_document_make_no_pair():
    x, same, unit = planted(10, 0.5, 0)
    x[0] = 0
    pairs = judged_pairs(x, np.arange(20), same, unit)
    assert (len(pairs.same), len(pairs.other)) == (9, 19 * 18 // 2 - 9)
    joined = judged_pairs(x, np.repeat([0, 1], 10), np.zeros((20, 20), bool), unit)
    assert (len(joined.same), len(joined.other)) == (0, 9 * 10)


def test_without_a_same_pair_there_is_none():
    x = np.random.default_rng(0).normal(size=(10, 4))
    pairs = judged_pairs(x, np.arange(10), np.zeros((10, 10), bool), np.arange(10))
    threshold = held_out_threshold(pairs, 0.9, n_splits=3, rng=np.random.default_rng(0))
    assert threshold.n_halves == 0 and np.isnan(threshold.threshold.value)
