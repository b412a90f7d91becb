"""Holds stitches between models to turned copies and to least squares."""

import numpy as np
import pytest

from embspace.geometry.parameters.planted_copies import random_turn
from embspace.geometry.parameters.stitching import (
    LinearStitch,
    explained_share,
    kept_states,
    kernel_stitch,
    shuffled_kernels,
    trained_stitch,
    turned_kernel,
    vocabulary_kernel,
)

RNG = np.random.default_rng(0)
EMBEDDINGS, STATES = RNG.normal(size=(40, 6)), RNG.normal(size=(30, 6))


def test_between_equal_embeddings_it_is_the_identity() -> None:
    assert vocabulary_kernel(EMBEDDINGS, EMBEDDINGS) == pytest.approx(np.eye(6), abs=1e-12)


def test_of_a_turned_copy_it_is_the_turn() -> None:
    turn = random_turn(6, np.random.default_rng(1))
    assert vocabulary_kernel(EMBEDDINGS, EMBEDDINGS @ turn) == pytest.approx(turn, abs=1e-12)


@pytest.mark.parametrize("other_dim", [4, 6, 9])
def test_it_is_the_formula_with_the_pseudo_inverse(other_dim: int) -> None:
    other = np.random.default_rng(2).normal(size=(40, other_dim))
    kernel = vocabulary_kernel(EMBEDDINGS, other)
    # As printed, of matrices (dim, token): E_1 pinv(E_2).
    assert kernel == pytest.approx(EMBEDDINGS.T @ np.linalg.pinv(other.T), abs=1e-12)


def test_products_with_embeddings_are_kept_where_they_can_be() -> None:
    wide = np.concatenate([EMBEDDINGS, np.random.default_rng(3).normal(size=(40, 3))], axis=1)
    kernel = vocabulary_kernel(EMBEDDINGS, wide)
    assert STATES @ kernel @ wide.T == pytest.approx(STATES @ EMBEDDINGS.T)


def test_vocabularies_of_two_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="40 tokens cannot be matched with 39"):
        vocabulary_kernel(EMBEDDINGS, EMBEDDINGS[1:])


def test_the_share_of_a_turned_copy_is_one_and_that_of_noise_is_its_rank() -> None:
    copy = EMBEDDINGS @ random_turn(6, np.random.default_rng(1))
    assert explained_share(EMBEDDINGS, copy) == pytest.approx(1)
    noise = np.random.default_rng(4).normal(size=(2, 2000, 6))
    assert explained_share(noise[0], noise[1]) == pytest.approx(6 / 1999, abs=0.002)


def test_a_common_mean_explains_nothing() -> None:
    noise = np.random.default_rng(4).normal(size=(2, 2000, 6))
    share = explained_share(noise[0], noise[1])
    assert explained_share(noise[0] + 10, noise[1] - 5) == pytest.approx(share)
    copy = EMBEDDINGS @ random_turn(6, np.random.default_rng(1))
    assert explained_share(EMBEDDINGS + 3, copy + 7) == pytest.approx(1)
    assert np.isnan(explained_share(np.full((40, 6), 0.3), copy))


@pytest.mark.parametrize("other_dim", [4, 6, 9])
def test_a_turned_kernel_scales_as_the_kernel_does(other_dim: int) -> None:
    kernel = RNG.normal(size=(6, other_dim))
    turned = turned_kernel(kernel, np.random.default_rng(4))
    scales = np.linalg.svd(turned, compute_uv=False)
    assert scales == pytest.approx(np.linalg.svd(kernel, compute_uv=False))
    assert not np.allclose(turned, kernel, atol=0.1)


def test_shuffled_tokens_leave_the_mean_alone() -> None:
    generator = np.random.default_rng(5)
    common = np.array([10.0, 0, 0, 0, 0, 0])
    first = generator.normal(size=(2000, 6)) + common
    (kernel,) = shuffled_kernels(first, first, 1, generator)
    # The mean finds itself; what differs between tokens is lost.
    assert common @ kernel == pytest.approx(common, abs=0.5)
    assert np.abs(kernel[1:, 1:]).max() < 0.1


def test_a_trained_stitch_finds_a_linear_map_with_its_offset() -> None:
    kernel, offset = RNG.normal(size=(6, 5)), RNG.normal(size=5)
    stitch = trained_stitch(STATES, STATES @ kernel + offset, strength=1e-12)
    assert stitch.kernel == pytest.approx(kernel)
    assert stitch.offset == pytest.approx(offset)
    assert stitch(STATES) == pytest.approx(STATES @ kernel + offset)


def test_a_penalty_without_bounds_leaves_the_mean() -> None:
    targets = STATES @ RNG.normal(size=(6, 5)) + 3
    stitch = trained_stitch(STATES, targets, strength=1e12)
    assert stitch(STATES) == pytest.approx(np.tile(targets.mean(axis=0), (30, 1)))


def test_a_stitch_adds_its_offset_and_keeps_the_precision() -> None:
    stitch = LinearStitch(np.eye(6), np.ones(6))
    assert stitch(STATES) == pytest.approx(STATES + 1)
    assert kernel_stitch(np.eye(6))(STATES) == pytest.approx(STATES)
    assert stitch(STATES[None].astype(np.float32)).dtype == np.float32


def test_orders_of_tokens_give_what_least_squares_give() -> None:
    first, second = RNG.normal(size=(60, 5)), RNG.normal(size=(60, 4))
    kernels = shuffled_kernels(first, second, 3, np.random.default_rng(6))
    generator = np.random.default_rng(6)
    for kernel in kernels:
        wanted = vocabulary_kernel(first[generator.permutation(60)], second)
        assert kernel == pytest.approx(wanted, abs=1e-12)


OWN = RNG.normal(size=(12, 5, 6)).astype(np.float32) + 3
SHOWN = np.arange(5) < RNG.integers(2, 6, size=(12, 1))
ALL = np.arange(12)


def test_own_states_are_kept_whole_and_others_not() -> None:
    whole = kept_states(OWN, OWN, SHOWN, ALL)
    assert whole.cosine == pytest.approx(1) and whole.nearest.all()
    others = kept_states(OWN, OWN[::-1], SHOWN, ALL)
    assert abs(others.cosine.mean()) < 0.3 and others.nearest.sum() <= 2
    some = kept_states(OWN, OWN[[7, 2]], SHOWN, np.array([7, 2]))
    assert some.cosine == pytest.approx(1) and some.nearest.all()


def test_what_all_states_have_in_common_is_not_kept() -> None:
    constant = np.broadcast_to(OWN.mean(axis=(0, 1)) + np.eye(6)[0], OWN.shape)
    kept = kept_states(OWN, constant, SHOWN, ALL)
    assert abs(kept.cosine.mean()) < 0.4 and kept.nearest.sum() <= 2


def test_tokens_that_are_not_shown_do_not_count() -> None:
    stitched = np.where(SHOWN[:, :, np.newaxis], OWN, 1e3).astype(np.float32)
    kept = kept_states(OWN, stitched, SHOWN, ALL)
    assert kept.cosine == pytest.approx(1) and kept.nearest.all()


def test_texts_of_equal_vectors_count_as_one() -> None:
    twice = np.concatenate([OWN, OWN])
    kept = kept_states(twice, twice, np.concatenate([SHOWN, SHOWN]), np.arange(24))
    assert kept.nearest.all()
