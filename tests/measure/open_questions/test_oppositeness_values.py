import numpy as np
import pytest

from embspace.measure.open_questions.oppositeness_values import (
    PairsOfOneClass,
    cosines_of_pairs,
    pairs_of_one_class,
    prepared,
)


def dealt_pairs(
    antonyms: list[tuple[int, int]], synonyms: list[tuple[int, int]]
) -> PairsOfOneClass:
    return pairs_of_one_class(
        np.array(antonyms),
        np.array(synonyms),
        n_folds=2,
        n_resamples=50,
        generator=np.random.default_rng(0),
    )


def test_pairs_that_share_words_are_in_one_fold_and_halves_take_half_of_each_kind():
    antonyms = [(2 * n, 2 * n + 1) for n in range(10)]
    synonyms = [(1, 40), (40 - 1, 3), *((2 * n, 2 * n + 1) for n in range(20, 28))]
    synonyms[2] = (50, 51)
    pairs = dealt_pairs(antonyms, synonyms)
    folds, others = pairs.by_kind(pairs.folds)
    assert folds[0] == others[0]  # word 1
    assert folds[1] == others[1]  # word 3
    assert set(pairs.folds.tolist()) == {0, 1}
    assert pairs.halves[0].all()
    first, second = pairs.by_kind(pairs.halves[1:])
    assert set(first.sum(axis=1)) == set(second.sum(axis=1)) == {5}


def test_preparations_take_away_what_they_say():
    generator = np.random.default_rng(0)
    x = generator.normal(size=(300, 12))
    x[:100, 0] += 4  # by which the class differs
    x[:100, 1] *= 6  # its first component
    ways = dict(prepared(x, np.arange(100), 1, 0.01))
    assert ways["as_is"] == pytest.approx(x[:100])
    assert ways["less_mean"].mean(axis=0) == pytest.approx(np.zeros(12), abs=1e-12)
    assert ways["less_direction"][:, 0].std() < 0.2
    assert ways["less_direction"][:, 0].mean() == pytest.approx(0, abs=0.2)
    assert ways["less_components"][:, 1].std() < 0.2 < ways["less_mean"][:, 1].std()
    assert np.linalg.matrix_rank(ways["less_components"]) == 11


def test_without_another_part_of_speech_there_is_no_direction_to_take_away():
    x = np.random.default_rng(0).normal(size=(30, 6))
    assert "less_direction" not in dict(prepared(x, np.arange(30), 1, 1.0))


def test_cosines_of_pairs_are_means_of_all_and_their_order():
    antonyms = [(2 * n, 2 * n + 1) for n in range(6)]
    synonyms = [(2 * n, 2 * n + 1) for n in range(6, 12)]
    pairs = dealt_pairs(antonyms, synonyms)
    x = np.random.default_rng(0).normal(size=(24, 5))
    x[1:12:2] = -x[0:12:2]  # antonyms are opposite
    x[13:24:2] = x[12:24:2]  # synonyms are equal
    values = cosines_of_pairs(x, pairs, 0.95, 0.99, 0.99)
    assert values["antonyms"] == pytest.approx(-1) and values["synonyms"] == pytest.approx(1)
    assert values["auc"] == 1 and values["n_below_zero"] == 6
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    gram = (unit @ unit.T)[:12, :12]
    others = [gram[i, j] for i in range(12) for j in range(i) if i // 2 != j // 2]
    assert values["random_pairs"] == pytest.approx(np.mean(others))
    assert values["difference"] == pytest.approx(-1 - np.mean(others))


def test_a_difference_and_an_auc_have_intervals_of_their_own_levels():
    numbers = [(2 * n, 2 * n + 1) for n in range(20)]
    pairs = dealt_pairs(numbers[:10], numbers[10:])
    x = np.random.default_rng(0).normal(size=(40, 5))
    plain = cosines_of_pairs(x, pairs, 0.95, 0.95, 0.95)
    strict = cosines_of_pairs(x, pairs, 0.95, 0.999, 0.95)
    wider = {name for name in plain if plain[name] != strict[name]}
    assert wider == {"difference_low", "difference_high"}
    assert strict["difference_low"] < plain["difference_low"]
    assert strict["difference_high"] > plain["difference_high"]
