import numpy as np
import pytest

from embspace.files.tables import load_table, save_table
from embspace.measure.positional.regimes import measure_regimes
from tests.geometry.planted import noise, planted_table, sinusoidal, smooth_table

SETTINGS = {
    "window": 32,
    "outlier_threshold": 6.0,
    "offsets": [1, 2, 4, 8],
    "limit": 3.0,
    "smallest_regime": 16,
    "false_alarm_rate": 0.05,
    "n_simulations": 40,
    "level": 0.01,
    "n_bins": 256,
    "n_histogram_bins": 20,
    "quantiles": [0.01, 0.5, 0.99],
    "seed": 0,
}


def measured(x: np.ndarray, **changed: object):
    return measure_regimes({"positional": x}, **{**SETTINGS, **changed})


@pytest.fixture(scope="module")
def planted():
    return measured(planted_table())


def test_planted_changes_outlier_and_noise_are_all_found(planted):
    assert planted.summary["first_position"].tolist() == pytest.approx([0, 128, 384], abs=2)
    assert planted.summary["unstructured"].tolist() == [False, False, True]
    positions = planted.positions
    assert positions.loc[positions["outlying"], "position"].tolist() == [200]
    assert planted.scalars["n_unstructured_positions"] == pytest.approx(128, abs=2)


def test_distributions_without_the_noise_are_those_of_the_rest(planted):
    kept = planted_table()[~planted.positions["unstructured"].to_numpy()]
    n = planted.distributions.set_index(["positions", "quantity"])["n"]
    assert n["without_unstructured", "norm"] == len(kept)
    assert n["all", "cosine"] == 512 * 511 // 2
    assert n["without_unstructured", "cosine"] == len(kept) * (len(kept) - 1) // 2
    counts = planted.histogram.groupby(["positions", "quantity"])["count"].sum()
    assert counts.to_dict() == n.to_dict()


@pytest.mark.parametrize("table", [smooth_table(seed=5), sinusoidal()])
def test_nothing_is_found_in_a_stationary_table(table):
    found = measured(table)
    assert found.scalars["n_changes"] == found.scalars["n_outlying"] == 0
    assert found.scalars["n_unstructured_regimes"] == 0
    assert set(found.distributions["positions"]) == {"all"}


def test_a_table_of_noise_is_one_unstructured_regime():
    found = measured(noise(512))
    assert found.summary["unstructured"].tolist() == [True]
    # Nothing is left without it, so there is nothing to compare with.
    assert set(found.distributions["positions"]) == {"all"}


def test_the_bound_is_that_of_random_directions():
    means = []
    for seed in range(300):
        found = measured(noise(40, 16, seed=seed), offsets=[1], smallest_regime=30)
        means.append(found.summary["mean_neighbor_cosine"].iloc[0])
        bound = found.summary["null_bound"].iloc[0]
    # 99 % do not exceed it: of 300, more than 9 in one of 1,000.
    assert 0 < sum(mean > bound for mean in means) <= 9


def test_the_false_alarm_rate_stands_with_its_interval(planted):
    scalars = planted.scalars
    assert scalars["n_simulations"] == 40
    # Binomial(40, about .05): more than 8 in one of 10,000.
    assert scalars["false_alarm_rate"] <= 8 / 40
    assert scalars["false_alarm_rate_low"] < scalars["false_alarm_rate_high"]
    summary = planted.summary
    assert np.isnan(summary["start_p_value"].iloc[0])
    assert (summary["start_p_value"].iloc[1:] == 1 / 41).all()
    assert (summary["next_p_value"] > 0.05).all()


def test_a_short_table_has_one_regime_and_no_penalty():
    found = measured(noise(30))
    assert len(found.summary) == 1
    assert "penalty" not in found.scalars


def test_a_model_without_positions_has_empty_tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = measure_regimes({}, **SETTINGS)
    assert found.scalars == {"n_positions": 0}
    save_table(found.positions, "positions.csv")
    assert load_table("positions.csv").empty
