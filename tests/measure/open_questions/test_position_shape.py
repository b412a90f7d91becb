from typing import Any

import numpy as np
import pytest

from embspace.analysis import Outcome
from embspace.measure.open_questions.position_shape import _verdict, measure_position_shape
from tests.analyses import settings_of
from tests.geometry.planted import noise
from tests.measure.regimes import regimes_of

N, DIM = 64, 12
FEW = {"n_surrogates": 3, "n_planes": 1, "n_bars": 3, "n_scales": 8}
# What is drawn are surrogates.
DECIDED_BY_SEED = ("random_walk", "stationary", "n_random_walk", "n_stationary", "verdict")


def wave(n: int = N, period: float = 9.3, blur: float = 0.02) -> np.ndarray:
    """Return a ring that is run through several times, under noise in all dimensions."""
    angle = 2 * np.pi * np.arange(n) / period
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    axes = np.linalg.qr(noise(DIM, DIM, seed=3))[0][:2]
    return (ring @ axes + blur * noise(n, DIM)).astype(np.float32)


def inputs(*, is_empty: bool) -> dict[str, Any]:
    x = wave(40, blur=0.5)  # noise, so that chance decides which loops are longer
    return {
        "matrices": {} if is_empty else {"positional": x},
        "regimes": regimes_of(0 if is_empty else 40),
    }


def measured(x: np.ndarray, **change: Any) -> Outcome:
    settings = settings_of(measure_position_shape, **FEW | {"n_surrogates": 20} | change)
    return measure_position_shape({"positional": x}, regimes_of(len(x)), **settings)


@pytest.fixture(scope="module")
def ring() -> Outcome:
    return measured(wave())


def test_a_planted_ring_outlasts_all_random_walks_and_has_its_period(ring: Outcome):
    first = ring["loops"].query("space == 'components'").iloc[0]
    assert first["length"] > 1.2
    assert first["shorter_random_walks"] == 1
    plane = ring["planes"].iloc[0]
    assert plane["period"] == pytest.approx(9.3, rel=0.05)
    assert plane["turns"] == pytest.approx(63 / 9.3, abs=0.3)
    assert plane["turns"] > plane["random_walk_high"]


def test_a_circle_run_through_once_stands_against_both_surrogates():
    # Its cosines fall and rise with the offset, as those of tables without any loop may.
    values = measured(wave(period=N / 1.05, blur=0.0))
    first = values["loops"].query("space == 'full'").iloc[0]
    assert first["verdict"] == "stands"
    assert (first["shorter_random_walks"], first["shorter_stationary"]) == (1, 1)
    longest = values["values"].query("space == 'full' and measure == 'longest_loop'")
    assert longest["verdict"].item() == "stands"


def test_random_walks_are_seldom_said_to_have_a_loop():  # of 200: tests/power
    stands = 0
    for seed in range(3):
        walk = np.random.default_rng(seed).normal(size=(32, DIM)).cumsum(axis=0)
        loops = measured(walk.astype(np.float32), seed=seed, n_scales=5)["loops"]
        stands += "stands" in set(loops["verdict"])
    assert stands <= 1


def test_dimensions_stand_beside_surrogates_and_sinusoids(ring: Outcome):
    values = ring["values"].set_index(["space", "measure"])
    row = values.loc["components", "successive_edges"]
    assert 0 <= row["random_walk_low"] <= row["random_walk"] <= row["random_walk_high"] <= 1
    assert row["n_random_walk"] == row["n_stationary"] == 20
    is_undefined = values["value"].isna() | values[["random_walk", "stationary"]].isna().any(axis=1)
    assert (is_undefined == (values["verdict"] == "undefined")).all()
    assert set(ring["scales"]["method"]) == {"correlation", "box"}
    assert len(ring["scales"]) == 3 * FEW["n_scales"]


@pytest.mark.parametrize(
    ("measure", "value", "defined", "expected"),
    [
        ("box_dimension", 0.0, 100, "stands"),
        ("box_dimension", 50.0, 100, "within the surrogates"),
        ("box_dimension", 200.0, 100, "stands"),
        ("box_dimension", 200.0, 94, "undefined"),  # of less than 95 % of the surrogates
        ("box_dimension", np.nan, 100, "undefined"),
        ("parts", 0.0, 100, "within the surrogates"),  # fewer than theirs
        ("longest_loop", 96.5, 100, "stands"),  # above 96 of 100
        ("longest_loop", 94.5, 100, "within the surrogates"),
    ],
)
def test_values_stand_outside_of_both_surrogates(
    measure: str, value: float, defined: int, expected: str
):
    draws = np.arange(1.0, 101)
    draws[defined:] = np.nan
    assert _verdict(measure, value, [np.arange(1.0, 101), draws], 0.95) == expected


def test_few_positions_have_no_shape():
    outcome = measured(wave(30))
    assert outcome["loops"].empty
    assert outcome["json"] == {"n_structured": 30, "n_positions": 30, "n_surrogates": 0}
