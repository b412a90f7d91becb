import numpy as np
import pytest

from embspace.geometry.positional.position_features import (
    LocalFeatures,
    local_features,
    offset_cosines,
)
from embspace.geometry.positional.regimes import (
    Search,
    change_points,
    find_regimes,
    is_long_enough,
    null_penalties,
    penalty_at,
    silent_penalty,
    simulated_features,
    stationary_kernel,
    stationary_tables,
)
from tests.geometry.planted import noise, planted_table, smooth_table

OFFSETS, LIMIT, SMALLEST = [1, 2, 4, 8], 3.0, 16


def features_of(x: np.ndarray, outlying: tuple[int, ...] = ()) -> LocalFeatures:
    left_out = np.isin(np.arange(len(x)), outlying)
    return local_features(x, left_out, offsets=OFFSETS, limit=LIMIT)


def test_planted_changes_are_found_within_two_positions():
    starts = change_points(
        features_of(planted_table(), (200,)), penalty=200.0, smallest_regime=SMALLEST
    )
    assert starts == pytest.approx([128, 384], abs=2)


def test_a_change_of_length_alone_is_found():
    # Vectors that are all equally long, as learned ones nearly are.
    table = smooth_table()
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    table[300:] *= 1.1
    starts = change_points(features_of(table), penalty=300.0, smallest_regime=SMALLEST)
    assert starts == (300,)


def test_a_table_too_short_for_two_regimes_has_one():
    assert change_points(features_of(noise(31)), penalty=0.1, smallest_regime=SMALLEST) == ()


@pytest.mark.parametrize("table", [planted_table(), smooth_table(), noise(200)])
def test_the_silent_penalty_is_the_limit_of_silence(table):
    features = features_of(table)
    silent = silent_penalty(features, smallest_regime=SMALLEST)
    assert change_points(features, penalty=silent, smallest_regime=SMALLEST) == ()
    assert change_points(features, penalty=0.95 * silent, smallest_regime=SMALLEST) != ()


def test_the_kernel_is_the_mean_cosine_by_offset():
    table, left_out = noise(12, 40), np.zeros(12, dtype=np.bool_)
    left_out[3] = True
    kernel = stationary_kernel(table, left_out)
    kept = [i for i in range(10) if i not in (1, 3)]
    assert kernel[0] == 1
    assert kernel[2] == pytest.approx(offset_cosines(table, 2)[kept].mean())


def test_simulated_tables_have_the_kernel_and_no_more():
    kernel = stationary_kernel(smooth_table(dim=400), np.zeros(512, dtype=np.bool_))
    tables = list(stationary_tables(kernel, 400, 6, np.random.default_rng(0)))
    assert [table.shape for table in tables] == [(512, 400)] * 6
    for offset in (1, 4, 11, 40):
        means = [offset_cosines(table, offset).mean() for table in tables]
        assert np.mean(means) == pytest.approx(kernel[offset], abs=0.05)


def test_on_all_cores_penalties_are_those_of_one_after_the_other():
    table, none = smooth_table()[:96], np.zeros(96, dtype=np.bool_)
    search = Search(tuple(OFFSETS), LIMIT, SMALLEST, n_simulations=6)
    penalties = null_penalties(table, none, search, np.random.default_rng(3))
    kernel = stationary_kernel(table, none)
    tables = stationary_tables(kernel, table.shape[1], 6, np.random.default_rng(3))
    simulated = simulated_features(tables, offsets=OFFSETS, limit=LIMIT)
    assert penalties.tolist() == [silent_penalty(x, smallest_regime=SMALLEST) for x in simulated]


def test_stationary_tables_seldom_alarm_at_the_penalty_chosen_for_them():
    kernel = stationary_kernel(smooth_table(), np.zeros(512, dtype=np.bool_))

    def simulate(seed: int) -> list[LocalFeatures]:
        tables = stationary_tables(kernel, 96, 40, np.random.default_rng(seed))
        return simulated_features(tables, offsets=OFFSETS, limit=LIMIT)

    penalty = np.quantile([silent_penalty(x, smallest_regime=SMALLEST) for x in simulate(1)], 0.9)
    changes = [change_points(x, penalty=penalty, smallest_regime=SMALLEST) for x in simulate(2)]
    # Binomial(40, about .1): more than 12 in one of 10,000.
    assert sum(map(bool, changes)) <= 12
    # An analyst who took features for independent would see regimes in nearly all.
    naive = [change_points(x, penalty=31.0, smallest_regime=SMALLEST) for x in simulate(2)]
    assert sum(map(bool, naive)) >= 30


def test_a_small_change_behind_a_large_one_is_found_in_its_own_stretch():
    wide, narrow = smooth_table(), smooth_table(width=3.0, seed=2)
    table = np.concatenate([wide[:200], narrow[200:384], noise(128)])
    none = np.zeros(512, dtype=np.bool_)
    search = Search(tuple(OFFSETS), LIMIT, SMALLEST, n_simulations=39)
    regimes = find_regimes(table, none, search, level=0.05, rng=np.random.default_rng(0))
    assert [regime.begin for regime in regimes] == pytest.approx([0, 200, 384], abs=2)
    assert [regime.end for regime in regimes[:-1]] == [regime.begin for regime in regimes[1:]]
    assert np.isnan(regimes[0].start_p_value)
    assert all(regime.next_p_value > 0.05 for regime in regimes)


def test_too_few_simulations_for_a_level_are_refused():
    assert penalty_at(np.arange(99.0), 0.01) == 98
    with pytest.raises(ValueError, match="expected 99 at least for the level 0.01, found 98"):
        penalty_at(np.arange(98.0), 0.01)


@pytest.mark.parametrize(("n_as_large", "n_regimes"), [(0, 2), (1, 1)])
def test_a_p_value_of_the_level_is_a_change(n_as_large, n_regimes):
    table, none = np.concatenate([smooth_table()[:20], noise(20)]), np.zeros(40, dtype=np.bool_)
    silent = silent_penalty(features_of(table), smallest_regime=SMALLEST)
    null = np.full(19, silent / 2)
    null[:n_as_large] = silent
    search, rng = (
        Search(tuple(OFFSETS), LIMIT, SMALLEST, n_simulations=19),
        np.random.default_rng(0),
    )
    regimes = find_regimes(table, none, search, level=0.05, rng=rng, null=null)
    assert len(regimes) == n_regimes


def test_two_regimes_need_room_for_both_and_the_widest_offset():
    search = Search(offsets=(1, 8, 2), limit=LIMIT, smallest_regime=16, n_simulations=9)
    assert is_long_enough(40, search) and not is_long_enough(39, search)


def test_just_as_many_simulations_as_a_level_needs_are_enough():
    assert penalty_at(np.arange(19.0), 0.05) == 18
    assert penalty_at(np.arange(39.0), 0.05) == 37
    with pytest.raises(ValueError, match="expected 19 at least for the level 0.05, found 18"):
        penalty_at(np.arange(18.0), 0.05)
