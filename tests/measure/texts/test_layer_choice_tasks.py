import numpy as np
import pandas as pd
import pytest

from embspace.measure.texts.layer_choice_tasks import (
    cluster_scores,
    label_scores,
    labeled,
    search_scores,
)
from embspace.measure.texts.text_classifiers import Regularization


def texts(subjects: list[str], domains: list[str]) -> pd.DataFrame:
    names = [f"t{number}" for number in range(len(subjects))]
    return pd.DataFrame({"id": names, "document": names, "subject": subjects, "domain": domains})


def test_rare_labels_are_left_out_and_then_the_domain_is_asked():
    wish = {"fewest_documents": 2, "most_texts": 9, "seed": 0}
    common = labeled(texts(["a", "b", "a", "b", "c", ""], [""] * 6), **wish)
    assert common.rows.tolist() == [0, 1, 2, 3]
    assert common.labels.tolist() == [0, 1, 0, 1]
    rare = labeled(texts(list("abcdef"), ["x", "x", "y", "y", "y", "x"]), **wish)
    assert rare.labels.tolist() == [0, 0, 1, 1, 1, 0]
    assert not len(labeled(texts(list("abcdef"), ["x"] * 6), **wish).rows)


def test_texts_of_one_document_are_drawn_together():
    many = texts(["a", "b"] * 30, [""] * 60).assign(document=np.repeat(np.arange(20), 3))
    found = labeled(many, fewest_documents=2, most_texts=31, seed=1)
    assert 31 <= len(found.rows) <= 33
    assert set(np.bincount(found.documents)) <= {0, 3}


def test_search_ranks_by_the_score():
    scores = {("mean", 0, "trained"): np.eye(6), ("mean", 1, "trained"): -np.eye(6)}
    wish = {"n_half_samples": 20, "rng": np.random.default_rng(0)}
    found = search_scores(scores, np.eye(6, dtype=bool), np.arange(6), **wish)
    assert found.values == pytest.approx([1, 1 / 6])
    assert found.of_halves == pytest.approx(np.tile([1, 1 / 6], (20, 1)))
    assert found.n_units == 6


def test_a_text_without_words_is_at_no_distance_from_itself():
    """Each label has one direction, so that all but the text without words lie well."""
    some = labeled(texts(["a", "b"] * 20, [""] * 40), fewest_documents=2, most_texts=99, seed=0)
    words = np.eye(3)[some.labels]
    words[0] = 0
    wish = {"n_half_samples": 2, "rng": np.random.default_rng(0)}
    found = cluster_scores({("tf_idf", None, "none"): words}, some, **wish).values[0]
    # It is at distance 1 from all others; the 19 of its label have one such among 19.
    assert found == pytest.approx((20 + 19 * (1 - 1 / 19)) / 40)


def test_labels_and_clusters_are_those_of_the_vectors():
    some = labeled(texts(["a", "b"] * 20, [""] * 40), fewest_documents=2, most_texts=99, seed=0)
    rng = np.random.default_rng(2)
    told = rng.normal(size=(40, 4)) + 9 * some.labels[:, None] * [1, 0, 0, 0] - [4, 0, 0, 0]
    vectors = {("mean", 0, "trained"): told, ("mean", 1, "trained"): rng.normal(size=(40, 4))}
    wish = {"n_half_samples": 10, "rng": rng}
    accuracy = label_scores(vectors, some, Regularization(1.0, 1.0), n_folds=4, seed=0, **wish)
    assert accuracy.values[0] == 1
    assert accuracy.values[1] < 0.8
    assert accuracy.chance == 0.5
    same = {("cls", 0, "trained"): np.ones((40, 4), np.float32)}
    clusters = cluster_scores(vectors | same, some, **wish)
    assert np.isnan(clusters.values[2]) and np.isnan(clusters.of_halves[:, 2]).all()
    assert clusters.values[0] > 0.5 > abs(clusters.values[1]) + 0.3
    assert clusters.of_halves.shape == (10, 3)
