from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from embspace.measure.sentences.differences import Differences
from tests.measure.planted_sentences import planted
from tests.measure.sentences.test_differences import AXES, DIM, OFFSETS, category_of, measure


@pytest.fixture(scope="module")
def found() -> Differences:
    return measure(planted(OFFSETS, 12, noise=1.0))


def test_a_planted_offset_is_found(found: Differences):
    for category in ("female-male", "doctor-nurse", "c-d", "e-f"):
        row = category_of(found, category)
        assert row["n"] == 12
        assert row["consistency"] == pytest.approx(0.5, abs=0.06)
        assert row["consistency_low"] < row["consistency"] < row["consistency_high"]
        assert row["reliability"] == pytest.approx(1 / (1 + 1 / 12), abs=0.03)
        assert row["norm_of_mean"] == pytest.approx(np.sqrt(1 + 1 / 12), abs=0.05)
        assert row["mean_norm"] == pytest.approx(np.sqrt(2), abs=0.05)
        for null in ("sign_flips", "re_paired", "unrelated", "different_tokens"):
            assert row[f"p_value_{null}"] < 0.02
            assert row[f"p_value_{null}"] <= row[f"q_value_{null}"] < 0.03


def test_no_offset_no_consistency(found: Differences):
    row = category_of(found, "g-h")
    assert row["consistency"] == pytest.approx(0, abs=0.05)
    assert row["p_value_sign_flips"] > 0.05
    assert row["p_value_unrelated"] > 0.05
    # Offsets that cancel: without one, n pairs dealt out anew have -1 / (n - 1) times what the
    # frames have of the squared length.
    assert row["null_consistency_re_paired"] == pytest.approx(-1 / 11, abs=0.02)
    assert row["random_weights_consistency"] == pytest.approx(0, abs=0.05)


def test_a_shared_word_makes_differences_alike_but_not_those_without_it():
    # All pairs change the same token, but for two; all other sentences have tokens of their own.
    given = planted({"a-b": AXES[0], "c-d": AXES[1]}, 6)
    tokens = given.tokens.copy()
    own = tokens["id"] >= 1000
    category = given.stimuli["category"].to_numpy()[tokens["window"]]
    number = given.stimuli["pair"].astype(int).to_numpy()[tokens["window"]]
    tokens.loc[own & (category == "a-b") & (number < 4), "id"] = 77
    side = given.stimuli["side"].to_numpy()[tokens["window"]]
    tokens.loc[own & (category == "a-b") & (number < 4) & (side == "first"), "id"] = 78
    found = measure(replace(given, tokens=tokens))
    assert category_of(found, "c-d")["n_compared_different_tokens"] == 15
    row = category_of(found, "a-b")
    assert row["n_compared_different_tokens"] == 15 - 6
    d = np.diff(given.states["cls"][0, :12].reshape(6, 2, DIM), axis=1)[:, 0].astype(float)
    unit = d / np.linalg.norm(d, axis=1, keepdims=True)
    cosines = [unit[i] @ unit[j] for i, j in combinations(range(6), 2) if j >= 4]
    assert row["consistency_different_tokens"] == pytest.approx(np.mean(cosines), abs=1e-6)


def test_poolings_that_differ_by_a_scale_differ_in_lengths_alone(found: Differences):
    one, two = (category_of(found, "c-d", pooling) for pooling in ("cls", "mean"))
    assert two["norm_of_mean"] == pytest.approx(2 * one["norm_of_mean"])
    assert two["consistency"] == pytest.approx(one["consistency"])
