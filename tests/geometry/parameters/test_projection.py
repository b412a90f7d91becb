import numpy as np
import pytest

from embspace.geometry.parameters.projection import (
    BLOCK,
    highest,
    kth_highest,
    mean_member_cosine,
    score_blocks,
    token_readers,
    top_tokens,
)


def random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def test_a_vector_reads_the_token_it_is_and_its_negation_the_opposite():
    embedding = np.eye(4, dtype=np.float32)
    readings = top_tokens(np.array([[0, 3, 1, -2]], np.float32), embedding, 2)
    assert readings.token.tolist() == [[1, 2]]
    assert readings.score.tolist() == [[3, 1]]
    assert readings.opposite_token.tolist() == [[3, 0]]
    assert readings.opposite_score.tolist() == [[2, 0]]


def test_top_tokens_of_many_vectors_equal_a_full_sort():
    vectors, embedding = random(BLOCK + 3, 8), random(50, 8, seed=1)
    readings = top_tokens(vectors, embedding, 5)
    scores = vectors @ embedding.T
    assert np.array_equal(readings.token, np.argsort(-scores, axis=1)[:, :5])
    assert np.array_equal(readings.opposite_token, np.argsort(scores, axis=1)[:, :5])
    assert np.allclose(readings.score, np.sort(scores, axis=1)[:, ::-1][:, :5], atol=1e-5)


def test_of_the_negation_top_and_opposite_change_places():
    vectors, embedding = random(6, 8), random(30, 8, seed=1)
    one, other = top_tokens(vectors, embedding, 4), top_tokens(-vectors, embedding, 4)
    assert np.array_equal(one.token, other.opposite_token)
    assert np.array_equal(one.opposite_token, other.token)


def test_a_positive_factor_changes_no_reading():
    vectors, embedding = random(6, 8), random(30, 8, seed=1)
    one, other = top_tokens(vectors, embedding, 4), top_tokens(vectors * 7, embedding, 4)
    assert np.array_equal(one.token, other.token)


def test_only_allowed_tokens_are_named():
    allowed = np.array([True, False] * 15)
    readings = top_tokens(random(6, 8), random(30, 8, seed=1), 15, allowed)
    assert set(readings.token.ravel()) == set(range(0, 30, 2))
    with pytest.raises(ValueError, match="k: found 16, allowed: 1 to the 15 tokens"):
        top_tokens(random(6, 8), random(30, 8, seed=1), 16, allowed)


def test_the_pseudo_inverse_undoes_the_embedding():
    embedding = random(50, 8)
    readers = token_readers(embedding, "pseudo_inverse")
    # Column convention of the paper: E is (dim, token), E E' = I.
    assert np.allclose(embedding.T @ readers, np.eye(8), atol=1e-5)
    assert np.allclose(readers, np.linalg.pinv(embedding).T, atol=1e-5)


def test_a_direction_that_no_token_has_is_left_out():
    embedding = random(50, 8)
    embedding[:, 3] = 0
    readers = token_readers(embedding, "pseudo_inverse")
    assert np.isfinite(readers).all()
    assert np.allclose(readers[:, 3], 0, atol=1e-6)


def test_transpose_is_the_embedding():
    embedding = random(5, 3)
    assert np.array_equal(token_readers(embedding, "transpose"), embedding)


def test_readings_turn_with_the_space_under_both_inverses():
    """A rotation of stream and embedding changes no score."""
    vectors, embedding = random(6, 8), random(30, 8, seed=1)
    turn = np.linalg.qr(random(8, 8, seed=2))[0]
    for inverse in ("transpose", "pseudo_inverse"):
        readers, turned = (token_readers(table, inverse) for table in (embedding, embedding @ turn))
        assert np.allclose(vectors @ readers.T, vectors @ turn @ turned.T, atol=1e-4)


def test_blocks_are_all_rows_once():
    vectors, embedding = random(BLOCK * 2 + 1, 4), random(9, 4)
    blocks = list(score_blocks(vectors, embedding))
    assert np.allclose(np.concatenate([scores for _, scores in blocks]), vectors @ embedding.T)
    assert max(len(scores) for _, scores in blocks) == BLOCK


def test_equal_numbers_go_by_column():
    assert highest(np.zeros((1, 5), np.float32), 2).shape == (1, 2)
    assert highest(np.array([[1, 2, 2, 0, 2]], np.float32), 3).tolist() == [[1, 2, 4]]


@pytest.mark.parametrize("n", [7, 40, 997])
@pytest.mark.parametrize("k", [1, 3, 7])
def test_the_highest_are_those_of_a_full_sort_whatever_is_equal(n: int, k: int):
    rng = np.random.default_rng(n)
    for scores in (random(20, n), rng.integers(0, 4, (20, n)).astype(np.float32)):
        expected = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        assert np.array_equal(highest(scores, k), expected)
        assert np.array_equal(kth_highest(scores, k), np.sort(scores, axis=1)[:, -k])


def test_a_row_has_no_number_beyond_its_last():
    with pytest.raises(ValueError, match="k: found 8, allowed: 1 to the 7 scores of a row"):
        kth_highest(random(2, 7), 8)


def test_cosine_within_a_list_has_its_extremes():
    unit = np.array([[1, 0], [1, 0], [-1, 0], [0, 1]], np.float32)
    lists = np.array([[0, 1], [0, 2], [0, 3]])
    assert mean_member_cosine(lists, unit).tolist() == [1, -1, 0]
    with pytest.raises(ValueError, match="lists of 1, allowed: 2 or more"):
        mean_member_cosine(lists[:, :1], unit)


def test_one_token_or_all_of_them_may_be_named():
    readers = np.array([[1.0], [3], [2]], dtype=np.float32)
    for k, expected in ((1, [[1]]), (3, [[1, 2, 0]])):
        assert top_tokens(np.ones((1, 1), np.float32), readers, k).token.tolist() == expected
    for k in (0, 4):
        with pytest.raises(ValueError, match=f"k: found {k}, allowed: 1 to the 3 tokens"):
            top_tokens(np.ones((1, 1), np.float32), readers, k)
    pairs = mean_member_cosine(np.array([[0, 1]]), np.array([[0.6, 0.8], [0.8, 0.6]]))
    assert pairs == pytest.approx([0.96])
