from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.measure.sentences.difference_consistency import consistency_table
from embspace.measure.sentences.difference_pairs import PairedStates, draw_pairs, sentence_pairs
from tests.measure.planted_sentences import planted
from tests.measure.sentences.test_differences import AXES, DIM, OFFSETS, category_of, measure


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return measure(planted(OFFSETS, 12, noise=1.0))


def test_a_planted_offset_is_found(outcome: Outcome):
    for category in ("female-male", "doctor-nurse", "c-d", "e-f"):
        row = category_of(outcome, category)
        assert row["n"] == 12
        assert row["consistency"] == pytest.approx(0.5, abs=0.06)
        assert row["consistency_low"] < row["consistency"] < row["consistency_high"]
        assert row["reliability"] == pytest.approx(1 / (1 + 1 / 12), abs=0.03)
        assert row["norm_of_mean"] == pytest.approx(np.sqrt(1 + 1 / 12), abs=0.05)
        assert row["mean_norm"] == pytest.approx(np.sqrt(2), abs=0.05)
        for null in ("sign_flips", "re_paired", "unrelated", "different_tokens"):
            assert row[f"p_value_{null}"] < 0.02
            assert row[f"p_value_{null}"] <= row[f"q_value_{null}"] < 0.03


def test_no_offset_no_consistency(outcome: Outcome):
    row = category_of(outcome, "g-h")
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
    outcome = measure(replace(given, tokens=tokens))
    assert category_of(outcome, "c-d")["n_compared_different_tokens"] == 15
    row = category_of(outcome, "a-b")
    assert row["n_compared_different_tokens"] == 15 - 6
    d = np.diff(given.states["cls"][0, :12].reshape(6, 2, DIM), axis=1)[:, 0].astype(float)
    unit = d / np.linalg.norm(d, axis=1, keepdims=True)
    cosines = [unit[i] @ unit[j] for i, j in combinations(range(6), 2) if j >= 4]
    assert row["consistency_different_tokens"] == pytest.approx(np.mean(cosines), abs=1e-6)


def test_poolings_that_differ_by_a_scale_differ_in_lengths_alone(outcome: Outcome):
    one, two = (category_of(outcome, "c-d", pooling) for pooling in ("cls", "mean"))
    assert two["norm_of_mean"] == pytest.approx(2 * one["norm_of_mean"])
    assert two["consistency"] == pytest.approx(one["consistency"])


def test_every_null_by_counting():
    given = planted({"a-b": AXES[0], "c-d": AXES[1], "e-f": AXES[2]}, 4, noise=1.0)
    pairs = sentence_pairs(given.stimuli, given.tokens)
    states = PairedStates(
        pairs,
        pd.DataFrame({"layer": [0], "pooling": ["cls"]}),
        given.states["cls"][:1],
        given.states["random_cls"][:1],
    )
    draws = draw_pairs(
        pairs,
        given.tokens.groupby("window").size().to_numpy(),
        length_tolerance=9,
        n_sign_flips=30,
        n_pairing_draws=20,
        n_direction_draws=1,
        generator=np.random.default_rng(0),
    )
    options = {"n_half_samples": 5, "level": 0.5, "generator": np.random.default_rng(0)}
    table = consistency_table(states, draws, **options).set_index("category")
    x, random = states.sentences[0].astype(float), states.random_weights[0].astype(float)

    def consistency(d: np.ndarray, signs: np.ndarray | float = 1.0) -> float:
        unit = d / np.linalg.norm(d, axis=1, keepdims=True) * np.reshape(signs, (-1, 1))
        return float((unit @ unit.T)[~np.eye(len(d), dtype=bool)].mean())

    for number, name in enumerate(pairs.categories):
        row, own = table.loc[name], pairs.of(number)
        d, random_differences = (
            vectors[pairs.second[own]] - vectors[pairs.first[own]] for vectors in (x, random)
        )
        value = consistency(d)
        assert row["n"] == 4 and row["consistency"] == pytest.approx(value)
        assert row["mean_norm"] == pytest.approx(np.linalg.norm(d, axis=1).mean())
        assert row["norm_of_mean"] == pytest.approx(np.linalg.norm(d.mean(axis=0)))
        assert row["random_weights_consistency"] == pytest.approx(consistency(random_differences))
        nulls = {"sign_flips": [consistency(d, signs[own]) for signs in draws.signs]}
        for null, drawn in (("re_paired", draws.re_paired), ("unrelated", draws.unrelated)):
            both = zip(*drawn[number], strict=True)
            nulls[null] = [consistency(x[second] - x[first]) for first, second in both]
        for null, values in nulls.items():
            ends = [row[f"null_consistency_{null}{end}"] for end in ("", "_low", "_high")]
            expected = [np.mean(values), *np.quantile(values, [0.25, 0.75])]
            assert ends == pytest.approx(expected, abs=1e-9), null
            as_large = sum(draw >= value - 1e-12 for draw in values)
            assert row[f"p_value_{null}"] == pytest.approx((1 + as_large) / (1 + len(values)))
