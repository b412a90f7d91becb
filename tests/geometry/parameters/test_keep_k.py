import numpy as np
import pytest

from embspace.geometry.parameters.keep_k import (
    keep_k,
    keep_k_grams,
    keep_k_scores,
    random_members,
)
from embspace.geometry.parameters.projection import token_readers


def random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def test_the_strongest_stay_with_their_sign():
    scores = np.array([[3, -4, 1, 0], [0, 0, -1, 2]], np.float32)
    assert keep_k(scores, 2).tolist() == [[3, -4, 0, 0], [0, 0, -1, 2]]
    assert np.array_equal(keep_k(scores, 9), scores)


def test_the_cosine_is_that_of_the_definition():
    x, embedding = random(7, 5), random(40, 5, seed=1)
    readers = token_readers(embedding, "pseudo_inverse")
    for other in (embedding, readers):
        gram = keep_k(x @ embedding.T, 6) @ keep_k(x @ other.T, 6).T
        exact = x @ x.T
        expected = (gram * exact).sum() / np.linalg.norm(gram) / np.linalg.norm(exact)
        assert keep_k_scores(x, embedding, other, [6]) == pytest.approx([expected], abs=1e-5)


def test_with_all_tokens_the_pseudo_inverse_loses_nothing():
    x, embedding = random(9, 5), random(40, 5, seed=1)
    readers = token_readers(embedding, "pseudo_inverse")
    assert keep_k_scores(x, embedding, readers, [40]) == pytest.approx([1], abs=1e-6)


def test_with_orthogonal_tokens_both_lose_nothing():
    x, embedding = random(9, 5), np.linalg.qr(random(40, 5, seed=1))[0]
    assert keep_k_scores(x, embedding, embedding, [40, 400]) == pytest.approx([1, 1], abs=1e-6)


def test_a_factor_and_a_rotation_change_nothing():
    x, embedding = random(9, 5), random(40, 5, seed=1)
    turn = np.linalg.qr(random(5, 5, seed=2))[0]
    plain = keep_k_scores(x, embedding, embedding, [3, 10])
    turned = (embedding @ turn * 2).astype(np.float32)
    assert keep_k_scores(x @ turn * 3, turned, turned, [3, 10]) == pytest.approx(plain, abs=1e-5)


def test_the_score_depends_on_how_many_vectors_there_are():
    """As published with 0.83 at n = 300: more vectors give a lower score of the same matrix."""
    x, embedding = random(300, 64), random(1500, 64, seed=1)
    members = np.arange(300) < np.array([[75], [150], [300]])
    few, some, whole = keep_k_grams(x, embedding, embedding, [60, 200]).cosines(members)
    assert (few > some).all() and (some > whole).all()
    for scores, n in ((few, 75), (whole, 300)):
        expected = keep_k_scores(x[:n], embedding, embedding, [60, 200])
        assert scores == pytest.approx(expected, abs=1e-6)


def test_more_tokens_than_are_cut_at_once_are_summed():
    x, embedding = random(3, 6), random(5000, 6, seed=1)
    readers = random(5000, 6, seed=2)
    grams = keep_k_grams(x, embedding, readers, [7, 4999, 5000])
    for number, k in enumerate((7, 4999, 5000)):
        expected = keep_k(x @ embedding.T, k) @ keep_k(x @ readers.T, k).T
        assert grams.kept[number] == pytest.approx(expected, rel=1e-3, abs=1e-2)


def test_draws_have_their_size_and_whole_units():
    unit = np.repeat([7, 3, 9, 1], 5)
    members = random_members(unit, 10, 50, np.random.default_rng(0))
    assert (members.sum(axis=1) == 10).all()
    unit_counts = members.reshape(50, 4, 5).sum(axis=2)
    assert set(unit_counts.ravel()) == {0, 5}
    assert len({tuple(counts) for counts in unit_counts.tolist()}) == 6
    alone = random_members(np.arange(20), 10, 2000, np.random.default_rng(0))
    assert alone.mean(axis=0) == pytest.approx(0.5, abs=0.05)
    cut = random_members(unit, 7, 9, np.random.default_rng(0)).reshape(9, 4, 5).sum(axis=2)
    assert all(sorted(counts) == [0, 0, 2, 5] for counts in cut.tolist())


def test_zero_vectors_have_no_cosine():
    embedding = random(40, 5)
    assert np.isnan(keep_k_scores(np.zeros((3, 5), np.float32), embedding, embedding, [4])).all()


def test_bad_numbers_are_refused():
    x, embedding = random(3, 5), random(40, 5)
    with pytest.raises(ValueError, match="ks: found 0, allowed: 1 or more"):
        keep_k_scores(x, embedding, embedding, [0, 3])
    with pytest.raises(ValueError, match="size: found 4, allowed: 1 to 3"):
        random_members(np.arange(3), 4, 1, np.random.default_rng(0))


def test_one_score_may_be_kept_and_all_vectors_drawn():
    scores = np.array([[1.0, -3, 2]])
    assert keep_k(scores, 1).tolist() == [[0, -3, 0]]
    # The strongest score of both rows is of the first token, 2 and 2.2.
    x, embedding = np.array([[1.0, 0], [0.8, 0.6]]), np.array([[2.0, 1], [0, 1]])
    assert keep_k_grams(x, embedding, embedding, [1]).kept == pytest.approx(
        np.array([[[4, 4.4], [4.4, 4.84]]])
    )
    with pytest.raises(ValueError, match="k: expected 1 or more, found 0"):
        keep_k(scores, 0)
    for size in (1, 4):
        drawn = random_members(np.array([0, 0, 1, 2]), size, 5, np.random.default_rng(0))
        assert drawn.sum(axis=1).tolist() == [size] * 5
    for size in (0, 5):
        with pytest.raises(ValueError, match=f"size: found {size}, allowed: 1 to 4"):
            random_members(np.array([0, 0, 1, 2]), size, 5, np.random.default_rng(0))
