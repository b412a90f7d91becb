import numpy as np
import pytest

from embspace.errors import InputError
from embspace.measure.positional.regimes import measure_regimes
from tests.analyses import settings_of
from tests.geometry.planted import helix, noise, planted_table, sinusoidal, smooth_table

FEW = {"false_alarm_rate": 0.05, "n_simulations": 40, "n_bins": 256, "n_histogram_bins": 20}
FEW |= {"quantiles": [0.01, 0.5, 0.99]}
SETTINGS = settings_of(measure_regimes, **FEW)


def inputs(*, is_empty: bool) -> dict[str, dict[str, np.ndarray]]:
    """Return a change beyond chance, and then noise, whose p-value the simulations decide."""
    tokens = {"input": noise(120, dim=48)}
    positions = {"positional": np.concatenate([helix(30, dim=48), noise(64, dim=48, seed=3)])}
    return {"matrices": tokens if is_empty else tokens | positions}


def measured(x: np.ndarray, **changed: object):
    return measure_regimes({"input": tokens_of(x), "positional": x}, **{**SETTINGS, **changed})


def tokens_of(x: np.ndarray) -> np.ndarray:
    return 2 * noise(70, x.shape[1], seed=9)


@pytest.fixture(scope="module")
def planted():
    return measured(planted_table())


def test_planted_changes_outlier_and_noise_are_all_found(planted):
    assert planted["summary"]["first_position"].tolist() == pytest.approx([0, 128, 384], abs=2)
    assert planted["summary"]["unstructured"].tolist() == [False, False, True]
    following = planted["summary"]["first_position"].tolist()[1:]
    assert planted["summary"]["last_position"].tolist() == [
        *(first - 1 for first in following),
        511,
    ]
    positions = planted["positions"]
    assert positions.loc[positions["outlying"], "position"].tolist() == [200]
    assert planted["json"]["n_unstructured_positions"] == pytest.approx(128, abs=2)


def test_distributions_without_the_noise_are_those_of_the_rest(planted):
    kept = planted_table()[~planted["positions"]["unstructured"].to_numpy()]
    n = planted["distributions"].set_index(["positions", "quantity"])["n"]
    assert n["without_unstructured", "norm"] == len(kept)
    assert n["all", "cosine"] == 512 * 511 // 2
    assert n["without_unstructured", "cosine"] == len(kept) * (len(kept) - 1) // 2
    counts = planted["histogram"].groupby(["positions", "quantity"])["count"].sum()
    assert counts.to_dict() == n.to_dict()


def test_pairs_with_tokens_are_of_the_same_positions(planted):
    left = planted_table()[~planted["positions"]["unstructured"].to_numpy()]
    distributions = planted["token_distributions"].set_index(["positions", "quantity"])
    assert distributions.loc[("all", "cosine"), "n"] == 70 * 512
    rows = distributions.loc["without_unstructured"]
    assert rows["n"].tolist() == [70 * len(left)] * 3
    tokens = tokens_of(left).astype(np.float64)
    dots = tokens @ left.T.astype(np.float64)
    lengths = np.outer(np.linalg.norm(tokens, axis=1), np.linalg.norm(left, axis=1))
    assert rows.loc["dot_product", "mean"] == pytest.approx(dots.mean(), abs=1e-5)
    assert rows.loc["cosine", "minimum"] == pytest.approx((dots / lengths).min(), abs=1e-5)
    squares = np.sum(tokens**2, axis=1)[:, np.newaxis] + np.sum(left.astype(float) ** 2, axis=1)
    distances = np.sqrt(squares - 2 * dots)
    assert rows.loc["euclidean_distance", "maximum"] == pytest.approx(distances.max(), rel=1e-5)
    counts = planted["token_histogram"].groupby(["positions", "quantity"])["count"].sum()
    assert counts.to_dict() == distributions["n"].to_dict()


def test_named_positions_are_unstructured_where_detection_finds_none():
    x = smooth_table(seed=5)
    outcome = measured(x, unstructured_positions=[384, 511])
    unstructured = outcome["positions"]["unstructured"].to_numpy()
    assert np.flatnonzero(unstructured).tolist() == list(range(384, 512))
    assert outcome["summary"]["unstructured"].tolist() == [False]  # what is found does not change
    assert outcome["json"]["n_unstructured_positions"] == 128
    assert outcome["json"]["unstructured_named"] is True
    n = outcome["distributions"].set_index(["positions", "quantity"])["n"]
    assert n["without_unstructured", "norm"] == 384
    assert measured(x)["json"]["unstructured_named"] is False


@pytest.mark.parametrize("named", [[384, 512], [9, 8]])
def test_positions_that_there_are_not_cannot_be_named(named: list[int]):
    with pytest.raises(InputError, match=r"unstructured_positions.*allowed: .* from 0 to 511"):
        measured(smooth_table(seed=5), unstructured_positions=named)


@pytest.mark.parametrize("table", [smooth_table(seed=5), sinusoidal()])
def test_nothing_is_found_in_a_stationary_table(table):
    outcome = measured(table)
    assert outcome["json"]["n_changes"] == outcome["json"]["n_outlying"] == 0
    assert outcome["json"]["n_unstructured_regimes"] == 0
    assert set(outcome["distributions"]["positions"]) == {"all"}


def test_a_table_of_noise_is_one_unstructured_regime():
    outcome = measured(noise(512))
    assert outcome["summary"]["unstructured"].tolist() == [True]
    # Nothing is left without it, so there is nothing to compare with.
    assert set(outcome["distributions"]["positions"]) == {"all"}


@pytest.mark.slow
def test_the_bound_is_that_of_random_directions():
    means = []
    for seed in range(300):
        outcome = measured(noise(40, 16, seed=seed), offsets=[1], smallest_regime=30)
        means.append(outcome["summary"]["mean_neighbor_cosine"].iloc[0])
        bound = outcome["summary"]["null_bound"].iloc[0]
    # 99 % do not exceed it: of 300, more than 9 in one of 1,000.
    assert 0 < sum(mean > bound for mean in means) <= 9


def test_the_false_alarm_rate_stands_with_its_interval(planted):
    scalars = planted["json"]
    assert scalars["n_simulations"] == 40
    # Binomial(40, about .05): more than 8 in one of 10,000.
    assert scalars["false_alarm_rate"] <= 8 / 40
    assert scalars["false_alarm_rate_low"] < scalars["false_alarm_rate_high"]
    summary = planted["summary"]
    assert np.isnan(summary["start_p_value"].iloc[0])
    assert (summary["start_p_value"].iloc[1:] == 1 / 41).all()
    assert (summary["next_p_value"] > 0.05).all()


def test_a_short_table_has_one_regime_and_no_penalty():
    outcome = measured(noise(30))
    assert len(outcome["summary"]) == 1
    assert "penalty" not in outcome["json"]
