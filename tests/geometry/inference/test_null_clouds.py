"""Holds nulls to what they keep of a cloud, and to what they take from it."""

import numpy as np
import pytest

from embspace.geometry import hubness, intra_sentence_similarity, mean_cosine, two_nn
from embspace.geometry.inference.null_clouds import (
    NULL_CLOUDS,
    NULLS_OF_FAMILY,
    Null,
    coordinates_shuffled,
    draws_of,
    exchanged_between_texts,
    gaussian_of_covariance,
    isotropic_gaussian,
)
from embspace.geometry.measures.declaration import FAMILIES, value_of
from embspace.geometry.measures.registry import profiled_measures
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


@pytest.mark.parametrize("null", NULL_CLOUDS)
@pytest.mark.parametrize("n", [2, 8, 12, 24, 25, 200])
def test_one_draw_after_the_other_is_what_each_gives_alone(null: Null, n: int) -> None:
    x, alone, together = CLOUD[:n], rng(3), rng(3)
    draw = draws_of(null, x)
    for _ in range(3):
        assert np.array_equal(draw(together), NULL_CLOUDS[null](x, alone))
    assert np.array_equal(x, CLOUD[:n])


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


def test_isotropic_vectors_have_no_direction_but_the_clouds_size() -> None:
    drawn = isotropic_gaussian(CLOUD + 100, rng())
    assert drawn.shape == CLOUD.shape
    assert abs(mean_cosine(drawn)) < 0.02
    assert np.square(drawn).mean() == pytest.approx(np.square(CLOUD + 100).mean(), rel=0.1)


@pytest.mark.parametrize("family", ["direction", "spectrum"])
def test_an_isotropic_cloud_is_like_its_null(family: str) -> None:
    x = 0.1 * rng(2).normal(size=(500, 50))
    for measure in profiled_measures().values():
        # One needs a second cloud, one more dimensions than 50, and one is not defined of
        # directions that sum to none.
        left_out = ("iso_score_star", "alpha_req", "top_dimension_share")
        if measure.family == family and measure.name not in left_out:
            nulls = [value_of(measure.function(isotropic_gaussian(x, rng(s)))) for s in range(40)]
            measured = value_of(measure.function(x))
            assert min(nulls) - np.std(nulls) <= measured <= max(nulls) + np.std(nulls), (
                measure.name
            )


def some_texts() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Vectors, words as rare as in a language, bands, texts."""
    generator = rng()
    text = np.repeat(np.arange(60), 20)
    word = np.minimum(generator.zipf(1.5, size=1200), 200)
    band = np.tile(np.arange(20) // 10, 60)
    word_part, text_part = generator.normal(size=(201, 30)), generator.normal(size=(60, 30))
    x = word_part[word] + 2 * text_part[text] + 0.1 * generator.normal(size=(1200, 30))
    return x, word, band, text


def test_each_place_gets_a_vector_of_its_word_and_band_of_another_text() -> None:
    x, word, band, text = some_texts()
    exchanged, is_moved = exchanged_between_texts(x, word, band, text, rng(1))
    assert 0.5 < is_moved.mean() < 0.98
    assert (exchanged[~is_moved] == x[~is_moved]).all()
    index = {tuple(row): number for number, row in enumerate(x.tolist())}
    for place in np.flatnonzero(is_moved):
        source = index[tuple(exchanged[place].tolist())]
        assert (word[source], band[source]) == (word[place], band[place])
        assert text[source] != text[place]


def test_exchange_takes_what_vectors_owe_to_their_text() -> None:
    x, word, band, text = some_texts()
    exchanged, is_moved = exchanged_between_texts(x, word, band, text, rng(1))
    before, after = (
        intra_sentence_similarity(cloud[is_moved], text[is_moved]) for cloud in (x, exchanged)
    )
    assert before > after + 0.2


def test_a_word_that_one_text_has_most_of_cannot_all_be_moved() -> None:
    x = np.arange(5.0)[:, None]
    same = np.zeros(5, dtype=int)
    exchanged, is_moved = exchanged_between_texts(x, same, same, np.array([0, 0, 0, 0, 1]), rng())
    assert is_moved[4]
    assert is_moved.sum() == 2
    assert (exchanged[~is_moved] == x[~is_moved]).all()


def test_every_family_says_what_it_is_held_against() -> None:
    assert set(NULLS_OF_FAMILY) == set(FAMILIES)
    assert {null for nulls in NULLS_OF_FAMILY.values() for null in nulls} == set(NULL_CLOUDS)


def test_chance_alone_gives_hubs_in_many_dimensions() -> None:
    x = rng().normal(size=(1000, 100))
    nulls = [hubness(NULL_CLOUDS[null](x, rng(1))) for null in NULLS_OF_FAMILY["hubs"]]
    assert min(nulls) > 2  # no finding of its own, then
