"""Holds the search for disguised layers to copies of which the answer is known."""

import numpy as np
import pytest

from embspace.geometry.parameters.planted_copies import found_layers, random_turn

N_LAYERS, N_ROWS, DIM = 5, 16, 12
ROWS = list(np.random.default_rng(0).normal(size=(N_LAYERS, N_ROWS, DIM)))
COVARIANCE = np.cov(np.random.default_rng(1).normal(size=(60, DIM)).T)


def shares(noise: float, n: int = 20) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(2)
    outcomes = [found_layers(ROWS, COVARIANCE, noise=noise, generator=generator) for _ in range(n)]
    return np.array([outcome.vocabulary for outcome in outcomes]), np.array(
        [outcome.raw for outcome in outcomes]
    )


def test_without_noise_the_vocabulary_finds_every_layer_and_raw_space_as_many_as_chance() -> None:
    vocabulary, raw = shares(0.0, 60)
    assert (vocabulary == 1).all()
    assert raw.mean() == pytest.approx(1 / N_LAYERS, abs=0.1)


def test_noise_hides_the_layers() -> None:
    some, much = shares(0.1)[0], shares(100.0)[0]
    assert some.mean() == 1
    assert much.mean() == pytest.approx(1 / N_LAYERS, abs=0.2)


def test_the_same_seed_finds_the_same() -> None:
    assert (shares(2.0, 3)[0] == shares(2.0, 3)[0]).all()


def test_a_turn_is_orthogonal_and_another_at_each_draw() -> None:
    generator = np.random.default_rng(0)
    first, second = random_turn(DIM, generator), random_turn(DIM, generator)
    assert first @ first.T == pytest.approx(np.eye(DIM), abs=1e-12)
    assert np.abs(first - second).max() > 0.1
