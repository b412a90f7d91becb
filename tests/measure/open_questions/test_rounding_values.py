from dataclasses import replace

import numpy as np
import pytest

from embspace.measure.open_questions.rounding_states import read_texts
from embspace.measure.open_questions.rounding_values import (
    Bounded,
    full_values,
    likeness_rows,
    reciprocal_ranks,
    rounded_rows,
)
from tests.measure.open_questions.reading import articles, text_reader


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (0.5, "keeps"),
        (0.3, "keeps"),
        (0.29, "open"),
        (1.09, "open"),
        (1.2, "flips"),
        (-0.2, "flips"),
    ],
)
def test_a_value_flips_beyond_the_width_of_the_interval(value: float, verdict: str):
    assert Bounded(0.5, 0.3, 0.7).verdict(value) == verdict


def test_without_an_interval_the_verdict_is_open():
    assert Bounded(0.5, np.nan, np.nan).verdict(0.5) == "open"


def test_the_same_states_are_kept_whole_and_others_are_told():
    read = read_texts(articles(), text_reader(), 256, "cpu")
    full = full_values(read, 100, 5, 10, 0.95, 0)
    rows = list(rounded_rows(read, full))
    assert {row["measure"] for row in rows if row["layer"] == 1} == {
        *("mean_cosine", "two_nn", "hubness", "reciprocal_rank"),
    }
    assert {row["verdict"] for row in rows if not np.isnan(row["full_low"])} == {"keeps"}
    for row in likeness_rows(read, full):
        assert row["cosine"] == pytest.approx(1)
        assert row["neighbors_kept"] == 1
    noise = np.random.default_rng(0).normal(size=read.tokens.shape).astype(np.float32)
    other = replace(read, tokens=10 + noise)
    cosine_rows = [row for row in rounded_rows(other, full) if row["measure"] == "mean_cosine"]
    assert {row["verdict"] for row in cosine_rows} == {"flips"}
    assert all(row["cosine"] < 0.5 for row in likeness_rows(other, full))


def test_a_half_that_is_nearest_ranks_first():
    read = read_texts(articles(), text_reader(), 256, "cpu")
    planted = np.repeat(np.eye(8, 32, dtype=np.float32), 2, axis=0)
    planted = np.stack([planted] * 3)
    ranks = reciprocal_ranks(replace(read, pooled=planted), 0)
    assert ranks is not None and ranks.tolist() == [1.0] * 8
    nothing = replace(read, windows=read.windows[:0], pooled=read.pooled[:, :0])
    assert reciprocal_ranks(nothing, 0) is None
