import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls
from sklearn.linear_model import Ridge
from sklearn.metrics import roc_auc_score

from embspace.geometry.groups.held_out_scores import (
    held_out_scores,
    linearly_separable,
    wins_by_stratum,
)
from embspace.geometry.maps.links import circle_pair


def auc(scores: np.ndarray, labels: np.ndarray, strata: np.ndarray) -> float:
    wins, n_pairs = wins_by_stratum(scores, labels, strata)
    return float(wins.sum() / n_pairs.sum())


def test_scores_are_those_of_scikit_learns_ridge_on_the_other_folds():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 5)) * [1, 2, 3, 4, 5] + 100
    labels = rng.integers(2, size=(80, 3)).astype(np.float64)
    folds = rng.permutation(80) % 4
    scores = held_out_scores(x, labels, folds, ridge=0.1)
    for fold in range(4):
        train, test = folds != fold, folds == fold
        strength = 0.1 * x[train].var(axis=0).mean() * train.sum()
        model = Ridge(alpha=strength).fit(x[train], labels[train])
        expected = model.predict(x[test])
        # Up to a constant, which an area under a curve does not see.
        assert scores[test] - scores[test].mean(axis=0) == pytest.approx(
            expected - expected.mean(axis=0), abs=1e-9
        )


def test_nothing_to_learn_and_everything():
    rng = np.random.default_rng(1)
    label = np.arange(600) % 2 == 0
    folds, one = np.arange(600) // 2 % 5, np.zeros(600, dtype=int)
    x = rng.normal(size=(600, 20))
    apart = x + 10 * label[:, None]
    for vectors, low, high in ((x, 0.4, 0.6), (apart, 1, 1)):
        scores = held_out_scores(vectors, label[:, None].astype(float), folds, ridge=0.01)
        assert low <= auc(scores[:, 0], label, folds) <= high
    assert auc(rng.normal(size=600), label, one) == pytest.approx(0.5, abs=0.08)


def test_a_copy_in_another_fold_gives_its_label_away_and_one_in_the_same_fold_does_not():
    # As many dimensions as rows: ridge can learn each row by heart.
    rng = np.random.default_rng(2)
    x = np.repeat(rng.normal(size=(60, 100)), 2, axis=0)
    label = np.repeat(rng.integers(2, size=60) == 1, 2)
    together, apart = np.arange(120) // 2 % 5, np.arange(120) % 5
    scores = [
        auc(held_out_scores(x, label[:, None].astype(float), f, ridge=0.01)[:, 0], label, f)
        for f in (together, apart)
    ]
    assert scores[0] < 0.75 < 0.95 < scores[1]


def test_equal_rows_score_alike():
    scores = held_out_scores(np.full((8, 3), 7.3), np.eye(8)[:, :1], np.arange(8) % 2, ridge=0.1)
    assert (scores == 0).all()


def test_wins_are_the_area_under_the_curve_with_ties():
    rng = np.random.default_rng(3)
    scores, label = rng.integers(5, size=200).astype(float), rng.integers(2, size=200) == 1
    one = np.zeros(200, dtype=int)
    assert auc(scores, label, one) == pytest.approx(roc_auc_score(label, scores))


def test_pairs_are_of_one_stratum():
    scores = np.array([1.0, 2.0, 30.0, 40.0, 5.0])
    label = np.array([False, True, True, False, True])
    wins, n_pairs = wins_by_stratum(scores, label, np.array([4, 4, 7, 7, 9]))
    assert wins.tolist() == [1, 0, 0]
    assert n_pairs.tolist() == [1, 1, 0]


def test_what_the_stratum_says_is_no_win():
    # The score is the stratum and noise; within a stratum it knows nothing.
    rng = np.random.default_rng(4)
    strata = rng.integers(20, size=2000)
    label = rng.random(2000) < strata / 20
    scores = strata + 0.1 * rng.normal(size=2000)
    assert auc(scores, label, 0 * strata) > 0.8
    assert auc(scores, label, strata) == pytest.approx(0.5, abs=0.05)


def cloud(n: int, dim: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dim))


def test_clouds_on_either_side_of_a_plane_are_separable_however_near():
    x, step, mirror = cloud(50, 3, 0), np.array([1e-3, 0, 0]), np.array([-1, 1, 1])
    x[:, 0] -= x[:, 0].min()
    assert linearly_separable(x + step, (x + step) * mirror)
    # Whatever lies on the mirror is in both hulls.
    assert not linearly_separable(x, x * mirror)
    assert not linearly_separable(x - step, (x - step) * mirror)


def test_a_point_inside_the_other_cloud_cannot_be_parted():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=float)
    assert not linearly_separable(square, np.array([[0.5, 0.5]]))
    assert linearly_separable(square, np.array([[1.001, 0.5]]))
    assert not linearly_separable(square, square[:1])


def test_a_ring_round_another_is_not_separable_nor_are_linked_circles():
    a, _ = circle_pair(40, center_distance=0.0, angle=75)
    assert not linearly_separable(a[:, :2], 2 * a[:, :2])
    assert not linearly_separable(*circle_pair(40, center_distance=1.0, angle=75))
    assert linearly_separable(*circle_pair(40, center_distance=3.0, angle=75))


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 12), st.integers(2, 12), st.integers(1, 4), st.integers(0, 10**6))
def test_agrees_with_whether_the_convex_hulls_meet(n: int, m: int, dim: int, seed: int):
    x, y = cloud(n, dim, seed), cloud(m, dim, seed + 1) + 1
    # Weights of both hulls, not negative, of sum 1 each, with one point in common.
    equations = np.block([[x.T, -y.T], [np.ones(n), np.zeros(m)], [np.zeros(n), np.ones(m)]])
    wanted = np.append(np.zeros(dim), [1, 1])
    weights, _ = nnls(equations, wanted)  # SciPy 1.15 returns a wrong residual
    assert linearly_separable(x, y) == (np.linalg.norm(equations @ weights - wanted) > 1e-9)


def test_scale_and_place_change_nothing():
    x, y = cloud(20, 2, 0), cloud(20, 2, 1) + [5, 0]
    for scale in (1e-8, 1.0, 1e8):
        assert linearly_separable(scale * x + 1e3 * scale, scale * y + 1e3 * scale)
        assert not linearly_separable(scale * x, scale * (y - [5, 0]))


def test_no_points_are_refused():
    with pytest.raises(ValueError, match="found 0 and 2"):
        linearly_separable(np.zeros((0, 2)), np.zeros((2, 2)))
