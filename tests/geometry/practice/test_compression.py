import numpy as np
import pytest

from embspace.geometry.practice.compression import (
    Int8Ranges,
    hamming_similarity,
    nearest_by_scores,
    principal_axes,
    rescored_similarity,
    scores_of_neighbors_kept,
)


def cloud(n: int = 60, dim: int = 16) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, dim)) * np.linspace(3, 0.2, dim)


def test_codes_are_those_of_sentence_transformers():
    from sentence_transformers.util.quantization import quantize_embeddings

    x = cloud().astype(np.float32)
    ranges = np.stack([x[:30].min(axis=0), x[:30].max(axis=0)])
    theirs = quantize_embeddings(x, "int8", ranges=ranges)
    ours = Int8Ranges.of(x[:30])
    inside = ((x >= ranges[0]) & (x <= ranges[1])).all(axis=1)
    assert inside.sum() >= 30
    apart = ours.codes(x)[inside].astype(int) - theirs[inside].astype(int)
    assert np.abs(apart).max() <= 1 and (apart != 0).mean() < 0.01  # by rounding
    bits = quantize_embeddings(x, "ubinary")
    unpacked = np.unpackbits(bits, axis=1)
    equal = (unpacked[:, None] == unpacked).mean(axis=2)
    assert hamming_similarity(x, x) == pytest.approx(equal)


def test_codes_stand_for_vectors_within_half_a_step_and_stay_in_range():
    x = cloud()
    x[:, 3] = 2.5
    ranges = Int8Ranges.of(x)
    back = ranges.vectors(ranges.codes(x))
    assert (np.abs(back - x) <= ranges.step / 2 + 1e-9).all()
    assert (back[:, 3] == 2.5).all()
    assert ranges.codes(10 * x)[:, :3].max() == 127 and ranges.codes(10 * x)[:, :3].min() == -128


def test_hamming_similarity_counts_equal_signs():
    x = np.array([[1.0, -1, 2, 0], [1, 1, 1, 1]])
    assert hamming_similarity(x, x).tolist() == [[1, 0.5], [0.5, 1]]


def test_principal_axes_hold_most_of_the_length():
    x = cloud()
    axes = principal_axes(x)
    assert axes.T @ axes == pytest.approx(np.eye(16), abs=1e-12)
    lengths = np.square(x @ axes).sum(axis=0)
    assert (np.diff(lengths) <= 1e-9).all()


def test_rescoring_finds_more_of_the_nearest_than_bits_alone():
    x = np.random.default_rng(1).normal(size=(400, 48))
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    own = np.arange(400)
    exact = nearest_by_scores(
        x, own, lambda a, b: (a / np.linalg.norm(a, axis=1)[:, None]) @ unit.T, 10
    )
    bits = nearest_by_scores(x, own, hamming_similarity, 10)
    rescored = nearest_by_scores(x, own, lambda a, b: rescored_similarity(a, b, 10), 10)
    kept = [scores_of_neighbors_kept(exact, nearest).mean() for nearest in (exact, bits, rescored)]
    assert kept[0] == 1 and kept[1] < kept[2] < 1
    for row in range(20):
        first = set(np.argsort(-hamming_similarity(x[row : row + 1], x)[0])[:80])
        assert set(rescored[row]) <= first


def test_blocks_change_no_neighbor():
    x, document = cloud(), np.arange(60) // 3
    whole = nearest_by_scores(x, document, hamming_similarity, 5, block=100)
    small = nearest_by_scores(x, document, hamming_similarity, 5, block=7)
    scores = hamming_similarity(x, x)
    for row in range(60):
        assert np.sort(scores[row][whole[row]]) == pytest.approx(np.sort(scores[row][small[row]]))
        assert row // 3 not in document[whole[row]]
