"""Planted outliers are found, null corpora give nothing, and p-values are calibrated."""

import numpy as np
import pytest

from embspace.geometry.inference.benjamini_hochberg import benjamini_hochberg
from embspace.geometry.practice.outliers import nearest_of, place_among, tail_p_values

DIM, K, LEVEL = 12, 5, 0.05


def cloud(rng: np.random.Generator, n: int, spread: float = 1.0) -> np.ndarray:
    """Three groups of directions, unequally wide."""
    centers = np.eye(DIM)[:3] * 4
    group = rng.integers(3, size=n)
    width = spread * np.array([0.5, 0.7, 1.0])[group][:, None]
    return centers[group] + rng.normal(size=(n, DIM)) * width


def within(x: np.ndarray) -> np.ndarray:
    own = np.arange(len(x))
    distance = nearest_of(x, x, own, own, k=K).mean
    return benjamini_hochberg(tail_p_values(distance)) <= LEVEL


def test_distances_are_of_a_plain_sort():
    rng = np.random.default_rng(0)
    x, y = cloud(rng, 7), cloud(rng, 30)
    made = nearest_of(x, y, np.full(7, -1), np.arange(30), k=K)
    unit, other = (cloud / np.linalg.norm(cloud, axis=1)[:, None] for cloud in (x, y))
    distance = np.sort(1 - unit @ other.T, axis=1)
    assert made.mean == pytest.approx(distance[:, :K].mean(axis=1))
    assert made.farthest == pytest.approx(distance[:, K - 1])
    assert made.first_cosine == pytest.approx(1 - distance[:, 0])


def test_rows_of_one_document_are_no_neighbors():
    x = cloud(np.random.default_rng(1), 40)
    x[1] = x[0]
    apart = nearest_of(x, x, np.arange(40), np.arange(40), k=K)
    document = np.maximum(np.arange(40), 1)
    joined = nearest_of(x, x, document, document, k=K)
    assert apart.first[0] == 1 and joined.first[0] > 1


def test_p_values_are_of_each_row_put_into_the_corpus():
    rng = np.random.default_rng(2)
    corpus, x = cloud(rng, 60), cloud(rng, 8)
    made = place_among(x, corpus, np.arange(60), k=K).p_value
    for row, p_value in zip(x, made, strict=True):
        both = np.vstack([corpus, row])
        distance = nearest_of(both, both, np.arange(61), np.arange(61), k=K).mean
        assert p_value == pytest.approx((distance >= distance[-1] - 1e-12).mean())


def test_p_values_hold():
    """Rows of the corpus's kind have p up to .1 as often as that."""
    rng = np.random.default_rng(3)
    small = [
        place_among(cloud(rng, 5), cloud(rng, 99), np.arange(99), k=K).p_value <= 0.1
        for _ in range(100)
    ]
    assert np.mean(small) == pytest.approx(0.1, abs=0.035)


def documents(rng: np.random.Generator, n: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Documents of several rows, which lie near to one another."""
    document = np.repeat(np.arange(n), size)
    return cloud(rng, n, spread=2)[document] + rng.normal(size=(n * size, DIM)) / 2, document


def test_p_values_are_shares_of_documents_of_several_rows():
    rng = np.random.default_rng(9)
    corpus, document = documents(rng, 20, size=3)
    corpus, document = corpus[:-2], document[:-2]  # the last document has one row
    x, _ = documents(rng, 6, size=1)
    made = place_among(x, corpus, document, k=K).p_value
    for row, p_value in zip(x, made, strict=True):
        both, own = np.vstack([corpus, row]), np.append(document, 20)
        distance = nearest_of(both, both, own, own, k=K).mean
        as_far = distance >= distance[-1] - 1e-12
        shares = [as_far[own == number].mean() for number in range(21)]
        assert p_value == pytest.approx(np.mean(shares))


def test_p_values_hold_nearly_for_documents_of_several_rows():
    rng = np.random.default_rng(10)
    small = [
        place_among(documents(rng, 5, size=1)[0], *documents(rng, 60, size=3), k=K).p_value <= 0.1
        for _ in range(100)
    ]
    assert np.mean(small) == pytest.approx(0.1, abs=0.035)


def test_planted_outliers_are_found_among_others():
    rng = np.random.default_rng(4)
    corpus, x = cloud(rng, 400), cloud(rng, 40)
    x[:3] = -np.eye(DIM)[[5, 6, 7]]
    made = place_among(x, corpus, np.arange(400), k=K)
    assert (benjamini_hochberg(made.p_value)[:3] <= LEVEL).all()


def test_planted_outliers_are_found_within():
    x = cloud(np.random.default_rng(5), 400, spread=0.4)
    x[[7, 70]] = -np.eye(DIM)[[5, 6]]
    assert set(np.flatnonzero(within(x))) >= {7, 70}
    assert within(x).sum() <= 4


def test_null_corpora_give_nothing():
    rng = np.random.default_rng(6)
    assert sum(not within(cloud(rng, 200)).any() for _ in range(100)) >= 90


def test_null_files_beside_a_corpus_give_nothing():
    rng = np.random.default_rng(7)
    clean = 0
    for _ in range(100):
        made = place_among(cloud(rng, 20), cloud(rng, 120), np.arange(120), k=K)
        clean += not (benjamini_hochberg(made.p_value) <= LEVEL).any()
    assert clean >= 90


def test_few_or_equal_distances_give_no_verdict():
    assert np.isnan(tail_p_values(np.linspace(0.1, 1, 99))).all()
    assert np.isnan(tail_p_values(np.full(200, 0.5))).all()


def test_a_row_without_direction_has_no_distance():
    x = np.vstack([np.zeros(DIM), cloud(np.random.default_rng(8), 30)])
    made = nearest_of(x, x, np.arange(31), np.arange(31), k=K)
    assert np.isnan(made.mean[0]) and np.isfinite(made.mean[1:]).all()
    assert np.isnan(place_among(x[:1], x[1:], np.arange(30), k=K).p_value[0])
