import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest

from embspace.analysis import Outcome
from embspace.measure.words.homonyms import (
    character_span,
    find_words,
    mean_states,
    measure_homonyms,
    token_counts,
)
from tests.analyses import settings_of

SETTINGS = settings_of(measure_homonyms, n_draws=200, n_resamples=20)
EUCLIDEAN = ("raw", "euclidean_distance")
TOKENS = ["window", "id", "special", "start", "end"]


@dataclass
class Planted:
    """Sentences "at <word> or", three of each of two senses, with states of a known geometry."""

    stimuli: pd.DataFrame
    tokens: pd.DataFrame
    states: dict[str, np.ndarray]

    def measured(self, **change: Any) -> Outcome:
        return measure_homonyms(self.stimuli, self.tokens, self.states, **SETTINGS | change)


def planted(
    n_words: int = 8,
    *,
    apart: Sequence[float] = (0.0, 1.0, 2.0),
    noise: float = 0.1,
    dim: int = 64,
    seed: int = 0,
) -> Planted:
    """In layer l the senses of a word lie at ± apart[l] from its place, in a direction of its own.

    At random weights there are no senses. The words around them are the same everywhere.
    """
    rng = np.random.default_rng(seed)
    words = [chr(ord("z") - i) * 3 for i in range(n_words)]
    rows = [(word, sense) for word in words for sense in ("sun", "sea", "sun", "sea", "sun", "sea")]
    stimuli = pd.DataFrame(rows, columns=["word", "sense"])
    stimuli["text"] = "at " + stimuli["word"] + " or"
    tokens = [
        (window, *token)
        for window, word in enumerate(stimuli["word"])
        for token in (
            (1, True, 0, 0),
            (5, False, 0, 2),
            (ord(word[0]), False, 3, 6),
            (6, False, 7, 9),
        )
    ]
    directions = np.linalg.qr(rng.normal(size=(dim, 2 * n_words)))[0].T
    number = np.repeat(np.arange(n_words), 6)
    side = np.where(stimuli["sense"] == "sun", 1.0, -1.0)[:, np.newaxis]
    states = {}
    for name, scale in (("token", 1.0), ("random_token", 0.0)):
        x = noise * rng.normal(size=(len(apart), 4 * len(rows), dim))
        x[:, 2::4] += 3 * directions[number]
        for layer, distance in enumerate(apart):
            x[layer, 2::4] += scale * distance * side * directions[n_words + number]
        states[name] = x.astype(np.float32)
    return Planted(stimuli, pd.DataFrame(tokens, columns=TOKENS), states)


def inputs(*, is_empty: bool) -> dict[str, Any]:
    case = planted(4)
    case.tokens["id"] = np.random.default_rng(0).integers(9, size=len(case.tokens))
    if is_empty:
        empty = {name: x[:, :0] for name, x in case.states.items()}
        case = Planted(case.stimuli[:0], case.tokens[:0], empty)
    return vars(case)


def row_of(table: pd.DataFrame, layer: int, measure: tuple[str, str] = EUCLIDEAN) -> pd.Series:
    preparation, quantity = measure
    (index,) = table.index[
        (table["layer"] == layer)
        & (table["preparation"] == preparation)
        & (table["quantity"] == quantity)
    ]
    return table.loc[index]


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return planted().measured()


def test_planted_distances_come_out(outcome: Outcome):
    # Of two points with noise s in dim directions: 2 dim s^2, and the square of what is planted.
    noise = 2 * 64 * 0.1**2
    for layer, apart in enumerate((0.0, 1.0, 2.0)):
        row = row_of(outcome["layers"], layer)
        assert row["within"] == pytest.approx(np.sqrt(noise), rel=0.05)
        assert row["between"] == pytest.approx(np.sqrt(noise + (2 * apart) ** 2), rel=0.05)
        # Words lie at right angles, 3 from the origin, their senses `apart` to the side.
        expected = np.sqrt(noise + 2 * 3**2 + 2 * apart**2)
        assert row["between_words"] == pytest.approx(expected, rel=0.05)
        assert row["difference"] == pytest.approx(row["between"] - row["within"])
        assert row["ratio"] == pytest.approx(row["between"] / row["within"])
        share = row["difference"] / row["between_words"]
        assert row["relative_difference"] == pytest.approx(share)


def test_planted_cosines_come_out_and_have_the_sign_of_senses_apart():
    outcome = planted(noise=0.001).measured()
    row = row_of(outcome["layers"], 2, ("raw", "cosine"))
    assert row["within"] == pytest.approx(1, abs=1e-3)
    # 3 along the word, 2 to one side or the other.
    assert row["between"] == pytest.approx((9 - 4) / (9 + 4), abs=1e-3)
    assert row["difference"] == pytest.approx(8 / 13, abs=1e-3)
    assert row["between_words"] == pytest.approx(0, abs=1e-3)
    assert row["relative_difference"] == pytest.approx(8 / 13, abs=2e-3)


def test_senses_that_are_planted_are_found_and_where_there_are_none_none_are(outcome: Outcome):
    apart, none = row_of(outcome["layers"], 2), row_of(outcome["layers"], 0)
    assert apart["p_value"] == 1 / 201
    assert apart["difference_low"] > apart["null_difference_high"] > 0
    assert apart["share_apart"] == 1
    assert none["difference_low"] < 0 < none["difference_high"]
    assert none["null_difference_low"] < none["difference"] < none["null_difference_high"]
    assert 0.2 < none["share_apart"] < 0.8
    assert apart["random_weights_difference"] == pytest.approx(0, abs=0.05)
    assert apart["random_weights_p_value"] > 0.01


def test_accuracy_is_one_where_senses_are_far_apart_and_chance_where_they_are_not(outcome: Outcome):
    apart, none = row_of(outcome["recovery"], 2), row_of(outcome["recovery"], 0)
    assert apart["accuracy"] == 1
    assert apart["p_value"] == 1 / 201
    assert 0.2 < none["accuracy"] < 0.6
    assert 0.2 < apart["random_weights_accuracy"] < 0.6
    assert outcome["json"]["chance_accuracy"] == pytest.approx(0.4)
    assert apart["null_accuracy"] == pytest.approx(0.4, abs=0.03)
    assert apart["null_accuracy_low"] < 0.4 < apart["null_accuracy_high"]


@pytest.mark.slow
def test_p_values_are_uniform_where_there_is_no_sense():
    p_values = []
    for seed in range(40):
        table = planted(3, apart=(0.0,), dim=8, noise=1.0, seed=seed).measured(
            n_draws=99, n_resamples=1, seed=seed
        )
        p_values.append(row_of(table["layers"], 0)["p_value"])
    assert kstest(p_values, "uniform").pvalue > 0.01
    assert np.mean(np.array(p_values) <= 0.1) < 0.2


def test_one_word_is_no_better_than_one_split_in_ten():
    # The draws that deal out the true senses again count as just as large.
    row = row_of(planted(1).measured(n_draws=5000)["layers"], 2)
    assert row["p_value"] == pytest.approx(1 / 10, abs=0.02)


def test_the_null_has_the_mean_and_width_of_all_ten_splits_of_each_word():
    case = planted(noise=1.0)
    row = row_of(case.measured(n_draws=4000)["layers"], 0)
    variance = 0.0
    for word in range(8):
        x = case.states["token"][0, 2::4].astype(np.float64)[6 * word : 6 * word + 6]
        differences = []
        for chosen in itertools.combinations(range(6), 3):
            same = np.isin(range(6), chosen)[:, np.newaxis] == np.isin(range(6), chosen)
            distances = np.linalg.norm(x[:, np.newaxis] - x, axis=-1)
            own = np.triu(same, 1)
            differences.append(distances[~same].mean() - distances[own].mean())
        assert np.mean(differences) == pytest.approx(0, abs=1e-12)
        variance += np.var(differences) / 8**2
    # A sum of eight: close to normal, but for its tails.
    assert row["null_difference"] == pytest.approx(0, abs=4 * np.sqrt(variance / 4000))
    width = row["null_difference_high"] - row["null_difference_low"]
    assert width == pytest.approx(2 * 1.96 * np.sqrt(variance), rel=0.1)


def test_drift_is_the_slope_of_what_was_planted():
    rising = planted(noise=0.01, apart=(1.0, 2.0, 3.0, 4.0)).measured()["drift"]
    row = rising[(rising["quantity"] == EUCLIDEAN[1]) & (rising["statistic"] == "difference")]
    # The difference is 2 apart, less the noise: 2 a layer.
    assert row["slope"].tolist() == pytest.approx([2.0, 2.0], abs=0.05)
    assert (row["slope_low"] <= row["slope"]).all()
    assert (row["p_value"] == 1 / 201).all()
    assert row["first_layer"].tolist() == [0, 1]
    assert (row["last_layer"] == 3).all()
    assert (row["largest_layer"] == 3).all()
    assert row["random_weights_slope"].tolist() == pytest.approx([0, 0], abs=0.01)


def test_norms_that_grow_are_no_drift():
    case = planted(apart=(1.0, 1.0, 1.0))
    case.states = {
        name: (x[:1] * np.array([1, 2, 4], dtype=np.float32)[:, np.newaxis, np.newaxis])
        for name, x in case.states.items()
    }
    drift = case.measured()["drift"].set_index(["quantity", "statistic", "first_layer"])["slope"]
    assert drift[EUCLIDEAN[1], "difference", 0].item() > 1
    for statistic in ("ratio", "relative_difference"):
        assert drift[EUCLIDEAN[1], statistic, 0].item() == pytest.approx(0, abs=1e-5)


def test_a_rotation_changes_nothing():
    case = planted(4, noise=0.3)
    before = case.measured()
    rotation = np.linalg.qr(np.random.default_rng(9).normal(size=(64, 64)))[0].astype(np.float32)
    case.states = {name: x @ rotation for name, x in case.states.items()}
    after = case.measured()
    for name in ("layers", "recovery", "drift"):
        here, there = before[name], after[name]
        pd.testing.assert_frame_equal(here, there, rtol=1e-3, atol=1e-5)


def test_the_context_alone_is_held_against_the_word():
    case = planted(apart=(0.0, 0.0))
    sun = (case.stimuli["sense"] == "sun").to_numpy()
    case.states["token"][:, 1::4][:, sun] += 5  # the word before
    case.tokens.loc[np.flatnonzero(sun) * 4 + 3, "id"] = 77  # the word after
    outcome = case.measured()
    row = row_of(outcome["recovery"], 1)
    assert row["context_accuracy"] == 1
    assert row["accuracy"] < 0.6
    assert row["context_gain"] == pytest.approx(row["accuracy"] - 1)
    assert row["context_gain_high"] < 0
    assert outcome["json"]["bag_of_words"]["accuracy"] == 1
    assert outcome["json"]["bag_of_words"]["p_value"] == 1 / 201
    assert row["bag_of_words_gain"] == pytest.approx(row["accuracy"] - 1)


def test_a_context_that_is_always_the_same_tells_no_sense(outcome: Outcome):
    # All ties: each sentence gets two of five, which is chance.
    assert outcome["json"]["bag_of_words"]["accuracy"] == pytest.approx(0.4)
    assert row_of(outcome["recovery"], 2)["bag_of_words_gain"] == pytest.approx(0.6)


def test_words_are_ranked_and_their_mean_is_that_of_the_layer(outcome: Outcome):
    for (layer, *measure), rows in outcome["words"].groupby(["layer", "preparation", "quantity"]):
        assert rows["rank"].tolist() == list(range(1, 9))
        assert rows["difference"].is_monotonic_decreasing
        mean = row_of(outcome["layers"], layer, tuple(measure))
        random = "random_weights_difference"
        for name in ("within", "between", "difference", "relative_difference", random):
            assert rows[name].mean() == pytest.approx(mean[name])
        assert rows["accuracy"].mean() == pytest.approx(
            row_of(outcome["recovery"], layer, tuple(measure))["accuracy"]
        )
    assert set(outcome["words"]["word"]) == set(planted().stimuli["word"])
    assert (outcome["words"]["senses"] == "sun, sea").all()
    assert (outcome["words"]["n_tokens"] == 1).all()


def test_each_row_of_the_words_is_that_of_its_word():
    case = planted()
    # Of the fourth word alone the senses lie far apart.
    rows = np.flatnonzero((case.stimuli["word"] == "www") & (case.stimuli["sense"] == "sun"))
    case.states["token"][1, 4 * rows + 2] += 50
    words = case.measured()["words"]
    first = words[(words["layer"] == 1) & (words["rank"] == 1)]
    assert (first["word"] == "www").all()


def test_a_word_of_two_tokens_has_their_mean():
    case = planted(4)
    whole = case.measured()
    # The word after becomes the second half of the homonym, twice as long and opposite.
    rows = np.flatnonzero(case.stimuli["word"] == "zzz") * 4 + 2
    case.tokens.loc[rows, "end"] = 5
    case.tokens.loc[rows + 1, ["start", "end"]] = [5, 6]
    for x in case.states.values():
        x[:, rows + 1] = -x[:, rows]
        x[:, rows] *= 3
    cut = case.measured()
    assert cut["json"]["n_words_of_several_tokens"] == 1
    assert whole["json"]["n_words_of_several_tokens"] == 0
    n_tokens = cut["words"].groupby("word")["n_tokens"].unique()
    assert n_tokens["zzz"].tolist() == [2]
    assert n_tokens["yyy"].tolist() == [1]
    pd.testing.assert_frame_equal(cut["layers"], whole["layers"], rtol=1e-4)


def without_tokens(case: Planted, windows: Sequence[int]) -> Planted:
    """The tokenizer gave nothing for the word of these sentences."""
    lost = case.tokens["window"].isin(windows) & (case.tokens["start"] == 3)
    kept = np.flatnonzero(~lost)
    states = {name: x[:, kept] for name, x in case.states.items()}
    return Planted(case.stimuli, case.tokens[~lost].reset_index(drop=True), states)


def test_sentences_and_words_without_tokens_are_lost_and_counted():
    # Of "zzz" one sentence, of "yyy" two of one sense, which leaves it a single one.
    outcome = without_tokens(planted(4), [0, 6, 8]).measured()
    assert outcome["json"]["n_words"] == 3
    assert outcome["json"]["n_lost_words"] == 1
    assert outcome["json"]["lost_words"] == "yyy"
    assert outcome["json"]["n_sentences"] == 5 + 6 + 6
    assert outcome["json"]["n_lost_sentences"] == 7
    assert set(outcome["words"]["word"]) == {"zzz", "xxx", "www"}
    assert outcome["words"].set_index("word")["n_sentences"]["zzz"].unique().tolist() == [5]
    assert (outcome["layers"]["n_words"] == 3).all()
    # Of five, in groups of 2 and 3: (2 + 6) / 20; of six 2/5.
    assert outcome["json"]["chance_accuracy"] == pytest.approx(0.4)


def test_a_model_without_a_tokenizer_loses_all_words():
    outcome = without_tokens(planted(4), range(24)).measured()
    assert outcome["json"]["n_words"] == 0
    assert outcome["json"]["n_lost_words"] == 4
    assert np.isnan(outcome["json"]["chance_accuracy"])


def test_states_that_are_all_equal_are_undefined_or_nothing_but_no_crash():
    case = planted(4)
    case.states = {name: np.ones_like(x) for name, x in case.states.items()}
    outcome = case.measured()
    row = row_of(outcome["layers"], 1)
    assert row["difference"] == 0
    assert row["p_value"] == 1
    assert np.isnan(row["ratio"])
    assert row_of(outcome["recovery"], 1)["accuracy"] == pytest.approx(0.4)
    centered = row_of(outcome["layers"], 1, ("centered", "cosine"))
    assert centered["n_words"] == 0
    assert np.isnan(centered["difference"])
    assert np.isnan(centered["p_value"])


def stimuli(*rows: tuple[str, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["word", "text"])


def tokens(*rows: tuple[Any, ...]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["window", "special", "start", "end"])


TWO = tokens(
    (0, True, 0, 0),
    (0, False, 0, 1),  # A
    (0, False, 2, 4),  # mo
    (0, False, 4, 7),  # use
    (0, False, 7, 8),  # .
    (0, True, 0, 0),
    (1, True, 0, 0),
    (1, False, 0, 5),  # Mouse
    (1, False, 5, 7),  # s'
    (1, True, 0, 0),
)


def test_the_tokens_of_a_word_cut_in_two_and_all_others():
    first, second = find_words(stimuli(("mouse", "A mouse."), ("mouse", "Mouse s'")), TWO)
    assert first.own.tolist() == [2, 3]
    assert first.others.tolist() == [1, 4]
    assert second.own.tolist() == [7]
    assert second.others.tolist() == [8]


def test_a_token_that_takes_in_the_space_before_counts():
    # Byte-level tokenizers give the space to the word.
    (word,) = find_words(
        stimuli(("cat", "The cat sat")),
        tokens((0, False, 0, 3), (0, False, 3, 7), (0, False, 7, 11)),
    )
    assert word.own.tolist() == [1]
    assert word.others.tolist() == [0, 2]


def test_special_tokens_are_in_neither_even_where_the_word_comes_first():
    # They say that they span characters 0 to 0, or, in some tokenizers, whole texts.
    (word,) = find_words(stimuli(("cat", "Cat")), tokens((0, True, 0, 3), (0, False, 0, 3)))
    assert word.own.tolist() == [1]
    assert word.others.tolist() == []


def test_a_word_without_tokens_has_none():
    words = find_words(stimuli(("cat", "A cat"), ("cat", "A cat")), tokens((0, False, 0, 1)))
    assert [len(word.own) for word in words] == [0, 0]
    assert [len(word.others) for word in words] == [1, 0]
    assert [len(word.own) for word in find_words(stimuli(("cat", "A cat")), TWO[:0])] == [0]


@pytest.mark.parametrize(
    ("word", "text", "span"),
    [
        ("bat", "A combat, then a BAT!", (17, 20)),
        ("bat", "batting", (0, 0)),
        ("a.b", "axb a.b", (4, 7)),
        ("कि", "किताब कि", (6, 8)),  # "book" begins so
        ("caf\u00e9", "a cafe\u0301", (2, 7)),
    ],
)
def test_the_whole_word_is_found_in_capitals_or_not(word: str, text: str, span: tuple[int, int]):
    assert character_span(word, text) == span


def test_the_state_of_several_tokens_is_their_mean():
    states = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    rows = [np.array([0, 2]), np.array([1]), np.array([], dtype=np.int64)]
    means = mean_states(states, rows)
    assert means.dtype == np.float64
    assert means.tolist() == [
        [[2.0, 3.0], [2.0, 3.0], [0.0, 0.0]],
        [[8.0, 9.0], [8.0, 9.0], [0.0, 0.0]],
    ]


def test_a_bag_of_words_counts_each_id():
    counts = token_counts(np.array([7, 9, 7, 5]), [np.array([0, 1, 2]), np.array([3])])
    # Of the ids 5, 7, 9.
    assert counts.tolist() == [[0, 2, 1], [1, 0, 0]]
