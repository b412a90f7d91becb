from typing import Any

import numpy as np
import pytest

from embspace.compare.same_points import PointSet, point_sets
from tests.compare.test_alignment import inputs


def sets(**change: Any) -> list[PointSet]:
    settings = {"word_corpora": ["news"], "largest_n": 100, "seed": 0} | change
    clouds = {name: value for name, value in inputs().items() if "positions" not in name}
    return list(point_sets(**clouds, **settings))


def test_points_of_stimuli_alone_are_no_sample_and_have_random_weights():
    texts, words, stimuli = sets()
    assert [points.unit for points in (texts, words, stimuli)] == ["text", "word", "text"]
    assert texts.views.is_sample and words.views.is_sample and not stimuli.views.is_sample
    assert stimuli.random is not None and texts.random is words.random is None


def test_points_of_both_models_are_the_same_texts_up_to_a_rotation():
    texts, words, _ = sets()
    for x, y in ((views.x[0], views.y[0]) for views in (texts.views, words.views)):
        assert x @ x.T == pytest.approx(y @ y.T)


def test_the_draw_depends_on_seed_and_corpus_alone():
    first = sets(largest_n=5)[0].views.x
    assert np.array_equal(first, sets(largest_n=5, word_corpora=[])[0].views.x)
    assert not np.array_equal(first, sets(largest_n=5, seed=1)[0].views.x)
