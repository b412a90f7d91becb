import numpy as np
import pytest

from embspace.app.practice.reading import read_corpus
from embspace.errors import InputError
from embspace.geometry.practice.changes import fitted_change
from embspace.measure.practice import text_hubs
from embspace.measure.practice.scored_versions import (
    Scored,
    check_neighbors,
    cosines,
    prepared,
    scored_labels,
    scored_neighbors,
    scored_search,
    search_ranks,
    table_of,
)
from embspace.measure.practice.text_vectors import HalfVectors
from tests.app.practice.test_threshold import planted


def test_a_row_a_version_with_its_difference_from_the_first():
    rng = np.random.default_rng(0)
    plain = rng.uniform(size=80)
    scores = {"plain": plain, "better": plain + 0.1, "noise": rng.permutation(plain)}
    table = table_of([Scored("search", "rank", scores, np.arange(80))]).set_index("version")
    assert table.loc["better", "difference"] == pytest.approx(0.1)


def test_equal_halves_are_found_first_and_zero_vectors_have_no_cosine():
    x = np.random.default_rng(0).normal(size=(9, 4))
    halves = HalfVectors(x, x, np.eye(9, dtype=bool), np.arange(9), list("abcdefghi"))
    assert search_ranks(halves, cosines(x, x)).tolist() == [1] * 9
    assert (cosines(np.zeros((1, 4)), x) == 0).all()


def test_neighbors_of_the_same_label_are_counted():
    cloud = read_corpus(np.eye(4)).at()
    cloud.table["label"] = list("aabb")
    nearest = np.array([[1, 2], [0, 2], [3, 0], [0, 1]])
    scored = scored_labels(cloud, {"cosine": nearest})
    # Own shares are 1/2, 1/2, 1/2 and 0; neighbors of one label give, others take.
    assert scored.scores["cosine"].tolist() == [0.5, 0.75, 0, 0.25]


def test_texts_without_a_label_share_none():
    cloud = read_corpus(np.eye(6)).at()
    cloud.table["label"] = ["a", "a", "", "", "", "b"]
    nearest = np.array([[1, 2], [2, 3], [3, 4], [2, 4], [2, 3], [0, 4]])
    scored = scored_labels(cloud, {"cosine": nearest})
    assert scored.scores["cosine"] == pytest.approx([5 / 12, 2 / 12, -1 / 12])
    assert scored.documents.tolist() == [0, 1, 5]


def test_by_chance_a_neighbor_is_of_another_document():
    cloud = read_corpus(np.eye(6)).at()
    cloud.table["label"] = list("aaabb") + [""]
    cloud.table["document"] = list("112234")
    nearest = np.array([[2, 3], [2, 4], [0, 1], [4, 5], [0, 3], [0, 1]])
    # Of the texts of other documents, "a": 1/4, 1/4, 2/4; "b": 1/4, 1/5; each is drawn alike.
    chance = scored_labels(cloud, {"cosine": nearest}).chance
    assert chance == pytest.approx((1 / 4 + 1 / 4 + 2 / 4 + 1 / 4 + 1 / 5) / 5)
    drawn = np.random.default_rng(0)
    same = [
        cloud.table["label"][text] == cloud.table["label"][drawn.choice(others)]
        for text in range(5)
        for others in [np.flatnonzero(cloud.documents != cloud.documents[text])]
        for _ in range(2_000)
    ]
    assert np.mean(same) == pytest.approx(chance, abs=0.02)


def test_ten_texts_of_further_documents_are_needed():
    x = np.random.default_rng(0).normal(size=(40, 4))
    check_neighbors(read_corpus(x).at())
    few = read_corpus(x).at()
    few.table["document"] = ["long"] * 31 + [*map(str, range(9))]
    with pytest.raises(InputError, match="found 40 texts .*, 9 beside the largest document"):
        check_neighbors(few)


def test_centered_is_the_same_in_every_answer():
    x = np.random.default_rng(0).normal(size=(40, 5)).astype(np.float32) + 3
    cloud = planted(np.concatenate([x, x[:1], x[:1]]), np.r_[np.arange(40) // 4, 0, 0]).at()
    cloud.table["text"] = "a text"
    cloud.table["copy_of"] = [*map(str, range(40)), "0", "0"]
    centered = x - x.mean(axis=0, dtype=np.float64)
    assert prepared(cloud, "centered")[:40] == pytest.approx(centered, abs=1e-6)
    assert fitted_change(cloud.originals().vectors, "centered")(x) == pytest.approx(centered)
    halves = HalfVectors(x[:20], x[20:], np.eye(20, dtype=bool), np.arange(20), [*"a" * 20])
    expected = cosines(centered[:20], centered[20:])
    assert text_hubs._searched(cloud, halves, "centered", "cosine") == pytest.approx(
        expected, abs=1e-6
    )


def test_search_by_chance_is_that_of_random_vectors():
    rng = np.random.default_rng(0)
    halves = HalfVectors(
        np.zeros((30, 2)), np.zeros((30, 2)), np.eye(30, dtype=bool), np.arange(30), ["t"] * 30
    )
    scored = scored_search(halves, {})
    assert scored.chance == pytest.approx(np.mean(1 / np.arange(1, 31)))
    found = [search_ranks(halves, rng.normal(size=(30, 30))).mean() for _ in range(200)]
    assert np.mean(found) == pytest.approx(scored.chance, abs=0.01)


def test_neighbors_kept_by_chance_are_random_texts_of_other_documents():
    cloud = read_corpus(np.random.default_rng(0).normal(size=(41, 3))).at()
    assert scored_neighbors(cloud, {}).chance == pytest.approx(10 / 40)
