"""Holds nulls to what they keep of a cloud, and to what they take from it."""

import numpy as np
import pytest

from embspace.geometry import hubness, intra_sentence_similarity, mean_cosine, two_nn
from embspace.geometry.declared import FAMILIES
from embspace.geometry.null_clouds import (
    NULL_CLOUDS,
    NULLS_OF_FAMILY,
    coordinates_shuffled,
    exchanged_between_texts,
    gaussian_of_covariance,
    isotropic_gaussian,
)
from tests.geometry.clouds import CLOUD


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("shape", [(200, 12), (8, 12), (13, 12), (12, 12)])
def test_the_gaussian_has_exactly_the_mean_and_the_covariance(shape: tuple[int, int]) -> None:
    x = CLOUD[: shape[0]]
    drawn = gaussian_of_covariance(x, rng())
    assert drawn.mean(axis=0) == pytest.approx(x.mean(axis=0), abs=1e-9)
    assert np.cov(drawn.T) == pytest.approx(np.cov(x.T), abs=1e-9)
    assert np.abs(drawn - x).max() > 0.1


def test_the_gaussian_is_one() -> None:
    curved = rng().uniform(size=(5000, 1)) * 10
    x = np.column_stack([np.cos(curved), np.sin(curved)])
    drawn = gaussian_of_covariance(x, rng(1))
    kurtosis = (((drawn - drawn.mean(axis=0)) / drawn.std(axis=0)) ** 4).mean(axis=0)
    assert kurtosis == pytest.approx(np.full(2, 3.0), abs=0.3)
    assert two_nn(x[:2000]).value == pytest.approx(1, abs=0.1)
    assert two_nn(drawn[:2000]).value == pytest.approx(2, abs=0.2)


def test_shuffling_keeps_each_coordinate_and_no_dependence() -> None:
    x = np.column_stack([np.arange(2000.0), np.arange(2000.0) ** 2])
    drawn = coordinates_shuffled(x, rng())
    assert (np.sort(drawn, axis=0) == np.sort(x, axis=0)).all()
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 0.1


def test_isotropic_vectors_have_no_direction() -> None:
    drawn = isotropic_gaussian(CLOUD + 100, rng())
    assert drawn.shape == CLOUD.shape
    assert abs(mean_cosine(drawn)) < 0.02


def test_exchange_keeps_words_and_bands_and_takes_the_text() -> None:
    generator = rng()
    text, word = np.repeat(np.arange(60), 10), np.tile(np.arange(10), 60)
    band = (text % 2).astype(int)
    x = generator.normal(size=(10, 30))[word] + 2 * generator.normal(size=(60, 30))[text]
    exchanged = exchanged_between_texts(x, word, band, rng(1))
    for kind in range(20):
        rows = (word == kind // 2) & (band == kind % 2)
        before, after = (sorted(each[rows].tolist()) for each in (x, exchanged))
        assert before == after
    assert intra_sentence_similarity(x, text) > intra_sentence_similarity(exchanged, text) + 0.2


def test_every_family_says_what_it_is_held_against() -> None:
    assert set(NULLS_OF_FAMILY) == set(FAMILIES)
    assert {null for nulls in NULLS_OF_FAMILY.values() for null in nulls} == set(NULL_CLOUDS)


def test_chance_alone_gives_hubs_in_many_dimensions() -> None:
    x = rng().normal(size=(1000, 100))
    nulls = [hubness(NULL_CLOUDS[null](x, rng(1))) for null in NULLS_OF_FAMILY["neighbourhoods"]]
    assert min(nulls) > 2  # no finding of its own, then
