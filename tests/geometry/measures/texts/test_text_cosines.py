"""Holds cosines with the mean of a text to scikit-learn's, and to adding up over texts."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from embspace.geometry.measures.texts.text_cosines import text_cosines_of
from tests.geometry.clouds import CLOUD, WORDS


def test_the_total_is_over_texts_of_the_mean_over_their_vectors() -> None:
    texts = [CLOUD[text == WORDS] for text in np.unique(WORDS)]
    cosines = [cosine_similarity(x, x.mean(axis=0, keepdims=True)).mean() for x in texts]
    cosine_sums = text_cosines_of(CLOUD, WORDS)
    assert (cosine_sums.n_texts, cosine_sums.total) == (len(texts), pytest.approx(sum(cosines)))
    assert text_cosines_of(cosine_sums, WORDS) is cosine_sums


def test_those_of_two_halves_add_up() -> None:
    first = WORDS < 9
    parts = [text_cosines_of(CLOUD[rows], WORDS[rows]) for rows in (first, ~first)]
    whole = text_cosines_of(CLOUD, WORDS)
    assert sum(part.n_texts for part in parts) == whole.n_texts
    assert sum(part.total for part in parts) == pytest.approx(whole.total)


def test_a_text_without_a_direction_does_not_count() -> None:
    x = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    cosine_sums = text_cosines_of(x, np.array([0, 0, 1, 1]))
    assert (cosine_sums.n_texts, cosine_sums.total) == (1, pytest.approx(1.0))
    none = text_cosines_of(np.zeros((3, 2)), np.arange(3))
    assert (none.n_texts, none.total) == (0, 0.0)
