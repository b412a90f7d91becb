import numpy as np
import pandas as pd
import pytest

from embspace.compare.paired_differences import PairedVectors, paired_intervals, paired_vectors
from embspace.geometry.offsets import mean_offsets, mean_weights

N_PAIRS, DIM = 20, 40
SETTINGS = {"n_resamples": 200, "level": 0.9, "seed": 0}


def vectors(noise: float, seed: int, shared: np.ndarray | None = None) -> PairedVectors:
    """Two categories of 20 differences, in one cell, about offsets at an angle of 60 degrees."""
    offsets = np.zeros((2, DIM))
    offsets[0, 0], offsets[1, :2] = 1, (0.5, np.sqrt(0.75))
    category = np.repeat([0, 1], N_PAIRS)
    random = np.random.default_rng(seed).normal(size=(2 * N_PAIRS, DIM)) * np.sqrt(noise / DIM)
    d = offsets[category] + random + (0 if shared is None else shared)
    return PairedVectors(["a", "b"], category, {(3, "mean"): d})


def test_differences_are_of_the_second_less_the_first_in_the_order_of_the_table():
    sentences = pd.DataFrame(
        [("b", "1", "first"), ("b", "1", "second"), ("a", "1", "second"), ("a", "1", "first")],
        columns=["category", "pair", "side"],
    )
    states = {"cls": np.array([[[1.0], [5.0], [7.0], [2.0]]] * 2), "mean": np.zeros((2, 0, 1))}
    found = paired_vectors(sentences, states)
    assert found.categories == ["b", "a"]
    assert list(found.category) == [0, 1]
    assert set(found.by_cell) == {(0, "cls"), (1, "cls")}
    assert found.by_cell[0, "cls"].tolist() == [[4.0], [5.0]]


def test_equal_models_do_not_differ_in_any_half():
    one = vectors(1.0, 0)
    for table in paired_intervals(one, one, **SETTINGS).values():
        assert table[["difference_low", "difference_high"]].to_numpy() == pytest.approx(
            0, abs=1e-12
        )


def test_bounds_hold_a_planted_difference():
    # Consistency is 1 / (1 + noise): 0.8 less 0.5.
    covered = 0
    for seed in range(40):
        pair = vectors(0.25, seed), vectors(1.0, 1000 + seed)
        found = paired_intervals(*pair, **SETTINGS)["categories"]
        assert list(found["category"]) == ["a", "b"]
        assert set(found["n_paired"]) == {N_PAIRS}
        covered += int(((found["difference_low"] <= 0.3) & (found["difference_high"] >= 0.3)).sum())
    assert 0.75 <= covered / 80 <= 1


def test_what_is_so_in_both_models_cancels():
    shared = np.random.default_rng(9).normal(size=(2 * N_PAIRS, DIM)) * np.sqrt(2 / DIM)
    paired = vectors(0.01, 0, shared), vectors(0.01, 1, shared)
    apart = vectors(2.0, 2), vectors(2.0, 3)
    for name in ("categories", "cosines"):
        width, other = (
            (table["difference_high"] - table["difference_low"]).mean()
            for table in (paired_intervals(*pair, **SETTINGS)[name] for pair in (paired, apart))
        )
        assert width < other / 4


def test_bounds_of_cosines_hold_their_value():
    one, other = vectors(0.5, 0), vectors(2.0, 1)
    (row,) = paired_intervals(one, other, **SETTINGS)["cosines"].to_dict("records")
    values = []
    for each in (one, other):
        d = each.by_cell[3, "mean"]
        values.append(mean_offsets(d @ d.T, each.category, mean_weights(each.category)).cosine)
    assert row["difference_low"] < (values[0] - values[1])[0, 0, 1] < row["difference_high"]
    assert (row["category_1"], row["category_2"], row["layer"]) == ("a", "b", 3)


def test_nothing_where_no_cell_is_common():
    one = vectors(1.0, 0)
    assert paired_intervals(one, PairedVectors(["a", "b"], one.category, {}), **SETTINGS) == {}
