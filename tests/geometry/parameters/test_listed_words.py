"""Holds the counting of listed words to brute force, to planted vectors and to random ones."""

import numpy as np
import pytest

from embspace.geometry.parameters.listed_words import (
    count_bound,
    listed_counts,
    matched_lists,
    share_above,
)

N_TOKENS, DIM = 200, 12
EMBEDDINGS = np.random.default_rng(0).normal(size=(N_TOKENS, DIM))
IS_LISTED = np.arange(N_TOKENS) < 20


def drawn(seed: int, n: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, DIM))


def counts_of(vectors: np.ndarray, lists: np.ndarray = IS_LISTED) -> np.ndarray:
    return listed_counts(vectors, EMBEDDINGS, lists, n_tokens=10)


def test_counts_are_those_of_sorted_products() -> None:
    vectors = drawn(1, 300)
    counts = counts_of(vectors)
    for row in (0, 127, 128, 299):
        order = np.argsort(EMBEDDINGS @ vectors[row])
        assert counts[row].tolist() == [(order[-10:] < 20).sum(), (order[:10] < 20).sum()]


def test_several_lists_are_counted_as_each_alone() -> None:
    vectors = drawn(1, 30)
    lists = np.random.default_rng(2).random((4, N_TOKENS)) < 0.2
    together = counts_of(vectors, lists)
    assert together.shape == (4, 30, 2)
    for members, counts in zip(lists, together, strict=True):
        assert (counts_of(vectors, members) == counts).all()


def test_lengths_do_not_matter_and_a_negation_exchanges_the_ends() -> None:
    vectors = drawn(1, 30)
    counts = counts_of(vectors)
    assert (counts_of(7 * vectors) == counts).all()
    assert (counts_of(-vectors) == counts[:, ::-1]).all()


def test_what_is_added_to_all_embeddings_does_not_matter() -> None:
    vectors = drawn(1, 30)
    moved = listed_counts(vectors, EMBEDDINGS + drawn(9, 1), IS_LISTED, n_tokens=10)
    assert (moved == counts_of(vectors)).all()


def test_vectors_that_write_the_list_are_above_random_ones() -> None:
    topic = EMBEDDINGS[:20].mean(axis=0)
    signs = np.where(np.arange(40) % 2, 1, -1)[:, np.newaxis]
    bound = count_bound(counts_of(drawn(3, 500)), level=0.95)
    assert share_above(counts_of(signs * topic + 0.01 * drawn(2, 40)), bound) == 1


def test_of_random_vectors_no_more_than_the_rest_of_the_level_are_above() -> None:
    null = counts_of(drawn(4, 4000))
    bound = count_bound(null, level=0.95)
    assert share_above(null, bound) <= 0.05
    assert share_above(counts_of(drawn(5, 4000)), bound) < 0.07
    assert (
        share_above(counts_of(drawn(5, 4000)), np.asarray(bound - 1)) > 0.05
    )  # the bound is no larger


def test_an_empty_list_is_above_nothing() -> None:
    counts = counts_of(drawn(1, 5), np.zeros(N_TOKENS, bool))
    assert share_above(counts, count_bound(counts, level=0.95)) == 0


def test_without_vectors_there_is_no_share() -> None:
    counts = counts_of(drawn(1, 5))
    assert np.isnan(share_above(counts[:0], count_bound(counts, level=0.95)))


def test_ends_that_would_share_tokens_are_refused() -> None:
    with pytest.raises(ValueError, match="101 tokens at each end of 200"):
        listed_counts(drawn(1, 5), EMBEDDINGS, IS_LISTED, n_tokens=101)


def test_a_vector_without_length_is_refused() -> None:
    with pytest.raises(ValueError, match="length 0"):
        counts_of(np.zeros((1, DIM)))


def lists_like(n_lists: int, n_nearest: int, may_be_drawn: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(EMBEDDINGS, axis=1)[:, np.newaxis]
    return matched_lists(
        norms, IS_LISTED, may_be_drawn, n_lists=n_lists, n_nearest=n_nearest,
        generator=np.random.default_rng(0),
    )  # fmt: skip


def test_random_lists_are_as_long_and_have_none_of_the_listed_tokens() -> None:
    may = np.arange(N_TOKENS) % 3 > 0
    lists = lists_like(7, 5, may)
    assert (lists.sum(axis=1) == 20).all()
    assert not lists[:, IS_LISTED | ~may].any()
    assert len({tuple(drawn_list) for drawn_list in lists}) == 7


def test_random_lists_are_alike_in_what_they_are_matched_by() -> None:
    norms = np.linalg.norm(EMBEDDINGS, axis=1)
    order = np.argsort(norms)
    listed = np.isin(np.arange(N_TOKENS), order[-20:])  # the longest
    lists = matched_lists(
        norms[:, np.newaxis], listed, np.ones(N_TOKENS, bool), n_lists=20, n_nearest=25,
        generator=np.random.default_rng(0),
    )  # fmt: skip
    assert set(np.flatnonzero(lists.any(axis=0))) <= set(order[-70:])


def test_a_list_that_cannot_be_matched_is_refused() -> None:
    with pytest.raises(ValueError, match="5 tokens may be drawn in the place of 20"):
        lists_like(1, 5, (np.arange(N_TOKENS) >= 20) & (np.arange(N_TOKENS) < 25))


def test_both_ends_may_have_half_of_the_tokens():
    embeddings = np.array([[4.0], [3], [2], [1]], dtype=np.float32)
    listed = np.array([True, True, False, True])
    counts = listed_counts(np.ones((1, 1), np.float32), embeddings, listed, n_tokens=2)
    assert counts.tolist() == [[2, 1]]
    with pytest.raises(ValueError, match="3 tokens at each end of 4"):
        listed_counts(np.ones((1, 1), np.float32), embeddings, listed, n_tokens=3)
