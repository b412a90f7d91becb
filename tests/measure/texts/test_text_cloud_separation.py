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


def measured(
    x, y, documents_x, documents_y, lengths_x=10, lengths_y=10, seed: int = 0
) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    about = Comparison.of(
        windows(documents_x, lengths_x),
        windows(documents_y, lengths_y),
        n_folds=5,
        n_shuffles=20,
        rng=rng,
    )
    return separation_row(
        cloud(x, documents_x), cloud(y, documents_y), about, ridge=0.01, level=0.9
    )


def test_clouds_far_apart_are_told_apart():
    rng = np.random.default_rng(0)
    row = measured(
        rng.normal(size=(60, 5)), rng.normal(size=(80, 5)) + 9, np.arange(60), np.arange(60, 140)
    )
    assert row["auc"] == row["equal_length_auc"] == 1
    assert row["auc_standard_deviation"] == 0
    assert row["between_corpora_share"] == pytest.approx(81 / 4 / (81 / 4 + 1), rel=0.05)
    assert row["null_auc_low"] < 0.5 < row["null_auc_high"]
    assert (row["n"], row["n_other"], row["n_shared_documents"]) == (60, 80, 0)


def test_one_cloud_in_two_halves_is_not_told_apart():
    rng = np.random.default_rng(1)
    row = measured(*rng.normal(size=(2, 200, 8)), np.arange(200), np.arange(200, 400))
    assert row["null_auc_low"] - 0.05 < row["auc"] < row["null_auc_high"] + 0.05
    assert row["between_corpora_share"] < 0.02
    assert row["length_auc"] == 0.5


def test_documents_with_a_mark_of_their_own_do_not_help_on_others():
    # Every document has a direction: a row of a known document would be told by it.
    rng = np.random.default_rng(2)
    documents = np.repeat(np.arange(40), 6)
    x = 5 * rng.normal(size=(40, 60))[documents] + rng.normal(size=(240, 60))
    first = documents < 20
    row = measured(x[first], x[~first], documents[first], documents[~first])
    assert abs(row["auc"] - 0.5) < 0.3
    assert row["null_auc_high"] > 0.6  # whole documents changed sides: as unsure as the data


def test_what_only_length_tells_is_not_told_at_equal_length():
    rng = np.random.default_rng(3)
    lengths = rng.integers(5, 15, size=400) + np.repeat([4, 0], 200)
    x = rng.normal(size=(400, 4))
    x[:, 0] += lengths
    documents = np.arange(400)
    row = measured(x[:200], x[200:], documents[:200], documents[200:], lengths[:200], lengths[200:])
    assert row["auc"] > 0.7
    assert row["length_auc"] == pytest.approx(row["auc"], abs=0.08)
    assert row["equal_length_auc"] == pytest.approx(0.5, abs=0.08)
    assert row["n_equal_length_pairs"] > 300


def test_lengths_that_never_meet_leave_nothing_to_compare():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(40, 3))
    row = measured(x[:20], x[20:], np.arange(20), np.arange(20, 40), 300, 20)
    assert row["length_auc"] == 1
    assert np.isnan(row["equal_length_auc"])
    assert row["n_equal_length_pairs"] == 0


def test_equal_vectors_are_not_told_apart():
    row = measured(np.ones((20, 3)), np.ones((20, 3)), np.arange(20), np.arange(20, 40))
    assert row["auc"] == 0.5
    assert np.isnan(row["between_corpora_share"])


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
    x, y = (cloud(np.array([[1.0, place], [-1.0, place]]), np.arange(2)) for place in (-3.0, 3.0))
    assert between_share(x, y) == pytest.approx(9 / 10)
