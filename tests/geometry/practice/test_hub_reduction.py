import numpy as np
import pytest

from embspace.geometry.measures.hubs import hubness
from embspace.geometry.practice import hub_reduction as module
from embspace.geometry.practice.hub_reduction import (
    REDUCTIONS,
    k_occurrences,
    nearest_by,
    occurrence_skewness,
    reduced_similarity,
    scales_among,
)


def unit(x: np.ndarray) -> np.ndarray:
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def with_hub(n: int = 200, dim: int = 60) -> np.ndarray:
    """A cloud about a direction, of which the first vector is in the middle."""
    x = np.random.default_rng(0).normal(size=(n, dim)) + 1.5
    x[0] = x.mean(axis=0)
    return x


def test_scales_are_those_of_brute_force(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "BLOCK_NUMBERS", 50)
    x = np.random.default_rng(0).normal(size=(20, 5))
    parts = scales_among(x, x, k=3, is_same=True)
    cosine = unit(x) @ unit(x).T
    for i in range(20):
        others = np.delete(cosine[i], i)
        near, distance = np.sort(others)[-3:], np.sqrt(2 - 2 * others)
        expected = (np.sqrt(2 - 2 * near[0]), near.mean(), distance.mean(), distance.std())
        assert [part[i] for part in parts] == pytest.approx(expected)
    assert scales_among(x[:4], x[4:], k=2).kth_distance.shape == (4,)


def test_similarities_are_their_formulas():
    from scipy.stats import norm

    x = np.random.default_rng(1).normal(size=(12, 4))
    scales, cosine = scales_among(x, x, k=2, is_same=True), unit(x) @ unit(x).T
    d, (i, j) = np.sqrt(2 - 2 * cosine[3, 7]), (3, 7)
    expected = {
        "cosine": cosine[i, j],
        "csls": 2 * cosine[i, j] - scales.mean_near_cosine[i] - scales.mean_near_cosine[j],
        "local_scaling": -(d**2) / scales.kth_distance[i] / scales.kth_distance[j],
        "mutual_proximity": sum(
            norm.logsf(d, scales.mean_distance[row], scales.deviation[row]) for row in (i, j)
        ),
    }
    for name in REDUCTIONS:
        similarity = reduced_similarity(cosine, scales, scales, name)
        assert similarity[i, j] == pytest.approx(expected[name])
        assert similarity[i, j] == pytest.approx(similarity[j, i])  # all are symmetric


def test_plain_neighbors_are_those_of_the_graph():
    x = unit(np.random.default_rng(2).normal(size=(150, 30)))
    counts = k_occurrences(nearest_by(x, k=10, reduction="cosine"))
    assert counts.sum() == 1500
    assert occurrence_skewness(counts) == pytest.approx(hubness(x, k=10))


@pytest.mark.parametrize("name", ["local_scaling", "mutual_proximity", "csls"])
def test_a_planted_hub_is_one_no_more(name: module.Reduction):
    x = with_hub()
    plain = k_occurrences(nearest_by(x, k=5, reduction="cosine"))
    assert plain.argmax() == 0 and plain[0] > 100
    reduced = k_occurrences(nearest_by(x, k=5, reduction=name))
    assert reduced[0] < 0.8 * plain[0]
    if name != "csls":  # all other counts are more even, so that one hub skews them more
        assert occurrence_skewness(reduced) < occurrence_skewness(plain)


def test_a_vector_with_equal_ones_has_finite_neighbors():
    x = np.random.default_rng(0).normal(size=(30, 4))
    x[:5] = x[0]
    for name in REDUCTIONS:
        nearest = nearest_by(x, k=2, reduction=name, scale_k=2)
        assert set(nearest[0]) <= {0, 1, 2, 3, 4}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_vectors_of_one_document_are_no_neighbors(
    name: module.Reduction, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "BLOCK_NUMBERS", 200)
    rng = np.random.default_rng(3)
    document = np.repeat(np.arange(10), 4)
    x = rng.normal(size=(10, 6))[document] + 0.01 * rng.normal(size=(40, 6))
    assert (document[nearest_by(x, k=3, reduction=name)] == document[:, None]).all()
    apart = nearest_by(x, k=3, reduction=name, document=document)
    assert (document[apart] != document[:, None]).all()
    with pytest.raises(ValueError, match="k: expected 1 to 36, the other vectors, found 37"):
        nearest_by(x, k=37, reduction=name, document=document)


def test_numbers_of_neighbors_out_of_range_are_refused():
    x = np.eye(4)
    with pytest.raises(ValueError, match="k: expected 1 to 3, the other vectors, found 4"):
        nearest_by(x, k=4, reduction="cosine")
    with pytest.raises(ValueError, match="k: expected 1 to 4"):
        scales_among(x, x, k=0)


def test_equal_occurrences_have_no_skewness():
    assert np.isnan(occurrence_skewness(np.full(9, 3)))
