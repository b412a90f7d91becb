import numpy as np
import pandas as pd
import pytest

from embspace.app.practice.reading import read_corpus
from embspace.measure.practice.judged_texts import (
    judged_among,
    judged_table,
    judged_within,
    kinds_of,
)


def cloud(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, 10)) + 3


def test_a_planted_text_is_first_within_a_corpus():
    x = cloud(150)
    x[20] = -x[20]
    table = judged_table(judged_within(read_corpus(x).at(), 10))
    assert table["id"][0] == "20" and table["is_outlier"].tolist() == [True] + [False] * 149
    assert table["percentile"][0] == pytest.approx(100 * 149 / 150)


def test_further_texts_are_held_against_the_corpus_alone():
    judged = judged_among(read_corpus(-cloud(4, 1)).at(), read_corpus(cloud(300)).at(), 10)
    assert not judged.is_within and judged.n_documents == 300
    assert judged.p_value == pytest.approx(1 / 301) and judged.is_outlier.all()
    assert judged.smallest_p == 1 / 301
    assert len(judged.own) == 300 and (judged.percentile == 100).all()


def share_below(seed: int) -> float:
    x = cloud(240, seed)
    halves = judged_among(read_corpus(x[:120]).at(), read_corpus(x[120:]).at(), 10)
    return float((halves.p_value <= 0.05).mean())


def test_a_twentieth_of_a_half_lies_beyond_the_other():
    shares = [share_below(seed) for seed in range(100)]
    assert np.mean(shares) == pytest.approx(0.05, abs=0.01) and max(shares) > 0.05


def test_gaussian_clouds_have_no_outlier_of_their_own_in_ninety_of_a_hundred():
    judged = [judged_within(read_corpus(cloud(150, seed)).at(), 10) for seed in range(100)]
    assert sum(not one.is_outlier.any() for one in judged) >= 90


def test_without_outliers_there_are_no_kinds():
    table = pd.DataFrame({"is_outlier": [False], "script": ["Latin"]})
    assert kinds_of(table).empty
