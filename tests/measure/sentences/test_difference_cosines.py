from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from embspace.geometry.groups.offsets import half_sample_weights, mean_offsets, mean_weights
from embspace.geometry.inference.resampling import stream_of
from embspace.measure.sentences.difference_cosines import (
    _half_sample_scale,
    _with_bounds,
    cosine_table,
)
from embspace.measure.sentences.difference_pairs import Draws, PairedStates, sentence_pairs
from tests.measure.planted_sentences import planted

NO_DRAWS = Draws(
    signs=np.ones((1, 1)),
    re_paired=[],
    unrelated=[],
    two_unrelated=(np.zeros((0, 2), dtype=np.int64), np.zeros((0, 2), dtype=np.int64)),
)


def states_of(n_pairs: dict[str, int], noise: float, seed: int) -> PairedStates:
    """Two categories, whose offsets have the cosine -0.6."""
    axes = np.eye(100)
    offsets = {"a-b": axes[0], "c-d": -0.6 * axes[0] + 0.8 * axes[1]}
    given = planted(offsets, n_pairs, noise=noise, seed=seed)
    return PairedStates(
        pairs=sentence_pairs(given.stimuli, given.tokens),
        cells=pd.DataFrame({"layer": [0], "pooling": ["cls"]}),
        sentences=given.states["cls"],
        random_weights=given.states["random_cls"],
    )


def measured(
    n_pairs: dict[str, int], noise: float, seed: int, n_half_samples: int = 200
) -> pd.Series:
    return cosine_table(
        states_of(n_pairs, noise, seed),
        NO_DRAWS,
        smallest_reliability=0.1,
        n_half_samples=n_half_samples,
        level=0.95,
        generator=np.random.default_rng(seed),
    ).iloc[0]


@pytest.mark.slow
def test_intervals_hold_the_truth_where_corrected_and_what_noise_leaves_of_it_where_not():
    n_pairs = {"a-b": 12, "c-d": 9}
    expected = np.array([-0.6 / np.sqrt((1 + 2 / 12) * (1 + 2 / 9)), -0.6])
    hits = np.zeros(2)
    for seed in range(200):
        row = measured(n_pairs, np.sqrt(2), seed)
        for which, name in enumerate(("cosine", "corrected_cosine")):
            hits[which] += row[f"{name}_low"] <= expected[which] <= row[f"{name}_high"]
    # Of 0.95, with a standard error of 0.015; the raw cosine's is known to be a little narrow.
    assert 0.86 <= hits[0] / 200 <= 0.98
    assert 0.90 <= hits[1] / 200 <= 0.99


def test_the_interval_is_as_wide_as_new_samples_scatter():
    rows = [measured({"a-b": 10, "c-d": 10}, 1.0, seed) for seed in range(100)]
    for name in ("cosine", "corrected_cosine"):
        widths = [row[f"{name}_high"] - row[f"{name}_low"] for row in rows]
        scatter = np.std([row[name] for row in rows])
        assert 0.75 < np.mean(widths) / (2 * 1.96 * scatter) < 1.25


def test_all_deviate_from_the_truth_as_a_half_does_from_all():
    n_pairs = {"a-b": 9, "c-d": 9}
    row = measured(n_pairs, 1.0, 3, n_half_samples=1)
    states = states_of(n_pairs, 1.0, 3)
    d, category = states.differences()[0], states.pairs.category
    streams = [stream_of(np.random.default_rng(3), name) for name in n_pairs]
    weights = half_sample_weights(category, n_draws=1, generators=streams)
    half = mean_offsets(d @ d.T, category, weights).corrected_cosine[0, 0, 1]
    expected = row["corrected_cosine"] - (half - row["corrected_cosine"]) * np.sqrt(4 / 5)
    assert row["corrected_cosine_low"] == pytest.approx(expected)
    assert row["corrected_cosine_high"] == pytest.approx(expected)
    assert abs(half - row["corrected_cosine"]) > 0.01


def test_without_draws_there_is_no_p_value():
    row = measured({"a-b": 10, "c-d": 10}, 1.0, 0)
    assert row[["null_cosine", "null_cosine_low", "p_value", "q_value"]].isna().all()


def test_a_reliability_that_is_just_enough_is_enough():
    states = states_of({"a-b": 9, "c-d": 7}, 1.0, 0)
    (d,), category = states.differences(), states.pairs.category
    worst = mean_offsets(d @ d.T, category, mean_weights(category)).reliability[0].min()
    for smallest, is_enough in ((worst, True), (np.nextafter(worst, 1), False)):
        row = cosine_table(
            states,
            NO_DRAWS,
            smallest_reliability=smallest,
            n_half_samples=5,
            level=0.95,
            generator=np.random.default_rng(0),
        ).iloc[0]
        assert np.isfinite(row["corrected_cosine"]) == is_enough


def test_bounds_of_a_cosine_are_cosines_and_those_of_a_corrected_one_need_not_be():
    value, deviations = np.array([-0.9, 0.9]), np.array([[-0.4, -0.4], [0.4, 0.4]])
    cosine, corrected = (
        _with_bounds(name, value, deviations, 0.999) for name in ("cosine", "corrected_cosine")
    )
    assert cosine["cosine_low"] == pytest.approx([-1, 0.5], abs=1e-3)
    assert cosine["cosine_high"] == pytest.approx([-0.5, 1], abs=1e-3)
    assert corrected["corrected_cosine_low"] == pytest.approx([-1.3, 0.5], abs=1e-3)
    assert corrected["corrected_cosine_high"] == pytest.approx([-0.5, 1.3], abs=1e-3)


def test_halves_are_scaled_by_the_category_that_is_less_sure():
    one, two = np.array([0, 0, 1]), np.array([1, 2, 2])
    scale = _half_sample_scale(np.array([4, 5, 9]), one, two)
    assert scale == pytest.approx([1, 1, (4 / 5) ** 0.5])


def test_random_weights_and_draws_are_those_of_counting():
    states = states_of({"a-b": 6, "c-d": 5}, 1.0, 0)
    drawn = np.array([[0, 1], [2, 3], [4, 5]]), np.array([[6, 7], [8, 9], [10, 11]])
    row = cosine_table(
        states,
        replace(NO_DRAWS, two_unrelated=drawn),
        smallest_reliability=0.1,
        n_half_samples=9,
        level=0.5,
        generator=np.random.default_rng(0),
    ).iloc[0]

    def cosine(one: np.ndarray, other: np.ndarray) -> float:
        return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))

    for x, name in ((states.sentences, "cosine"), (states.random_weights, "random_weights_cosine")):
        d = x[0][states.pairs.second].astype(float) - x[0][states.pairs.first]
        means = [d[states.pairs.of(number)].mean(axis=0) for number in (0, 1)]
        assert row[name] == pytest.approx(cosine(*means))
    x = states.sentences[0].astype(float)
    null = [cosine(*(x[second] - x[first])) for first, second in zip(*drawn, strict=True)]
    ends = [row[f"null_cosine{end}"] for end in ("", "_low", "_high")]
    assert ends == pytest.approx([np.mean(null), *np.quantile(null, [0.25, 0.75])])
    as_far = sum(abs(draw) >= abs(row["cosine"]) for draw in null)
    assert row["p_value"] == pytest.approx((1 + as_far) / 4)
