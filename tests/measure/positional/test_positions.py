from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.geometry.pairs.directions import cosine_matrix
from embspace.measure.positional.positions import measure_positions
from tests.analyses import settings_of

FEW = {"largest_offsets": [4, 39], "n_shuffles": 30, "n_null_tables": 9, "level": 0.9}
SETTINGS = settings_of(measure_positions, **FEW, wave_offsets=16, n_first=5)


def regimes_of(n: int, outlying: tuple[int, ...] = (), unstructured: tuple[int, ...] = ()):
    positions = np.arange(n)
    return pd.DataFrame(
        {
            "position": positions,
            "norm": 1.0,
            "neighbor_cosine": 0.5,
            "outlying": np.isin(positions, outlying),
            "regime": 0,
            "unstructured": np.isin(positions, unstructured),
        }
    )


def arc(n: int = 40) -> np.ndarray:
    """On a half circle: cosines fall with the distance, and depend on nothing else."""
    angle = np.pi * np.arange(n) / n
    return np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)


def measured(x: np.ndarray, regimes: pd.DataFrame | None = None, **change: Any) -> dict[str, Any]:
    regimes = regimes_of(len(x)) if regimes is None else regimes
    return measure_positions({"positional": x}, regimes, **SETTINGS | change)


def test_an_arc_has_all_three_properties_and_its_shuffles_have_not():
    table = measured(arc())["properties"]
    assert len(table) == 2 * 2 * 3
    assert table["value"].to_numpy() == pytest.approx(np.ones(12), abs=1e-5)
    assert (table["p_value"] == 1 / 31).all()
    null = table.groupby("property")["null_mean"].mean()
    assert null["monotonicity"] == pytest.approx(0.5, abs=0.05)
    assert null["translation_invariance"] < 0.3
    assert abs(null["symmetry"]) < 0.2
    assert (table["null_quantile_0.025"] <= table["null_mean"]).all()
    assert (table["null_mean"] <= table["null_quantile_0.975"]).all()


def test_two_wild_vectors_disturb_all_positions_but_not_the_structured_ones():
    x = arc()
    x[[0, 25]] = [[0.3, -5], [-3, -0.2]]
    outcome = measured(x, regimes_of(40, outlying=(0,), unstructured=(25,)))
    table = outcome["properties"].set_index(["positions", "largest_offset", "property"])
    assert table["value"]["structured"].to_numpy() == pytest.approx(np.ones(6), abs=1e-5)
    assert table["value"]["all", 39, "translation_invariance"] < 0.9
    assert table["n"]["structured"].unique() == [38]
    assert np.flatnonzero(outcome["safetensors"]["structured"] == 0).tolist() == [0, 25]


def test_the_profile_is_of_pairs_of_structured_positions():
    x = np.random.default_rng(0).normal(size=(12, 5)).astype(np.float32)
    profile = measured(x, regimes_of(12, outlying=(0, 4), unstructured=(11,)))["profiles"]
    assert profile["offset"].tolist() == list(range(1, 12))
    kept = [1, 2, 3, 5, 6, 7, 8, 9, 10]
    cosines = cosine_matrix(x)
    for row in profile.to_dict("records"):
        expected = [cosines[i, j] for i in kept for j in kept if j - i == row["offset"]]
        assert row["n_pairs"] == len(expected)
        if expected:
            assert row["mean"] == pytest.approx(np.mean(expected))
            assert row["standard_deviation"] == pytest.approx(np.std(expected))
            assert (row["minimum"], row["maximum"]) == (min(expected), max(expected))
    assert profile["mean"].isna().tolist() == [False] * 9 + [True] * 2


def test_the_tensors_are_what_was_measured():
    x = arc()
    x[3] = 0
    tensors = measured(x)["safetensors"]
    assert np.array_equal(tensors["positional"], x)
    assert np.isnan(tensors["cosines"][3]).all()
    others = np.delete(np.arange(40), 3)
    assert tensors["cosines"][np.ix_(others, others)] == pytest.approx(
        cosine_matrix(x[others]), abs=1e-6
    )
    assert {tensor.dtype for tensor in tensors.values()} == {np.dtype(np.float32)}


def test_a_zero_vector_is_not_counted():
    x = arc()
    x[3] = 0
    outcome = measured(x)
    assert set(outcome["properties"]["n"]) == {39}
    assert outcome["properties"]["value"].to_numpy() == pytest.approx(np.ones(12), abs=1e-5)
    assert outcome["profiles"]["n_pairs"].iloc[0] == 37


def test_random_vectors_have_no_property():
    x = np.random.default_rng(1).normal(size=(60, 30)).astype(np.float32)
    table = measured(x, n_shuffles=100)["properties"]
    assert (table["p_value"] > 0.005).all()
    assert (table["value"] - table["null_mean"]).abs().max() < 0.1


def test_without_structured_positions_their_values_are_undefined():
    outcome = measured(arc(), regimes_of(40, unstructured=tuple(range(40))))
    rows = outcome["properties"][outcome["properties"]["positions"] == "structured"]
    assert rows["n"].tolist() == [0] * 6
    assert rows[["value", "null_mean", "p_value"]].isna().all(axis=None)
    assert outcome["profiles"]["n_pairs"].sum() == 0
    assert outcome["profiles"]["mean"].isna().all()


def test_regimes_of_another_model_are_refused():
    with pytest.raises(InputError, match="40 positions, its table of regimes 39"):
        measured(arc(), regimes_of(39))
