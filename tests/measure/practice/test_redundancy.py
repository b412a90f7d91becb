from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.measure.practice.redundancy import measure_redundancy, spearman
from tests.analyses import settings_of

NAMES = ["mean_cosine", "iso_score", "two_nn", "hubness"]
FEW = {"measures": NAMES, "n_shuffles": 499}
DECIDED_BY_SEED = ("adjusted_p_value",)


def profile(curves: dict[str, np.ndarray]) -> pd.DataFrame:
    """Curves (cloud, layer) by measure."""
    rows = [
        {"corpus": f"c{cloud}", "space": "mean", "change": "as_is", "layer": layer}
        | {"measure": name, "value": value}
        for name, values in curves.items()
        for cloud, curve in enumerate(values)
        for layer, value in enumerate(curve)
    ]
    return pd.DataFrame(rows)


def walks(seed: int, n_layers: int = 9, n_clouds: int = 2) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(4, 1, n_layers))
    steps = shared + 0.3 * rng.normal(size=(4, n_clouds, n_layers))
    return dict(zip(NAMES, np.cumsum(steps, axis=-1), strict=True))


def inputs(*, is_empty: bool) -> dict[str, Any]:
    if is_empty:
        return {"profiles": {}}
    return {"profiles": {"model": profile(walks(0)), "other": profile(walks(1))}}


def measured(*profiles: pd.DataFrame, **change: Any) -> dict[str, pd.DataFrame]:
    given = {f"model {number}": table for number, table in enumerate(profiles)}
    return measure_redundancy(given, **settings_of(measure_redundancy, **FEW | change))


def test_a_measure_and_its_monotone_function_go_together():
    curves = walks(0)
    curves["iso_score"] = -np.exp(curves["mean_cosine"])
    first = measured(profile(curves))["csv"].iloc[0]
    assert (first["measure"], first["other_measure"]) == ("mean_cosine", "iso_score")
    assert first["spearman"] == pytest.approx(-1) and first["of_steps"] < -0.8
    assert first["adjusted_p_value"] <= 0.05


def test_independent_walks_go_together_in_a_twentieth():
    table = pd.concat(
        [measured(profile(walks(seed)), n_shuffles=99)["csv"] for seed in range(1, 35)]
    )
    assert len(table) == 34 * 6
    assert (table["p_value"] <= 0.05).mean() <= 0.1
    assert table["spearman"].abs().quantile(0.9) > 0.6  # trends alone correlate as much


def test_a_model_agrees_with_itself_and_not_with_a_model_of_other_measures():
    tables = measured(profile(walks(0)), profile(walks(0)))
    same = tables["models"].iloc[0]
    assert same["spearman"] == pytest.approx(1) and same["n_pairs"] == 6
    assert same["p_value"] < 0.2  # 24 orders of four measures


def test_undefined_and_constant_measures_and_few_layers_are_left_out():
    curves = walks(0)
    curves["iso_score"][0, 2] = np.nan
    curves["two_nn"][:] = 1.0
    table = measured(profile(curves))["csv"]
    assert "two_nn" not in {*table["measure"], *table["other_measure"]}
    counts = table.set_index(["measure", "other_measure"])["n_clouds"]
    assert counts["mean_cosine", "iso_score"] == 1 and counts["mean_cosine", "hubness"] == 2
    assert measured(profile(walks(0, n_layers=3)))["csv"].empty


def test_spearman_is_that_of_scipy():
    from scipy.stats import spearmanr

    x, y = np.random.default_rng(0).normal(size=(2, 3, 8)).round(1)
    expected = [spearmanr(*pair).statistic for pair in zip(x, y, strict=True)]
    assert spearman(x, y) == pytest.approx(expected)
