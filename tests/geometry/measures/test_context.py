"""Holds measures of context to the pairs and texts that they are of, and shows what was coded."""

import numpy as np
import pytest
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.metrics.pairwise import cosine_similarity

from embspace.geometry.groups.shared_direction import mean_pair_cosine
from embspace.geometry.measures.context import (
    adjusted_maximum_explainable_variance,
    adjusted_self_similarity,
    intra_sentence_similarity,
    maximum_explainable_variance,
    maximum_explainable_variance_as_coded,
    maximum_explainable_variance_as_recoded,
    self_similarity,
)
from embspace.geometry.measures.registry import profiled_measures
from embspace.geometry.measures.spectral_measures import top_variance_share
from tests.geometry.clouds import CLOUD, WORDS

CONTEXT = [measure for measure in profiled_measures().values() if measure.family == "context"]
EVERY = pytest.mark.parametrize("defined", CONTEXT, ids=[measure.name for measure in CONTEXT])


def word_clouds() -> list[np.ndarray]:
    return [CLOUD[word == WORDS] for word in range(20)]


def test_self_similarity_is_the_mean_over_words_of_all_their_pairs() -> None:
    means = []
    for x in word_clouds():
        cosines = cosine_similarity(x)
        means.append(cosines[~np.eye(len(x), dtype=bool)].mean())
    assert self_similarity(CLOUD, WORDS) == pytest.approx(np.mean(means))
    baseline = mean_pair_cosine(CLOUD, WORDS)
    assert adjusted_self_similarity(CLOUD, WORDS) == pytest.approx(np.mean(means) - baseline)


def test_words_that_occur_once_count_in_the_baseline_alone() -> None:
    x, group = CLOUD[:5], np.array([0, 0, 1, 2, 3])
    expected = cosine_similarity(x[:1], x[1:2])[0, 0]
    assert self_similarity(x, group) == pytest.approx(expected)
    assert np.isnan(self_similarity(x, np.arange(5)))
    assert np.isnan(adjusted_self_similarity(x, np.zeros(5, dtype=int)))


def test_intra_sentence_similarity_is_held_against_the_mean_of_each_text() -> None:
    means = [cosine_similarity(x, x.mean(axis=0, keepdims=True)).mean() for x in word_clouds()]
    assert intra_sentence_similarity(CLOUD, WORDS) == pytest.approx(np.mean(means))
    opposite = np.array([[1.0, 0.0], [-1.0, 0.0], [2.0, 1.0]])
    assert intra_sentence_similarity(opposite, np.array([0, 0, 1])) == pytest.approx(1)


def test_explainable_variance_is_of_occurrences_as_they_are() -> None:
    singular = [np.linalg.svd(x, compute_uv=False) for x in word_clouds()]
    shares = [s[0] ** 2 / (s**2).sum() for s in singular]
    assert maximum_explainable_variance(CLOUD, WORDS) == pytest.approx(np.mean(shares))
    all_singular = np.linalg.svd(CLOUD, compute_uv=False)
    baseline = all_singular[0] ** 2 / (all_singular**2).sum()
    share = adjusted_maximum_explainable_variance(CLOUD, WORDS)
    assert share == pytest.approx(np.mean(shares) - baseline)


def test_the_codes_variants_are_those_of_scikit_learn() -> None:
    coded = [
        TruncatedSVD(1, algorithm="arpack").fit(x).explained_variance_ratio_[0]
        for x in word_clouds()
    ]
    assert maximum_explainable_variance_as_coded(CLOUD, WORDS) == pytest.approx(np.mean(coded))
    recoded = [PCA(1).fit(x).explained_variance_ratio_[0] for x in word_clouds()]
    share = maximum_explainable_variance_as_recoded(CLOUD, WORDS)
    assert share == pytest.approx(np.mean(recoded))
    assert share == pytest.approx(np.mean([top_variance_share(x) for x in word_clouds()]))


def test_definition_and_code_differ_by_orders_where_vectors_are_alike() -> None:
    # A word whose occurrences have a mean cosine of about .68 in 768 dimensions.
    rng = np.random.default_rng(0)
    x = rng.normal(size=(500, 768)) + 1.46 * rng.normal(size=768)
    word = np.zeros(500, dtype=int)
    assert self_similarity(x, word) == pytest.approx(0.68, abs=0.02)
    printed = maximum_explainable_variance(x, word)
    assert printed == pytest.approx(0.68, abs=0.02)  # about the mean cosine: it cannot be small
    assert maximum_explainable_variance_as_coded(x, word) < 0.005
    assert maximum_explainable_variance_as_recoded(x, word) < 0.01


def test_words_that_do_not_vary_have_no_variance_to_explain() -> None:
    equal, word = np.full((7, 5), 0.1), np.zeros(7, dtype=int)
    assert np.isnan(maximum_explainable_variance_as_coded(equal, word))
    assert np.isnan(maximum_explainable_variance_as_recoded(equal, word))
    assert maximum_explainable_variance(equal, word) == pytest.approx(1)


def test_rare_words_seem_explained_even_when_dealt_at_random() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 100)) + 1.5 * rng.normal(size=100)
    shares = {
        size: adjusted_maximum_explainable_variance(x, np.repeat(np.arange(600 // size), size))
        for size in (2, 20)
    }
    assert shares[2] > 0.1 > 0.04 > shares[20] > 0


@EVERY
def test_the_numbers_of_the_groups_are_names_alone(defined) -> None:
    renamed = (WORDS * 7919 - 5) % 100003
    assert defined.function(CLOUD, renamed) == pytest.approx(defined.function(CLOUD, WORDS))


@EVERY
@pytest.mark.parametrize(
    ("group", "message"),
    [
        (WORDS[:5], r"group: expected 200 numbers, found shape \(5,\)"),
        (WORDS.astype(float), "group: expected whole numbers, found float64"),
    ],
)
def test_groups_have_to_fit(defined, group: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        defined.function(CLOUD, group)
