import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import roc_auc_score

from embspace.geometry.groups.held_out_scores import held_out_scores, wins_by_stratum


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
    found = [
        auc(held_out_scores(x, label[:, None].astype(float), f, ridge=0.01)[:, 0], label, f)
        for f in (together, apart)
    ]
    assert found[0] < 0.75 < 0.95 < found[1]


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
