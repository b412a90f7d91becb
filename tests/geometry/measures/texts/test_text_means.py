"""Holds sums over texts to the mean of their values."""

import numpy as np
import pytest

from embspace.geometry.measures.texts.text_curvature import text_angles_of, text_curvature
from embspace.geometry.measures.texts.text_entropy import text_entropies_of, text_entropy
from embspace.geometry.measures.texts.text_means import TextMeans, text_means_of


def test_the_mean_is_over_the_texts_that_have_a_value() -> None:
    means = text_means_of(iter([1.0, 2.0, 6.0]))
    assert (means.n_texts, means.total, means.mean) == (3, 9, 3)
    assert np.isnan(text_means_of([]).mean)


def test_sums_of_parts_add_up_to_those_of_all() -> None:
    rng = np.random.default_rng(0)
    x, group = rng.normal(size=(60, 5)), np.repeat(np.arange(12), 5)
    for sums_of, measure in ((text_angles_of, text_curvature), (text_entropies_of, text_entropy)):
        first, second = sums_of(x[:25], group[:25]), sums_of(x[25:], group[25:])
        both = TextMeans(first.n_texts + second.n_texts, first.total + second.total)
        assert measure(both, group) == pytest.approx(measure(x, group), rel=1e-12)
        assert sums_of(both, group) is both


def test_sums_are_of_one_order() -> None:
    sums = text_means_of([1.0])
    with pytest.raises(ValueError, match="order: expected 1 of sums over texts, found 2"):
        text_entropy(sums, np.zeros(1, dtype=int), order=2)
