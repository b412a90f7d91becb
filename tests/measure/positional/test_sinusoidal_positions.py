from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.geometry.positional.sinusoids import sinusoidal_positions
from embspace.measure.positional.helix import measure_helix
from embspace.measure.positional.positions import measure_positions
from embspace.measure.positional.sinusoidal_positions import measure_sinusoidal_positions
from tests.analyses import settings_of
from tests.geometry.planted import helix
from tests.measure.regimes import regimes_of

FEW = {"n_positions": 40, "largest_offsets": [4, 39], "n_shuffles": 20, "n_shown": 16}
SETTINGS = settings_of(measure_sinusoidal_positions, **FEW)
N, DIM = 60, 48


def measured(learned: np.ndarray | None, regimes: pd.DataFrame, **change) -> dict[str, Any]:
    matrices = {"input": np.zeros((5, DIM), dtype=np.float32)}
    if learned is not None:
        matrices["positional"] = learned
    return measure_sinusoidal_positions(matrices, regimes, **SETTINGS | change)


@pytest.fixture(scope="module")
def outcome() -> dict[str, Any]:
    return measured(helix(N, dim=DIM), regimes_of(N, outlying=[0, 7]))


def value(outcome: dict[str, Any], encoding: str, name: str, **where: float) -> float:
    rows = outcome["properties"]
    rows = rows[(rows["encoding"] == encoding) & (rows["property"] == name)]
    for column, wanted in where.items():
        rows = rows[rows[column] == wanted]
    return rows["value"].item()


def test_sinusoidal_positions_have_all_that_is_known_of_them(outcome):
    size = np.sqrt(DIM / 2)
    for name in ("mean_norm", "smallest_norm", "largest_norm"):
        assert value(outcome, "sinusoidal", name) == pytest.approx(size)
    assert value(outcome, "sinusoidal", "norm_standard_deviation") < 1e-12
    for name in ("translation_invariance", "symmetry"):
        assert value(outcome, "sinusoidal", name, largest_offset=39) == pytest.approx(1)
    # At offsets under half the shortest period every cosine falls.
    assert value(outcome, "sinusoidal", "monotonicity", largest_offset=4) == 1
    assert value(outcome, "sinusoidal", "order_correlation") == pytest.approx(1)
    assert value(outcome, "sinusoidal", "shortest_wavelength") == pytest.approx(2 * np.pi)
    longest = 2 * np.pi * 10_000 ** (46 / 48)
    assert value(outcome, "sinusoidal", "longest_wavelength") == pytest.approx(longest)


def test_the_profile_is_the_formula_and_has_no_spread(outcome):
    rows = outcome["profiles"][outcome["profiles"]["encoding"] == "sinusoidal"]
    assert rows["offset"].tolist() == list(range(1, N))
    assert rows["n_pairs"].tolist() == list(range(N - 1, 0, -1))
    for column in ("mean", "minimum", "maximum"):
        assert rows[column].to_numpy() == pytest.approx(rows["expected"].to_numpy(), abs=1e-12)
    assert rows["standard_deviation"].max() < 1e-12


def test_the_printed_formula_has_none_of_it(outcome):
    name = "sinusoidal_as_printed"
    assert value(outcome, name, "norm_standard_deviation") > 0.01
    assert value(outcome, name, "translation_invariance", largest_offset=39) < 0.99
    rows = outcome["profiles"][outcome["profiles"]["encoding"] == name]
    assert rows["standard_deviation"].max() > 0.001
    assert rows["expected"].isna().all()


def test_learned_positions_have_the_numbers_of_their_own_stages(outcome):
    learned, regimes = helix(N, dim=DIM), regimes_of(N, outlying=[0, 7])
    few = {"largest_offsets": [4, 39], "n_shuffles": 1, "n_null_tables": 1}
    settings = settings_of(measure_positions, **few, wave_offsets=8)
    positions = measure_positions({"positional": learned}, regimes, **settings)["properties"]
    for _, row in positions.iterrows():
        encoding = {"all": "learned", "structured": "learned_structured"}[row["positions"]]
        offset = {"largest_offset": row["largest_offset"]}
        assert value(outcome, encoding, row["property"], **offset) == pytest.approx(row["value"])
    settings = settings_of(measure_helix, n_shuffles=1, n_null_tables=1)
    periods = measure_helix({"positional": learned}, regimes, **settings)["periods"]
    periods = periods.set_index("definition")["period"]
    name = "learned_structured"
    assert value(outcome, name, "winding_period") == pytest.approx(periods["winding_number"])
    assert value(outcome, name, "spectral_period") == pytest.approx(periods["spectrum"])


def test_learned_sinusoids_are_found_to_be_such():
    learned = 0.1 * sinusoidal_positions(N, DIM, base=10_000.0)
    outcome = measured(learned.astype(np.float32), regimes_of(N))
    rows = dict(list(outcome["properties"].groupby("encoding")))
    known = rows["sinusoidal"][~rows["sinusoidal"]["property"].str.endswith("wavelength")]
    assert rows["learned"]["property"].tolist() == known["property"].tolist()
    scale = np.where(known["property"].str.contains("norm(?!alized)"), 0.1, 1)
    assert rows["learned"]["value"].to_numpy() == pytest.approx(
        scale * known["value"].to_numpy(), rel=1e-3, abs=1e-6
    )
    # It would be the same.
    assert "learned_structured" not in set(outcome["properties"]["encoding"])


def test_the_tensors_are_the_first_positions(outcome):
    assert sorted(outcome["safetensors"]) == [
        "learned",
        "learned_cosines",
        "sinusoidal",
        "sinusoidal_as_printed",
        "sinusoidal_as_printed_cosines",
        "sinusoidal_cosines",
    ]
    assert np.array_equal(outcome["safetensors"]["learned"], helix(N, dim=DIM)[:16])
    assert outcome["safetensors"]["sinusoidal_cosines"].shape == (16, 16)
    assert np.diagonal(outcome["safetensors"]["sinusoidal_cosines"]) == pytest.approx(np.ones(16))


def test_a_model_without_positions_has_the_sinusoidal_ones_alone():
    outcome = measured(None, regimes_of(0))
    assert set(outcome["properties"]["encoding"]) == {"sinusoidal", "sinusoidal_as_printed"}
    assert set(outcome["properties"]["n"]) == {40}
    assert set(outcome["properties"]["dim"]) == {DIM}
    assert set(outcome["profiles"]["encoding"]) == {"sinusoidal", "sinusoidal_as_printed"}


def test_before_training_nothing_is_structured():
    outcome = measured(helix(N, dim=DIM), regimes_of(N, unstructured=range(N)))
    assert "learned" in set(outcome["properties"]["encoding"])
    assert "learned_structured" not in set(outcome["properties"]["encoding"])


def test_positions_that_do_not_differ_have_no_period():
    outcome = measured(np.ones((N, DIM), dtype=np.float32), regimes_of(N))
    learned = outcome["properties"][outcome["properties"]["encoding"] == "learned"]
    assert "winding_period" not in set(learned["property"])
    assert "order_correlation" not in set(learned["property"])
    assert value(outcome, "learned", "norm_standard_deviation") == pytest.approx(0, abs=1e-12)
    assert np.isnan(value(outcome, "learned", "participation_ratio"))
    assert np.isnan(value(outcome, "learned", "components_for_share", share=0.5))


def test_positions_of_length_zero_have_no_cosine():
    learned = helix(N, dim=DIM)
    learned[3] = 0
    outcome = measured(learned, regimes_of(N))
    rows = outcome["profiles"][outcome["profiles"]["encoding"] == "learned"]
    assert rows["n_pairs"].iloc[0] == N - 3
    assert value(outcome, "learned", "smallest_norm") == 0


def test_an_odd_dimension_has_no_formula():
    outcome = measured(helix(N, dim=7), regimes_of(N))
    assert outcome["profiles"]["expected"].isna().all()
