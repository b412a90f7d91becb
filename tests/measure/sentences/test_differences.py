from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA

from embspace.analysis import Outcome
from embspace.errors import InputError
from embspace.measure.sentences.differences import measure_differences
from tests.analyses import settings_of
from tests.measure.planted_sentences import Planted, planted

DIM = 200
AXES = np.eye(DIM)
SETTINGS = settings_of(
    measure_differences,
    shown_pooling="cls",
    smallest_reliability=0.5,
    n_sign_flips=500,
    n_pairing_draws=100,
    n_direction_draws=1000,
    n_half_samples=200,
)
FEW = {"n_half_samples": 10, "n_pairing_draws": 10, "n_sign_flips": 20, "n_direction_draws": 20}
# doctor-nurse leans against female-male; the other two have nothing to do with anything.
OFFSETS = {
    "female-male": AXES[0],
    "doctor-nurse": -0.6 * AXES[0] + 0.8 * AXES[1],
    "c-d": AXES[2],
    "e-f": AXES[3],
    "g-h": 0 * AXES[0],
}


def measure(given: Planted, **change: Any) -> Outcome:
    return measure_differences(given.stimuli, given.tokens, given.states, **SETTINGS | change)


def inputs(*, is_empty: bool) -> dict[str, Any]:
    given = planted(OFFSETS, 6, noise=1.0, n_layers=2)
    if is_empty:
        states = {name: x[:, :0] for name, x in given.states.items()}
        given = replace(given, states=states, tokens=given.tokens[:0])
    return {"stimuli": given.stimuli, "tokens": given.tokens, "states": given.states}


def cosine_of(outcome: Outcome, *categories: str, pooling: str = "cls") -> pd.Series:
    table = outcome["cosines"][outcome["cosines"]["pooling"] == pooling]
    chosen = [{a, b} == {*categories} for a, b in table[["category_1", "category_2"]].to_numpy()]
    return table[chosen].iloc[0]


def category_of(outcome: Outcome, category: str, pooling: str = "cls") -> pd.Series:
    table = outcome["categories"]
    chosen = (table["category"] == category) & (table["pooling"] == pooling)
    return table[chosen].iloc[0]


@pytest.fixture(scope="module")
def given() -> Planted:
    return planted(OFFSETS, 12, noise=1.0, n_layers=2)


@pytest.fixture(scope="module")
def outcome(given: Planted) -> Outcome:
    return measure(given)


def test_planted_cosines_are_recovered_and_the_others_are_chance(outcome: Outcome):
    row = cosine_of(outcome, "female-male", "doctor-nurse")
    assert row["cosine"] == pytest.approx(-0.6 / (1 + 1 / 12), abs=0.05)
    assert row["corrected_cosine"] == pytest.approx(-0.6, abs=0.05)
    assert row["corrected_cosine_low"] < -0.6 < row["corrected_cosine_high"]
    assert row["cosine_low"] < row["cosine"] < row["cosine_high"]
    assert row["p_value"] < 0.01
    assert row["q_value"] < 0.02
    assert abs(row["random_weights_cosine"]) < 0.3
    for others in (("c-d", "e-f"), ("female-male", "c-d"), ("doctor-nurse", "e-f")):
        row = cosine_of(outcome, *others)
        assert row["null_cosine_low"] < row["cosine"] < row["null_cosine_high"]
        assert row["q_value"] > 0.05


def test_a_mean_that_is_mostly_noise_is_not_corrected(outcome: Outcome):
    row = cosine_of(outcome, "g-h", "c-d")
    assert np.isfinite(row["cosine"])
    assert np.isnan(row[["corrected_cosine", "corrected_cosine_low"]].to_numpy(float)).all()


def test_the_p_values_of_unrelated_directions_are_uniform():
    # Categories whose directions are drawn as those of sentences are.
    rng = np.random.default_rng(0)
    p_values = []
    for seed in range(6):
        spread = np.where(np.arange(DIM) < 20, 3.0, 0.3)
        offsets = {f"{i}-": rng.normal(size=DIM) * spread / 10 for i in range(12)}
        given = _scaled(planted(offsets, 6, noise=0.5, seed=seed), offsets, spread)
        outcome = measure(given, n_sign_flips=2, n_pairing_draws=2, n_half_samples=2)
        p_values += outcome["cosines"].query("pooling == 'cls'")["p_value"].tolist()
    shares = [np.mean(np.array(p_values) <= level) for level in (0.1, 0.5, 0.9)]
    assert shares == pytest.approx([0.1, 0.5, 0.9], abs=0.06)


def _scaled(given: Planted, offsets: dict[str, np.ndarray], spread: np.ndarray) -> Planted:
    """Frames and noise as anisotropic as the offsets, which are left as they are."""
    offset = np.stack([offsets[category] for category in given.stimuli["category"]])
    offset[(given.stimuli["side"] == "first").to_numpy()] = 0
    x = (given.states["cls"] - offset) * spread + offset
    return replace(given, states={name: x.astype(np.float32) for name in given.states})


def test_exchanging_all_sides_changes_no_cosine(given: Planted, outcome: Outcome):
    swapped = measure(given.swapped({*OFFSETS}))
    same = ["norm_of_mean", "mean_norm", "reliability", "consistency", "random_weights_consistency"]
    same += ["consistency_different_tokens"]
    pd.testing.assert_frame_equal(swapped["categories"][same], outcome["categories"][same])
    same = ["cosine", "corrected_cosine", "random_weights_cosine"]
    pd.testing.assert_frame_equal(swapped["cosines"][same], outcome["cosines"][same])


def test_exchanging_the_sides_of_one_category_changes_the_sign_of_its_cosines(
    given: Planted, outcome: Outcome
):
    swapped = measure(given.swapped({"doctor-nurse"}))
    pd.testing.assert_series_equal(
        swapped["categories"]["consistency"], outcome["categories"]["consistency"]
    )
    for one, two in combinations(OFFSETS, 2):
        sign = -1 if "doctor-nurse" in (one, two) else 1
        for name in ("cosine", "corrected_cosine"):
            expected = sign * cosine_of(outcome, one, two)[name]
            assert cosine_of(swapped, one, two)[name] == pytest.approx(expected, nan_ok=True)
    assert swapped["json"]["bias"]["cosine"] > 0


def test_nurses_with_women_is_a_negative_cosine():
    # "nurse" is made of "doctor" as "female" of "male": against the way of the first category.
    female, male, doctor = AXES[0], AXES[1], AXES[2]
    nurse = doctor + 0.5 * (female - male)
    offsets = {"female-male": male - female, "doctor-nurse": nurse - doctor}
    assert measure(planted(offsets))["json"]["bias"]["cosine"] < -0.8


def test_the_order_of_the_sentences_does_not_matter(given: Planted, outcome: Outcome):
    n = len(given.stimuli)
    order = np.random.default_rng(0).permutation(n)
    other = measure(given.reordered(order))
    key, names = ["layer", "pooling", "category"], ["consistency", "reliability", "norm_of_mean"]
    pd.testing.assert_frame_equal(
        other["categories"].set_index(key)[names].sort_index(),
        outcome["categories"].set_index(key)[names].sort_index(),
    )
    for one, two in combinations(OFFSETS, 2):
        expected = cosine_of(outcome, one, two)["cosine"]
        assert cosine_of(other, one, two)["cosine"] == pytest.approx(expected)


def test_a_rotation_of_the_space_changes_nothing(given: Planted, outcome: Outcome):
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(DIM, DIM)))[0]
    turned = {name: (x @ turn).astype(np.float32) for name, x in given.states.items()}
    other = measure(replace(given, states=turned))
    chosen = outcome["cosines"].columns.drop(["p_value", "q_value"])
    pd.testing.assert_frame_equal(other["cosines"][chosen], outcome["cosines"][chosen], atol=1e-5)
    chosen = [name for name in outcome["categories"] if "_value" not in name]
    pd.testing.assert_frame_equal(
        other["categories"][chosen], outcome["categories"][chosen], atol=1e-5
    )


def test_a_layer_more_moves_no_other_number(given: Planted, outcome: Outcome):
    states = {name: x[:1] for name, x in given.states.items()}
    first = measure(replace(given, states=states))
    kept = outcome["cosines"][outcome["cosines"]["layer"] == 0]
    pd.testing.assert_frame_equal(first["cosines"], kept.reset_index(drop=True))
    kept = outcome["categories"][outcome["categories"]["layer"] == 0]
    pd.testing.assert_frame_equal(first["categories"], kept.reset_index(drop=True))


def test_random_weights_are_the_states_of_that_name(given: Planted, outcome: Outcome):
    exchanged = {
        name: given.states[name.removeprefix("random_") if "_" in name else f"random_{name}"]
        for name in given.states
    }
    other = measure(replace(given, states=exchanged))
    for one, two, names in (
        (
            outcome["categories"],
            other["categories"],
            ["consistency", "consistency_different_tokens"],
        ),
        (outcome["cosines"], other["cosines"], ["cosine"]),
    ):
        for name in names:
            expected = one[name].rename(f"random_weights_{name}")
            pd.testing.assert_series_equal(other_column(two, name), expected)


def other_column(table: pd.DataFrame, name: str) -> pd.Series:
    return table[f"random_weights_{name}"]


def test_one_pair_is_a_direction_and_no_more():
    outcome = measure(planted(OFFSETS, {**dict.fromkeys(OFFSETS, 6), "c-d": 1, "e-f": 3}))
    row = category_of(outcome, "c-d")
    assert row["norm_of_mean"] == pytest.approx(row["mean_norm"])
    undefined = row.drop(["layer", "pooling", "category", "n", "norm_of_mean", "mean_norm"])
    undefined = undefined.drop("n_compared_different_tokens")
    assert undefined.isna().all()
    row = cosine_of(outcome, "c-d", "female-male")
    assert np.isfinite(row["cosine"])
    assert row[["cosine_low", "cosine_high", "corrected_cosine"]].isna().all()
    # Three pairs have a reliability, but no interval.
    row = cosine_of(outcome, "e-f", "female-male")
    assert np.isfinite(row["corrected_cosine"])
    assert row[["cosine_low", "corrected_cosine_high"]].isna().all()


def test_states_that_are_all_equal_have_no_differences(given: Planted, outcome: Outcome):
    states = given.states | {"max": np.ones_like(given.states["max"])}
    other = measure(replace(given, states=states), shown_pooling="max")
    row = category_of(other, "c-d", pooling="max")
    assert row["mean_norm"] == 0
    measured = [name for name in row.index if "consistency" in name and "random" not in name]
    assert row[[*measured, "reliability"]].isna().all()
    assert np.isnan(cosine_of(other, "c-d", "e-f", pooling="max")["cosine"])
    assert cosine_of(other, "c-d", "e-f", pooling="mean")["cosine"] == pytest.approx(
        cosine_of(outcome, "c-d", "e-f", pooling="mean")["cosine"]
    )
    assert other["json"]["largest"] == {}
    assert np.isnan(other["json"]["bias"]["cosine"])
    assert np.isnan(other["json"]["explained_variance_1"])


def test_in_the_place_of_a_first_token_that_saw_no_other_the_mean_is_shown(given: Planted):
    states = given.states | {"cls": np.ones_like(given.states["cls"])}
    outcome = measure(replace(given, states=states))
    assert outcome["json"]["pooling"] == "mean"
    by_mean = measure(replace(given, states=states), shown_pooling="mean")
    assert outcome["json"]["consistency"] == by_mean["json"]["consistency"]
    assert outcome["map"].equals(by_mean["map"])
    assert outcome["examples"].equals(by_mean["examples"])


def test_rows(outcome: Outcome):
    assert len(outcome["categories"]) == 2 * 3 * 5
    assert len(outcome["cosines"]) == 2 * 3 * 10
    assert outcome["categories"]["layer"].tolist() == [0] * 15 + [1] * 15
    assert outcome["categories"]["category"].tolist() == [*OFFSETS] * 6


def test_the_summary_is_of_the_last_layer(outcome: Outcome):
    summary = outcome["json"]
    assert (summary["layer"], summary["pooling"], summary["n_pairs"]) == (1, "cls", 60)
    shown = outcome["cosines"].query("layer == 1 and pooling == 'cls'")
    cosine = shown["cosine"].astype(float)
    assert summary["largest"]["cosine"] == cosine.max()
    assert summary["smallest"]["cosine"] == cosine.min() == summary["bias"]["cosine"]
    assert abs(summary["nearest_to_zero"]["cosine"]) == cosine.abs().min()
    assert {summary["bias"]["category_1"], summary["bias"]["category_2"]} == {
        "female-male",
        "doctor-nurse",
    }
    assert list(summary["consistency"]) == [*OFFSETS]
    assert "layer" not in summary["bias"]


def test_a_set_without_the_bias_categories_has_no_bias(given: Planted):
    assert measure(given, bias_categories=["female-male", "x-y"])["json"]["bias"] == {}


def test_the_map_is_the_projection_about_no_difference(given: Planted, outcome: Outcome):
    x = given.states["cls"][-1].astype(np.float64)
    d = x[1::2] - x[::2]
    pca = PCA(2, svd_solver="full").fit(d)
    # The sign of an axis is free; here its largest entry is positive.
    largest = np.abs(pca.components_).argmax(axis=1)
    axes = pca.components_ * np.sign(pca.components_[[0, 1], largest])[:, None]
    points = outcome["map"][outcome["map"]["kind"] == "difference"]
    projected = points[["component_1", "component_2"]].to_numpy(float)
    assert np.allclose(projected, d @ axes.T, atol=1e-6)
    shares = [outcome["json"][f"explained_variance_{number}"] for number in (1, 2)]
    assert shares == pytest.approx(pca.explained_variance_ratio_)
    means = outcome["map"][outcome["map"]["kind"] == "mean"].set_index("category")
    for category, rows in points.groupby("category"):
        for component in ("component_1", "component_2"):
            assert means.loc[category, component] == pytest.approx(rows[component].mean())
    assert means["pair"].isna().all()


def test_examples_are_the_first_pairs_with_the_lengths_of_their_differences(
    given: Planted, outcome: Outcome
):
    assert outcome["examples"]["category"].tolist() == [*OFFSETS]
    assert outcome["examples"]["first"].tolist() == [f"{category} 0 first" for category in OFFSETS]
    assert outcome["examples"]["second"].tolist() == [
        f"{category} 0 second" for category in OFFSETS
    ]
    x = given.states["cls"][-1].astype(np.float64)
    lengths = np.linalg.norm(x[1::24] - x[::24], axis=1)
    assert outcome["examples"]["euclidean_distance"].to_numpy() == pytest.approx(lengths)


def test_a_model_that_read_nothing_has_no_pair():
    empty = measure_differences(**inputs(is_empty=True), **SETTINGS)["json"]
    assert (empty["n_pairs"], empty["bias"], empty["consistency"]) == (0, {}, {})


def test_states_of_other_sentences_are_refused(given: Planted):
    states = {name: x[:, :10] for name, x in given.states.items()}
    with pytest.raises(InputError, match="has 120 sentences, the model read 10"):
        measure(replace(given, states=states))


def test_one_category_has_no_cosines_and_no_unrelated_sentences():
    outcome = measure(planted({"a-b": AXES[0]}))
    assert outcome["cosines"].empty
    row = category_of(outcome, "a-b")
    assert np.isnan(row["null_consistency_unrelated"])
    assert np.isfinite(row["null_consistency_sign_flips"])


def test_the_last_token_of_a_decoder_has_its_rows():
    given = planted(OFFSETS, 8)
    last = {"last": given.states["mean"], "random_last": given.states["random_mean"]}
    outcome = measure(replace(given, states=given.states | last), **FEW)
    for table in (outcome["categories"], outcome["cosines"]):
        by_pooling = table.groupby("pooling").size()
        assert by_pooling["last"] == by_pooling["mean"]
    assert set(outcome["categories"]["pooling"]) == {"cls", "mean", "max", "last"}
