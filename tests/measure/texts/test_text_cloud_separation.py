import numpy as np
import pandas as pd
import pytest

from embspace.geometry.pairs.group_pairs import GroupedVectors
from embspace.measure.texts.text_cloud_separation import (
    Comparison,
    auc,
    between_share,
    comparisons_of,
    folds_of,
    separation_row,
    separation_table,
    spread,
)


def windows(documents: np.ndarray, n_tokens: np.ndarray | int = 10) -> pd.DataFrame:
    return pd.DataFrame({"document_number": documents, "n_tokens": n_tokens})


def cloud(x: np.ndarray, documents: np.ndarray) -> GroupedVectors:
    return GroupedVectors.of(x, documents, documents)


def measured(x, y, of_x, of_y, lengths_x=10, lengths_y=10, seed: int = 0) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    about = Comparison.of(
        windows(of_x, lengths_x), windows(of_y, lengths_y), n_folds=5, n_shuffles=20, rng=rng
    )
    return separation_row(cloud(x, of_x), cloud(y, of_y), about, ridge=0.01, level=0.9)


def test_clouds_far_apart_are_told_apart():
    rng = np.random.default_rng(0)
    found = measured(
        rng.normal(size=(60, 5)), rng.normal(size=(80, 5)) + 9, np.arange(60), np.arange(60, 140)
    )
    assert found["auc"] == found["equal_length_auc"] == 1
    assert found["auc_standard_deviation"] == 0
    assert found["between_corpora_share"] == pytest.approx(81 / 4 / (81 / 4 + 1), rel=0.05)
    assert found["null_auc_low"] < 0.5 < found["null_auc_high"]
    assert (found["n"], found["n_other"], found["n_shared_documents"]) == (60, 80, 0)


def test_one_cloud_in_two_halves_is_not_told_apart():
    rng = np.random.default_rng(1)
    found = measured(*rng.normal(size=(2, 200, 8)), np.arange(200), np.arange(200, 400))
    assert found["null_auc_low"] - 0.05 < found["auc"] < found["null_auc_high"] + 0.05
    assert found["between_corpora_share"] < 0.02
    assert found["length_auc"] == 0.5


def test_documents_with_a_mark_of_their_own_do_not_help_on_others():
    # Every document has a direction: a row of a known document would be told by it.
    rng = np.random.default_rng(2)
    documents = np.repeat(np.arange(40), 6)
    x = 5 * rng.normal(size=(40, 60))[documents] + rng.normal(size=(240, 60))
    first = documents < 20
    found = measured(x[first], x[~first], documents[first], documents[~first])
    assert abs(found["auc"] - 0.5) < 0.3
    assert found["null_auc_high"] > 0.6  # whole documents changed sides: as unsure as the data


def test_what_only_length_tells_is_not_told_at_equal_length():
    rng = np.random.default_rng(3)
    lengths = rng.integers(5, 15, size=400) + np.repeat([4, 0], 200)
    x = rng.normal(size=(400, 4))
    x[:, 0] += lengths
    documents = np.arange(400)
    found = measured(
        x[:200], x[200:], documents[:200], documents[200:], lengths[:200], lengths[200:]
    )
    assert found["auc"] > 0.7
    assert found["length_auc"] == pytest.approx(found["auc"], abs=0.08)
    assert found["equal_length_auc"] == pytest.approx(0.5, abs=0.08)
    assert found["n_equal_length_pairs"] > 300


def test_lengths_that_never_meet_leave_nothing_to_compare():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(40, 3))
    found = measured(x[:20], x[20:], np.arange(20), np.arange(20, 40), 300, 20)
    assert found["length_auc"] == 1
    assert np.isnan(found["equal_length_auc"])
    assert found["n_equal_length_pairs"] == 0


def test_equal_vectors_are_not_told_apart():
    found = measured(np.ones((20, 3)), np.ones((20, 3)), np.arange(20), np.arange(20, 40))
    assert found["auc"] == 0.5
    assert np.isnan(found["between_corpora_share"])


def test_a_document_lies_in_one_fold_and_folds_are_alike():
    documents = np.concatenate([np.arange(20), np.repeat(np.arange(20), 3), np.arange(20, 60)])
    is_first = np.arange(len(documents)) < 20
    folds = folds_of(is_first, documents, 5, np.random.default_rng(0))
    for document in range(60):
        assert len(set(folds[documents == document])) == 1
    assert np.bincount(folds[is_first]).tolist() == [4] * 5
    assert np.bincount(folds[documents >= 20]).tolist() == [8] * 5


def test_a_row_for_each_two_corpora():
    rng = np.random.default_rng(5)
    numbers = {"a": np.arange(10), "b": np.arange(10), "c": np.arange(10, 30)}
    clouds = {name: cloud(rng.normal(size=(len(n), 3)), n) for name, n in numbers.items()}
    comparisons = comparisons_of(
        {name: windows(n) for name, n in numbers.items()}, n_folds=2, n_shuffles=3, rng=rng
    )
    table = separation_table(clouds, comparisons, ridge=0.1, level=0.9)
    assert table[["corpus", "other_corpus"]].to_numpy().tolist() == [
        ["a", "b"],
        ["a", "c"],
        ["b", "c"],
    ]
    assert table["n_shared_documents"].tolist() == [10, 0, 0]
    assert table["auc"].between(0, 1).all()


def test_areas_by_hand():
    wins = np.array([3.0, 1.0, 0.0]), np.array([4, 4, 0])
    assert auc(wins) == 0.5
    assert spread(wins) == pytest.approx(np.std([0.75, 0.25], ddof=1))
    assert np.isnan(auc((np.zeros(1), np.zeros(1, dtype=int))))
    assert np.isnan(spread((np.ones(1), np.ones(1, dtype=int))))


def test_variance_between_by_hand():
    x, y = (cloud(np.array([[1.0, each], [-1.0, each]]), np.arange(2)) for each in (-3.0, 3.0))
    assert between_share(x, y) == pytest.approx(9 / 10)
