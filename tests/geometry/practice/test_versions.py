"""Versions that are known: a rotation, rounding, one moved text, unrelated vectors."""

import numpy as np
import pytest

from embspace.geometry.practice.high_pairs import high_pairs
from embspace.geometry.practice.rare_cosines import rare_cosine
from embspace.geometry.practice.versions import compare_versions

N, DIM, K = 120, 16, 5
OWN = np.arange(N)


def cloud(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(N, DIM)) + 0.5


def test_the_same_vectors_change_nothing():
    x = cloud(0)
    made = compare_versions(x, 2 * x, OWN, k=K, thresholds=(0.5, 0.5))
    assert made.cosine == pytest.approx(1) and made.length == pytest.approx(2)
    assert (made.neighbors_kept == 1).all() and (made.first_rank == 1).all()
    assert made.n_pairs.sum() > 0 and made.n_flipped.sum() == 0


def test_a_rotation_moves_texts_and_keeps_neighbors():
    x = cloud(1)
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(DIM, DIM)))[0]
    made = compare_versions(x, x @ turn, OWN, k=K, thresholds=(2, 2))
    assert abs(made.cosine).max() < 0.99 and made.neighbors_kept.min() == 1


def test_one_moved_text_is_told():
    x = cloud(3)
    y = x.copy()
    y[9] = -x[9]
    made = compare_versions(x, y, OWN, k=K, thresholds=(2, 2))
    assert made.cosine.argmin() == 9 and made.cosine[9] == pytest.approx(-1)
    assert made.neighbors_kept[9] < 0.5


def test_unrelated_vectors_keep_neighbors_by_chance():
    kept = [
        compare_versions(cloud(seed), cloud(seed + 99), OWN, k=K, thresholds=(2, 2)).neighbors_kept
        for seed in range(20)
    ]
    assert np.mean(kept) == pytest.approx(K / (N - 1), abs=0.02)


def test_other_dimensions_have_no_cosine():
    x = cloud(4)
    made = compare_versions(x, x[:, :10], OWN, k=K, thresholds=(2, 2))
    assert np.isnan(made.cosine).all() and 0 < made.neighbors_kept.mean() < 1


def test_texts_of_one_document_are_no_neighbors():
    x = cloud(5)
    x[1] = x[0]
    document = np.maximum(OWN, 1)
    y = x.copy()
    y[1] = cloud(6)[1]
    made = compare_versions(x, y, document, k=K, thresholds=(2, 2))
    assert made.neighbors_kept[0] == 1


def test_flips_and_the_rare_cosine():
    x = cloud(7)
    rng = np.random.default_rng(0)
    pairs = high_pairs(x, OWN, largest_rate=0.01, rng=rng)
    level = rare_cosine(pairs, 0.01, level=0.95).cosine
    made = compare_versions(x, x, OWN, k=K, thresholds=(level, level))
    assert made.n_pairs.sum() / (N * (N - 1)) == pytest.approx(0.01, abs=0.002)
    y = x + 0.3 * np.random.default_rng(8).normal(size=x.shape)
    flipped = compare_versions(x, y, OWN, k=K, thresholds=(level, level))
    assert 0 < flipped.n_flipped.sum() <= flipped.n_pairs.sum()


def test_what_a_text_gives_as_a_neighbor_is_beyond_the_share_of_its_neighbors():
    x, y = cloud(9), cloud(9) + 0.5 * cloud(10)
    made = compare_versions(x, y, OWN, k=K, thresholds=(2, 2))
    cosines = []
    for version in (x, y):
        unit = version / np.linalg.norm(version, axis=1, keepdims=True)
        cosines.append(np.where(np.eye(N, dtype=bool), -2, unit @ unit.T))
    near, other = (np.argsort(-cosine, axis=1)[:, :K] for cosine in cosines)
    expected = np.zeros(N)
    for row in range(N):
        for column in near[row]:
            expected[column] += (float(column in other[row]) - made.neighbors_kept[row]) / K
    assert made.neighbors_given == pytest.approx(expected, abs=1e-9)
    assert made.neighbors_given.sum() == pytest.approx(0, abs=1e-9)
    assert 0.2 < made.neighbors_kept.mean() < 0.9
