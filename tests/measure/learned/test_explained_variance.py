import numpy as np
import pandas as pd
import pytest

from embspace.measure.learned.explained_variance import measure_explained_variance
from tests.analyses import settings_of
from tests.measure.vectors import random_matrices

FEW = {"shares": [0.5, 0.9], "n_null_draws": 20}


def measured(matrices: dict[str, np.ndarray], **change: int) -> dict[str, pd.DataFrame]:
    settings = settings_of(measure_explained_variance, **FEW | change)
    return measure_explained_variance(matrices, **settings)


def flat(n: int, dims: int, dim: int = 12) -> np.ndarray:
    """Gaussian in the first `dims` dimensions."""
    x = np.zeros((n, dim), dtype=np.float32)
    x[:, :dims] = np.random.default_rng(dims).normal(size=(n, dims))
    return x


def components(outcome: dict[str, pd.DataFrame], column: str) -> dict[tuple[str, float], float]:
    return outcome["dimensions"].set_index(["space", "share"])[column].to_dict()


def test_flat_clouds_need_as_many_components_as_they_have_dimensions():
    outcome = measured({"input": flat(4000, 10), "positional": flat(500, 4)})
    needed = components(outcome, "n_components")
    assert needed["positional", 0.9] == 4
    assert needed["positional", 0.5] == 2
    assert needed["input", 0.9] in (9, 10)
    assert needed["input", 0.5] == 5
    # The null spreads over all twelve dimensions.
    assert components(outcome, "null_n_components")["input", 0.9] == 11


def test_the_curve_is_the_sum_of_shares_and_ends_at_one():
    curve = measured(random_matrices())["curve"]
    assert curve.groupby("space").size().to_dict() == {"input": 48, "positional": 48, "joint": 48}
    for _, rows in curve.groupby("space"):
        assert rows["n_components"].tolist() == list(range(1, 49))
        total = rows["cumulative_explained_variance"]
        assert total.to_numpy() == pytest.approx(rows["explained_variance"].cumsum().to_numpy())
        assert total.iloc[-1] == pytest.approx(1)
        assert rows["explained_variance"].is_monotonic_decreasing


def test_gaussian_vectors_are_like_their_null():
    # 30 positions in 48 dimensions, whose curve is far from a straight line.
    curve = measured(random_matrices())["curve"]
    explained = curve["cumulative_explained_variance"]
    null = curve["null_cumulative_explained_variance"]
    assert (explained - null)[curve["space"] != "joint"].abs().max() < 0.03
    positional = null[curve["space"] == "positional"].to_numpy()
    assert positional[23] > 0.9 > 24 / 48
    assert positional[28] == pytest.approx(1)


def test_the_joint_cloud_is_both_matrices():
    matrices = {"input": flat(300, 3), "positional": flat(300, 3) + 50}
    outcome = measured(matrices)
    assert outcome["dimensions"].set_index("space")["n"]["joint"].tolist() == [600, 600]
    assert components(outcome, "n_components")["joint", 0.9] == 1


def test_a_null_does_not_depend_on_the_other_spaces():
    matrices = random_matrices()
    alone, both = measured({"input": matrices["input"]})["curve"], measured(matrices)["curve"]
    pd.testing.assert_frame_equal(alone, both[both["space"] == "input"])


def test_equal_vectors_have_no_components():
    matrices = {"input": flat(50, 3), "positional": np.full((20, 12), 0.1, dtype=np.float32)}
    outcome = measured(matrices)
    assert np.isnan(components(outcome, "n_components")["positional", 0.5])
    rows = outcome["curve"][outcome["curve"]["space"] == "positional"]
    assert rows["cumulative_explained_variance"].isna().all()
    assert rows["null_cumulative_explained_variance"].notna().all()


def test_the_range_of_the_null_is_that_of_all_its_draws():
    few = {"input": np.random.default_rng(0).normal(size=(6, 12)).astype(np.float32)}
    rows = measured(few, n_null_draws=40)["dimensions"]
    low, high = rows["null_n_components_low"], rows["null_n_components_high"]
    assert (low <= rows["null_n_components"]).all() and (rows["null_n_components"] <= high).all()
    assert (low < high).any()
    one = measured(few, n_null_draws=1)["dimensions"]
    for end in ("low", "high"):
        assert one[f"null_n_components_{end}"].tolist() == one["null_n_components"].tolist()
    assert rows[["n", "dim", "share"]].to_numpy().tolist() == [[6, 12, 0.5], [6, 12, 0.9]]
