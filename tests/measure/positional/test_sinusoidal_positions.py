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
def found() -> dict[str, Any]:
    return measured(helix(N, dim=DIM), regimes_of(N, outlying=[0, 7]))


def value(found: dict[str, Any], encoding: str, name: str, **where: float) -> float:
    rows = found["properties"]
    rows = rows[(rows["encoding"] == encoding) & (rows["property"] == name)]
    for column, wanted in where.items():
        rows = rows[rows[column] == wanted]
    return rows["value"].item()


def test_sinusoidal_positions_have_all_that_is_known_of_them(found):
    size = np.sqrt(DIM / 2)
    for name in ("mean_norm", "smallest_norm", "largest_norm"):
        assert value(found, "sinusoidal", name) == pytest.approx(size)
    assert value(found, "sinusoidal", "norm_standard_deviation") < 1e-12
    for name in ("translation_invariance", "symmetry"):
        assert value(found, "sinusoidal", name, largest_offset=39) == pytest.approx(1)
    # At offsets under half the shortest period every cosine falls.
    assert value(found, "sinusoidal", "monotonicity", largest_offset=4) == 1
    assert value(found, "sinusoidal", "order_correlation") == pytest.approx(1)
    assert value(found, "sinusoidal", "shortest_wavelength") == pytest.approx(2 * np.pi)
    longest = 2 * np.pi * 10_000 ** (46 / 48)
    assert value(found, "sinusoidal", "longest_wavelength") == pytest.approx(longest)


def test_the_profile_is_the_formula_and_has_no_spread(found):
    rows = found["profiles"][found["profiles"]["encoding"] == "sinusoidal"]
    assert rows["offset"].tolist() == list(range(1, N))
    assert rows["n_pairs"].tolist() == list(range(N - 1, 0, -1))
    for column in ("mean", "minimum", "maximum"):
        assert rows[column].to_numpy() == pytest.approx(rows["expected"].to_numpy(), abs=1e-12)
    assert rows["standard_deviation"].max() < 1e-12


def test_the_printed_formula_has_none_of_it(found):
    name = "sinusoidal_as_printed"
    assert value(found, name, "norm_standard_deviation") > 0.01
    assert value(found, name, "translation_invariance", largest_offset=39) < 0.99
    rows = found["profiles"][found["profiles"]["encoding"] == name]
    assert rows["standard_deviation"].max() > 0.001
    assert rows["expected"].isna().all()


def test_learned_positions_have_the_numbers_of_their_own_stages(found):
    learned, regimes = helix(N, dim=DIM), regimes_of(N, outlying=[0, 7])
    few = {"largest_offsets": [4, 39], "n_shuffles": 1, "n_null_tables": 1}
    settings = settings_of(measure_positions, **few, wave_offsets=8)
    positions = measure_positions({"positional": learned}, regimes, **settings)["properties"]
    for _, row in positions.iterrows():
        encoding = {"all": "learned", "structured": "learned_structured"}[row["positions"]]
        offset = {"largest_offset": row["largest_offset"]}
        assert value(found, encoding, row["property"], **offset) == pytest.approx(row["value"])
    settings = settings_of(measure_helix, n_shuffles=1, n_null_tables=1)
    periods = measure_helix({"positional": learned}, regimes, **settings)["periods"]
    periods = periods.set_index("definition")["period"]
    name = "learned_structured"
    assert value(found, name, "winding_period") == pytest.approx(periods["winding_number"])
    assert value(found, name, "spectral_period") == pytest.approx(periods["spectrum"])


def test_learned_sinusoids_are_found_to_be_such():
    learned = 0.1 * sinusoidal_positions(N, DIM, base=10_000.0)
    found = measured(learned.astype(np.float32), regimes_of(N))
    rows = dict(list(found["properties"].groupby("encoding")))
    known = rows["sinusoidal"][~rows["sinusoidal"]["property"].str.endswith("wavelength")]
    assert rows["learned"]["property"].tolist() == known["property"].tolist()
    scale = np.where(known["property"].str.contains("norm(?!alized)"), 0.1, 1)
    assert rows["learned"]["value"].to_numpy() == pytest.approx(
        scale * known["value"].to_numpy(), rel=1e-3, abs=1e-6
    )
    assert "learned_structured" not in set(found["properties"]["encoding"])  # it would be the same


def test_the_tensors_are_the_first_positions(found):
    assert sorted(found["safetensors"]) == [
        "learned",
        "learned_cosines",
        "sinusoidal",
        "sinusoidal_as_printed",
        "sinusoidal_as_printed_cosines",
        "sinusoidal_cosines",
    ]
    assert np.array_equal(found["safetensors"]["learned"], helix(N, dim=DIM)[:16])
    assert found["safetensors"]["sinusoidal_cosines"].shape == (16, 16)
    assert np.diagonal(found["safetensors"]["sinusoidal_cosines"]) == pytest.approx(np.ones(16))


def test_a_model_without_positions_has_the_sinusoidal_ones_alone():
    found = measured(None, regimes_of(0))
    assert set(found["properties"]["encoding"]) == {"sinusoidal", "sinusoidal_as_printed"}
    assert set(found["properties"]["n"]) == {40}
    assert set(found["properties"]["dim"]) == {DIM}
    assert set(found["profiles"]["encoding"]) == {"sinusoidal", "sinusoidal_as_printed"}


def test_before_training_nothing_is_structured():
    found = measured(helix(N, dim=DIM), regimes_of(N, unstructured=range(N)))
    assert "learned" in set(found["properties"]["encoding"])
    assert "learned_structured" not in set(found["properties"]["encoding"])


def test_positions_that_do_not_differ_have_no_period():
    found = measured(np.ones((N, DIM), dtype=np.float32), regimes_of(N))
    learned = found["properties"][found["properties"]["encoding"] == "learned"]
    assert "winding_period" not in set(learned["property"])
    assert "order_correlation" not in set(learned["property"])
    assert value(found, "learned", "norm_standard_deviation") == pytest.approx(0, abs=1e-12)
    assert np.isnan(value(found, "learned", "participation_ratio"))
    assert np.isnan(value(found, "learned", "components_for_share", share=0.5))


def test_positions_of_length_zero_have_no_cosine():
    learned = helix(N, dim=DIM)
    learned[3] = 0
    found = measured(learned, regimes_of(N))
    rows = found["profiles"][found["profiles"]["encoding"] == "learned"]
    assert rows["n_pairs"].iloc[0] == N - 3
    assert value(found, "learned", "smallest_norm") == 0


def test_an_odd_dimension_has_no_formula():
    found = measured(helix(N, dim=7), regimes_of(N))
    assert found["profiles"]["expected"].isna().all()
