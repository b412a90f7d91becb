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
def found() -> Outcome:
    return measure_estimators(**SETTINGS)


def test_every_measure_of_dimension_is_there_for_every_cloud(found: Outcome) -> None:
    names = {
        each.name for each in profiled_measures().values() if each.family == "intrinsic_dimension"
    }
    clouds = found["dimension"].groupby(["cloud", "true_dimension"], sort=False)["measure"].agg(set)
    assert list(clouds.index) == [
        *((cloud, d) for cloud in ("cube", "sphere", "gaussian") for d in (2, 10)),
        ("swiss_roll", 2),
    ]
    assert all(each == names for each in clouds)


def test_planes_are_found_and_many_dimensions_are_too_few(found: Outcome) -> None:
    table = found["dimension"]
    planes, many = (table[table["true_dimension"] == d] for d in (2, 10))
    assert planes["mean"].between(1.6, 2.4).all()
    assert (many["mean"] < 10.5).all()
    bounds = table[["smallest", "mean", "largest"]].to_numpy()
    assert (np.diff(bounds, axis=1) >= 0).all()


def test_a_row_is_the_measure_itself() -> None:
    found = measure_estimators(**SETTINGS | {"n_draws": 1})["dimension"]
    of_clouds = np.random.default_rng(0).spawn(2)[0]
    expected = two_nn(of_clouds.uniform(size=(600, 2))).value
    row = found[(found["cloud"] == "cube") & (found["measure"] == "two_nn")].iloc[0]
    assert row["mean"] == row["smallest"] == row["largest"] == pytest.approx(expected)


def of_measure(table: pd.DataFrame, name: str) -> pd.DataFrame:
    return table[table["measure"] == name].set_index("n")


def test_many_vectors_come_to_the_limit_and_few_do_not(found: Outcome) -> None:
    for name in LIMITS:
        rows = of_measure(found["spectrum"], name)
        ratio = rows["mean"] / rows["limit"]
        assert ratio[4000] == pytest.approx(1, abs=0.2), name
        if name != "debiased_participation_ratio":
            assert abs(ratio[10] - 1) > 3 * abs(ratio[4000] - 1), name
    of_vectors = np.random.default_rng(0).spawn(2)[1]
    clouds = [standard_gaussian(10, 20, of_vectors) for _ in range(2)]
    expected = np.mean([participation_ratio(x) for x in clouds])
    assert of_measure(found["spectrum"], "participation_ratio")["mean"][10] == pytest.approx(
        expected
    )
