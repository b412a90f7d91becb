"""The statistics of the token tracker find what was planted, and nothing where nothing was."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from embspace.measure.words.token_tracker_statistics import (
    CONTRASTED,
    _listed,
    both_ways,
    contrast,
    excursion_statistics,
    excursions,
    group_means,
    homonym_statistics,
    movement_shares,
    position_statistics,
    rank_per_cosine,
    running_statistics,
)
from embspace.measure.words.token_tracker_tracks import Tracks

N_UNITS, LAYERS = 12, 7
GROUP = np.array(["content", "content", "function", "function"] * N_UNITS, dtype=object)
UNIT = np.repeat(np.arange(N_UNITS), 4)
FUNCTION = GROUP == "function"


def tracks(
    log_rank: np.ndarray, cosine: np.ndarray | None = None, *, group: np.ndarray = GROUP, **own: Any
) -> Tracks:
    """Tokens of these log ranks (layer, token); the cosine falls evenly if it is not given."""
    n_layers, n = log_rank.shape
    if cosine is None:
        cosine = np.repeat(np.linspace(1, 0.4, n_layers)[:, None], n, axis=1)
    values = np.stack([log_rank, cosine, 1 - cosine, log_rank == 0], axis=1).astype(float)
    places = [(0, "embedding"), *((layer, "attention_sum") for layer in range(1, n_layers))]
    kinds = {"none": values} | own.pop("more", {})
    given: dict[str, Any] = {
        "unit": UNIT[:n],
        "group": group,
        "places": dict.fromkeys(kinds, places),
        "values": kinds,
        "step": np.ones((n_layers - 1, n)),
        "text_unit": np.arange(N_UNITS),
        "together": np.zeros((n_layers, 2, N_UNITS)),
    }
    return Tracks(**given | own)


def ranks(content: Any, function: Any) -> np.ndarray:
    log_ranks = np.zeros((LAYERS, len(GROUP)))
    log_ranks[:, ~FUNCTION], log_ranks[:, FUNCTION] = np.c_[list(content)], np.c_[list(function)]
    return log_ranks


def running(tracked: Tracks) -> dict[str, float]:
    return running_statistics(tracked, n_listed=15, apart=0.75)(np.arange(N_UNITS))


DRIFTING = tracks(ranks([0, 0, 0, 0, 0, 1, 4], [0, 0, 0, 3, 0, 0, 0]))


def test_a_planted_drift_and_excursion_are_found():
    statistics = running(DRIFTING)
    assert statistics["content_rank_larger_at_last"] == 1
    assert statistics["function_words_listed_at_last"] == 1
    assert statistics["content_words_listed_at_last"] == 0
    assert statistics["function_less_content_words_listed_at_last"] == 1
    assert statistics["excursion_layer"] == 3
    assert statistics["excursion_of_function_words"] == 3
    assert statistics["excursion_of_function_less_content_words"] == 3
    assert statistics["texts_with_excursion_in_that_layer"] == 1
    assert statistics["last_gap_less_largest_before"] == pytest.approx(4 - 1)
    assert statistics["first_layer_apart"] == 3 and statistics["first_layer_apart_share"] == 0.5
    assert statistics["content_movement_in_last_over_equal"] == pytest.approx(6 * 3 / 4)
    assert statistics["rank_tells_more_than_cosine"] == 0.5
    assert statistics["rank_per_cosine_content_less_function"] == pytest.approx(4 / 0.6)
    assert statistics["tokens_that_move_both_ways"] == 0


def test_groups_that_are_alike_have_no_difference():
    statistics = running(tracks(ranks([0, 1, 1, 1, 1, 1, 1], [0, 1, 1, 1, 1, 1, 1])))
    assert statistics["content_rank_larger_at_last"] == 0.5
    assert statistics["last_gap_less_largest_before"] == 0
    assert np.isnan(statistics["first_layer_apart"])
    assert statistics["rank_tells_more_than_cosine"] == 0
    assert statistics["function_less_content_cosine_at_last"] == pytest.approx(0)


def test_a_layer_apart_in_the_other_direction_counts_too():
    statistics = running(tracks(ranks([0] * 7, [0, 0, 2, 2, 2, 2, 2])))
    assert statistics["first_layer_apart"] == 2 and statistics["content_rank_larger_at_last"] == 0


@pytest.mark.parametrize(("share", "is_apart"), [(1 / 2, True), (5 / 12, False)])
def test_a_layer_is_apart_from_the_probability_asked_for_on(share: float, is_apart: bool):
    """Where a share of content words has a larger rank and the rest ties: (1 + share) / 2."""
    log_rank = ranks([0] * LAYERS, [0] * LAYERS)
    content = np.flatnonzero(~FUNCTION)
    log_rank[2, content[: round(share * len(content))]] = 1
    layer = running(tracks(log_rank))["first_layer_apart"]
    assert layer == 2 if is_apart else np.isnan(layer)


def test_a_last_gap_in_the_other_direction_is_none():
    statistics = running(tracks(ranks([0] * LAYERS, [0, 1, 1, 1, 1, 1, 5])))
    assert statistics["last_gap_less_largest_before"] == -5
    statistics = running(tracks(ranks([0] * LAYERS, [5, 5, 5, 5, 5, 5, 1])))
    assert statistics["last_gap_less_largest_before"] == -1


def test_texts_without_the_excursion_are_counted():
    log_rank = ranks([0] * 7, [0, 0, 0, 3, 0, 0, 0])
    log_rank[:, UNIT < 3] = 0
    log_rank[1, FUNCTION & (UNIT < 3)] = 2
    statistics = excursion_statistics(tracks(log_rank), np.ones(len(GROUP), dtype=bool))
    assert statistics["texts_with_excursion_in_that_layer"] == 9 / 12
    assert excursions(np.array([0.0, 2, 1, 5, 0])).tolist() == [1, -4, 4]


def test_without_an_excursion_no_text_has_it_in_that_layer():
    statistics = excursion_statistics(tracks(np.zeros((LAYERS, 48))), np.ones(48, dtype=bool))
    assert statistics["excursion_of_function_words"] == 0
    assert np.isnan(statistics["texts_with_excursion_in_that_layer"])


def test_two_layers_have_no_excursion():
    statistics = excursion_statistics(tracks(np.zeros((2, 48))), np.ones(48, dtype=bool))
    assert all(np.isnan(number) for number in statistics.values())


def test_tokens_that_return_move_both_ways():
    cosine = np.repeat(np.array([1, 0.5, 0.7, 0.4])[:, None], 48, axis=1)
    cosine[2, :12] = 0.45
    tracked = tracks(np.zeros((4, 48)), cosine)
    assert both_ways(tracked, np.ones(48, dtype=bool)) == 0.75


def test_the_cosine_lost_is_what_ranks_are_held_against():
    tracked = tracks(np.linspace(0, 3, 7)[:, None] * np.ones(48))
    assert rank_per_cosine(tracked, np.ones(48, dtype=bool)) == pytest.approx(3 / 0.6)


def test_shares_of_layers_add_up_to_one():
    shares = movement_shares(DRIFTING, "content", np.ones(48, dtype=bool))
    assert np.allclose(shares.sum(axis=1), 1) and np.allclose(shares[0], 1 / 6)
    assert shares[1].tolist() == [0, 0, 0, 0, 0.25, 0.75]


def test_positions_that_change_a_rank_twofold_are_counted():
    plain = tracks(np.zeros((3, 48)))
    moved = np.zeros((3, 4, 48))
    moved[:, 0, :12] = 0.4
    tracked = tracks(np.zeros((3, 48)), more={"own": moved, "first": np.zeros((3, 4, 48))})
    every = np.ones(48, dtype=bool)
    assert position_statistics(plain, every) == {}
    assert position_statistics(tracked, every) == {
        "ranks_kept_with_own_positions": 0.75,
        "ranks_kept_with_first_positions": 1,
    }


def test_means_and_contrasts_are_of_the_tokens_inside():
    inside = UNIT < 6
    means = group_means(DRIFTING, "none", ["content", "function", "homonym"], inside)
    assert means[0, :, 0].tolist() == [0, 0, 0, 0, 0, 1, 4] and np.isnan(means[2]).all()
    contrasts = contrast(DRIFTING, "none", ("content", "function"), inside)
    assert contrasts[6].tolist() == [1, 0.5, 4, pytest.approx(0)]
    assert contrasts.shape == (7, len(CONTRASTED))
    assert np.isnan(contrast(DRIFTING, "none", ("content", "homonym"), inside)).all()


def test_homonyms_are_held_against_other_nouns():
    named = np.where(FUNCTION, "one_sense", "homonym").astype(object)
    statistics_of = homonym_statistics(tracks(ranks([0] * 6 + [1], [0] * 7), group=named))
    assert statistics_of(np.arange(N_UNITS)) == {"homonym_rank_larger_at_last": 1}


def test_what_texts_have_together_is_of_the_texts_drawn_and_their_blocks():
    together = np.zeros((LAYERS, 2, N_UNITS))
    together[:, 0] = np.arange(LAYERS)[:, None] * 0.1
    together[:, 1] = np.arange(LAYERS)[:, None] * 0.01
    together[:, :, N_UNITS // 2 :] = 9
    cosine = np.where(FUNCTION, 0.75, 0.5) * np.linspace(1, 0.2, LAYERS)[:, None]
    given = tracks(np.zeros((LAYERS, len(GROUP))), cosine, together=together)
    statistics = running_statistics(given, n_listed=15, apart=0.75)(np.arange(N_UNITS // 2))
    assert statistics["states_closer_at_last"] == pytest.approx(0.6)
    assert statistics["steps_in_one_direction"] == pytest.approx(0.035)  # 1 to 6 hundredths
    assert statistics["function_less_content_cosine_at_last"] == pytest.approx(0.05)
    # All cosines differ and no rank does.
    assert statistics["rank_tells_more_than_cosine"] == -0.5
    assert statistics["function_movement_in_last_over_equal"] != 0


def test_a_listed_word_is_one_of_the_first():
    ranks_of = np.log10(1 + np.array([0, 13, 14, 15, 99]))
    assert _listed(ranks_of, 15) == 3 / 5
    assert _listed(ranks_of, 100) == 1


def test_movement_is_that_of_each_quantity():
    step = np.arange(1.0, LAYERS)[:, None] * np.ones(len(GROUP))
    shares = movement_shares(replace(DRIFTING, step=step), "function", np.ones(48, dtype=bool))
    assert shares[0] == pytest.approx(np.arange(1, 7) / 21)
    assert shares[1].tolist() == [0, 0, 0.5, 0.5, 0, 0]
    assert shares[2] == pytest.approx(1 / 6)


def test_three_layers_are_enough_for_an_excursion():
    log_rank = np.zeros((3, 48))
    log_rank[1, FUNCTION] = 2
    statistics = excursion_statistics(tracks(log_rank), np.ones(48, dtype=bool))
    assert list(statistics.values()) == [1, 2, 2, 1]
