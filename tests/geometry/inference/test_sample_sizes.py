"""Holds curves by sample size to measures of known clouds, and to which texts they draw."""

from typing import Any

import numpy as np
import pytest

from embspace.geometry import debiased_participation_ratio, mean_cosine
from embspace.geometry.inference.sample_sizes import SampleSize, sample_size_curve
from embspace.geometry.measures.registry import definitions

N_TEXTS, OF_TEXT, DIM = 40, 5, 30
TEXT = np.repeat(np.arange(N_TEXTS) * 3, OF_TEXT)  # any numbers do
X = np.random.default_rng(0).normal(size=(len(TEXT), DIM))


def curves(*names: str, x: np.ndarray = X, **given: Any) -> dict[str, list[SampleSize]]:
    settings: dict[str, Any] = {
        "shares": [0.5, 0.1],
        "n_draws": 6,
        "rng": np.random.default_rng(0),
        **given,
    }
    return sample_size_curve(x, TEXT, measures=[definitions()[name] for name in names], **settings)


def test_the_curve_ends_with_the_measure_of_all() -> None:
    curves_by_name = curves("mean_cosine", "debiased_participation_ratio")
    for name, function in (
        ("mean_cosine", mean_cosine),
        ("debiased_participation_ratio", debiased_participation_ratio),
    ):
        last = curves_by_name[name][-1]
        assert (last.n_texts, last.n, last.n_draws) == (N_TEXTS, len(X), 1)
        assert last.mean == last.smallest == last.largest == pytest.approx(function(X))


def test_sizes_rise_and_texts_are_drawn_whole() -> None:
    curve = curves("mean_cosine")["mean_cosine"]
    assert [point.n_texts for point in curve] == [4, 20, 40]
    assert [point.n for point in curve] == [20, 100, 200]
    assert [point.n_draws for point in curve] == [6, 6, 1]
    assert all(point.smallest < point.mean < point.largest for point in curve[:-1])


def test_a_text_is_not_drawn_twice() -> None:
    x = np.eye(N_TEXTS)[np.repeat(np.arange(N_TEXTS), OF_TEXT)]
    for point in curves("stable_rank", x=x)["stable_rank"]:
        # One direction a text, all of like length.
        assert [point.smallest, point.largest] == pytest.approx([point.n_texts] * 2)


def test_a_biased_measure_rises_and_an_unbiased_one_does_not() -> None:
    names = ("participation_ratio", "debiased_participation_ratio")
    biased, unbiased = curves(*names, n_draws=20).values()
    assert biased[0].mean < 0.6 * biased[-1].mean
    assert unbiased[1].mean == pytest.approx(unbiased[-1].mean, rel=0.15)


def test_fewer_than_four_texts_are_no_sample() -> None:
    curve = curves("mean_cosine", shares=[0.05, 0.25])["mean_cosine"]
    assert [point.n_texts for point in curve] == [10, 40]


def test_a_draw_without_a_value_counts_in_no_mean() -> None:
    word = np.arange(len(X))
    word[OF_TEXT] = word[0]  # the one word that occurs twice, in two texts
    first, second, last = curves("self_similarity", word=word, n_draws=20)["self_similarity"]
    assert last.mean == pytest.approx(mean_cosine(X[[0, OF_TEXT]]))
    assert second.mean == second.smallest == second.largest == pytest.approx(last.mean)
    assert np.isnan(first.mean) and np.isnan(first.largest)  # no draw of 4 has both


def test_what_needs_words_is_left_out_without() -> None:
    curves_by_name = curves("self_similarity", "intra_sentence_similarity")
    assert list(curves_by_name) == ["intra_sentence_similarity"]


def test_the_generator_is_the_one_door() -> None:
    assert curves("mean_cosine") == curves("mean_cosine")
    other = curves("mean_cosine", rng=np.random.default_rng(1))
    assert other["mean_cosine"][0] != curves("mean_cosine")["mean_cosine"][0]


@pytest.mark.parametrize("share", [0.0, 1.0, 1.5])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="shares: expected each in"):
        curves("mean_cosine", shares=[0.5, share])
