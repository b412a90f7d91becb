"""Holds stitches between models to turned copies and to least squares."""

import numpy as np
import pytest

from embspace.geometry.parameters.planted_copies import random_turn
from embspace.geometry.parameters.stitching import (
    LinearStitch,
    random_kernel,
    trained_stitch,
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
    found = vocabulary_kernel(EMBEDDINGS, other)
    # As printed, of matrices (dim, token): E_1 pinv(E_2).
    assert found == pytest.approx(EMBEDDINGS.T @ np.linalg.pinv(other.T), abs=1e-12)


def test_products_with_embeddings_are_kept_where_they_can_be() -> None:
    wide = np.concatenate([EMBEDDINGS, np.random.default_rng(3).normal(size=(40, 3))], axis=1)
    kernel = vocabulary_kernel(EMBEDDINGS, wide)
    assert STATES @ kernel @ wide.T == pytest.approx(STATES @ EMBEDDINGS.T)


def test_vocabularies_of_two_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="40 tokens cannot be matched with 39"):
        vocabulary_kernel(EMBEDDINGS, EMBEDDINGS[1:])


@pytest.mark.parametrize(("dim", "other_dim"), [(6, 6), (4, 6), (6, 4)])
def test_a_random_kernel_is_part_of_an_orthogonal_matrix(dim: int, other_dim: int) -> None:
    kernel = random_kernel(dim, other_dim, np.random.default_rng(4))
    small = kernel @ kernel.T if dim <= other_dim else kernel.T @ kernel
    assert small == pytest.approx(np.eye(min(dim, other_dim)), abs=1e-12)


def test_a_trained_stitch_finds_a_linear_map_with_its_offset() -> None:
    kernel, offset = RNG.normal(size=(6, 5)), RNG.normal(size=5)
    found = trained_stitch(STATES, STATES @ kernel + offset, strength=1e-12)
    assert found.kernel == pytest.approx(kernel)
    assert found.offset == pytest.approx(offset)
    assert found(STATES) == pytest.approx(STATES @ kernel + offset)


def test_a_penalty_without_bounds_leaves_the_mean() -> None:
    targets = STATES @ RNG.normal(size=(6, 5)) + 3
    found = trained_stitch(STATES, targets, strength=1e12)
    assert found(STATES) == pytest.approx(np.tile(targets.mean(axis=0), (30, 1)))


def test_a_stitch_adds_its_offset() -> None:
    stitch = LinearStitch(np.eye(6), np.ones(6))
    assert stitch(STATES) == pytest.approx(STATES + 1)
