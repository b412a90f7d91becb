"""Holds the table of estimators to clouds of known dimension and to limits."""

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.geometry import participation_ratio, two_nn
from embspace.geometry.inference.known_clouds import standard_gaussian
from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.toys.estimators import LIMITS, measure_estimators
from tests.analyses import settings_of

FEW = {
    "dimensions": [2, 10],
    "n_points": 600,
    "dim": 20,
    "sample_sizes": [10, 4000],
    "n_draws": 2,
}
SETTINGS = settings_of(measure_estimators, **FEW)
DECIDED_BY_SEED = ("mean", "smallest", "largest")  # clouds are drawn


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return measure_estimators(**SETTINGS)


def test_every_measure_of_dimension_is_there_for_every_cloud(outcome: Outcome) -> None:
    names = {
        measure.name
        for measure in profiled_measures().values()
        if measure.family == "intrinsic_dimension"
    }
    clouds = (
        outcome["dimension"].groupby(["cloud", "true_dimension"], sort=False)["measure"].agg(set)
    )
    assert list(clouds.index) == [
        *((cloud, d) for cloud in ("cube", "sphere", "gaussian") for d in (2, 10)),
        ("swiss_roll", 2),
    ]
    assert all(measures == names for measures in clouds)


def test_planes_are_found_and_many_dimensions_are_too_few(outcome: Outcome) -> None:
    table = outcome["dimension"]
    planes, many = (table[table["true_dimension"] == d] for d in (2, 10))
    assert planes["mean"].between(1.6, 2.4).all()
    assert (many["mean"] < 10.5).all()
    bounds = table[["smallest", "mean", "largest"]].to_numpy()
    assert (np.diff(bounds, axis=1) >= 0).all()


def test_a_row_is_the_measure_itself() -> None:
    table = measure_estimators(**SETTINGS | {"n_draws": 1})["dimension"]
    generator = np.random.default_rng(0).spawn(2)[0]
    expected = two_nn(generator.uniform(size=(600, 2))).value
    row = table[(table["cloud"] == "cube") & (table["measure"] == "two_nn")].iloc[0]
    assert row["mean"] == row["smallest"] == row["largest"] == pytest.approx(expected)


def rows_of_measure(table: pd.DataFrame, name: str) -> pd.DataFrame:
    return table[table["measure"] == name].set_index("n")


def test_many_vectors_come_to_the_limit_and_few_do_not(outcome: Outcome) -> None:
    for name in LIMITS:
        rows = rows_of_measure(outcome["spectrum"], name)
        ratio = rows["mean"] / rows["limit"]
        assert ratio[4000] == pytest.approx(1, abs=0.2), name
        if name != "debiased_participation_ratio":
            assert abs(ratio[10] - 1) > 3 * abs(ratio[4000] - 1), name
    generator = np.random.default_rng(0).spawn(2)[1]
    clouds = [standard_gaussian(10, 20, generator) for _ in range(2)]
    expected = np.mean([participation_ratio(x) for x in clouds])
    assert rows_of_measure(outcome["spectrum"], "participation_ratio")["mean"][10] == pytest.approx(
        expected
    )
