import numpy as np
import pandas as pd
import pytest

from embspace.compare.alignment_table import (
    MEASURES,
    alignment_rows,
    alignment_values,
    best_pair_rows,
    corresponding_layers,
)
from embspace.compare.same_points import Views
from embspace.files.tables import Row
from embspace.geometry.groups.alignment import (
    debiased_linear_cka,
    linear_cka,
    mutual_nearest_neighbors,
    procrustes_similarity,
)
from embspace.geometry.inference.alignment_draws import cka_of_orders, linear_kernels
from embspace.geometry.pairs.directions import unit_rows

N = 60
SETTINGS = {"n_neighbors": 5, "n_resamples": 40, "n_permutations": 30}
SETTINGS |= {"n_procrustes_permutations": 4, "level": 0.9}


def views(*, is_sample: bool = True, dim: int = 12) -> Views:
    """Three layers and two; the last of both share a part, the first are independent."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(3, N, dim)), rng.normal(size=(2, N, 8))
    y[1] += 2 * x[2, :, :8] + 4
    return Views(x, y, is_sample)


def rows(given: Views, seed: int = 0) -> pd.DataFrame:
    return alignment_rows(given, **SETTINGS, generator=np.random.default_rng(seed))[0]


def at(table: pd.DataFrame, layer: int, other: int, measure: str) -> pd.Series:
    chosen = table[(table["layer"] == layer) & (table["other_layer"] == other)]
    (place,) = chosen.index[chosen["measure"] == measure]
    return chosen.loc[place]


@pytest.mark.parametrize("dim", [12, 100])
def test_each_value_is_that_of_the_measure_by_itself(dim: int):
    given = views(dim=dim)
    table = rows(given)
    for layer, other in np.ndindex(3, 2):
        x, y = given.x[layer], given.y[other]
        near = mutual_nearest_neighbors(unit_rows(x), unit_rows(y), n_neighbors=5)
        assert at(table, layer, other, "mutual_nearest_neighbors")["value"] == pytest.approx(near)
        for function in (linear_cka, debiased_linear_cka):
            similarity = at(table, layer, other, function.__name__)["value"]
            assert similarity == pytest.approx(function(x, y))
    similarity = at(table, 2, 1, "procrustes_similarity")["value"]
    assert similarity == pytest.approx(procrustes_similarity(given.x[2], given.y[1]))


def test_procrustes_is_of_layers_that_lie_equally_deep():
    table = rows(views())
    chosen = table[table["measure"] == "procrustes_similarity"]
    assert chosen[["layer", "other_layer"]].to_numpy().tolist() == [[0, 0], [2, 1]]
    assert (table["measure"] != "procrustes_similarity").sum() == 3 * 2 * 3
    assert corresponding_layers(7, 13) == [(i, 2 * i) for i in range(7)]
    assert corresponding_layers(13, 7) == [(2 * i, i) for i in range(7)]
    assert corresponding_layers(4, 4) == [(i, i) for i in range(4)]


@pytest.mark.parametrize("measure", MEASURES)
def test_what_is_shared_is_above_the_null_and_what_is_not_is_within(measure: str):
    table = rows(views())
    shared, apart = at(table, 2, 1, measure), at(table, 0, 0, measure)
    if measure == "procrustes_similarity":  # too few orders for a quantile
        assert pd.isna(shared["null_high"])
        assert shared["value"] > shared["null"] + 0.1
        assert apart["value"] == pytest.approx(apart["null"], abs=0.1)
        return
    assert shared["value"] > shared["null_high"] > shared["null"]
    # Thirty draws of which the value might have been one.
    assert apart["value"] < apart["null_high"] + 2 * (apart["null_high"] - apart["null"])


def test_the_null_of_neighbors_is_chance():
    table = rows(views())
    null = table.loc[table["measure"] == "mutual_nearest_neighbors", "null"]
    assert null.mean() == pytest.approx(5 / (N - 1), abs=0.005)


def test_intervals_hold_their_values_and_the_biased_measure_has_none():
    table = rows(views())
    with_interval = table[table["measure"] != "linear_cka"]
    assert (with_interval["low"] < with_interval["high"]).all()
    shared = with_interval[(with_interval["layer"] == 2) & (with_interval["other_layer"] == 1)]
    assert (shared["low"] < shared["value"]).all()
    assert (shared["value"] < shared["high"]).all()
    assert table.loc[table["measure"] == "linear_cka", ["low", "high"]].isna().all(axis=None)
    assert rows(views(is_sample=False))[["low", "high"]].isna().all(axis=None)


def test_the_interval_of_debiased_cka_covers_the_truth():
    # Two of ten axes are common: 0.2, see the geometry's test.
    covered = 0
    for seed in range(60):
        z = np.random.default_rng(seed).normal(size=(80, 18))
        given = Views(z[np.newaxis, :, :10], z[np.newaxis, :, 8:], is_sample=True)
        row = at(rows(given, seed), 0, 0, "debiased_linear_cka")
        covered += row["low"] <= 0.2 <= row["high"]
    assert 0.75 <= covered / 60 <= 1


@pytest.mark.parametrize("n", [30, 120])
def test_the_interval_of_neighbors_covers_their_mean(n: int):
    intervals = []
    for seed in range(120):
        z = np.random.default_rng(seed).normal(size=(1, n, 12))
        given = Views(z[:, :, :8], np.tanh(z[:, :, 4:]), is_sample=True)
        settings = SETTINGS | {
            "n_resamples": 2,
            "n_permutations": 1,
            "n_procrustes_permutations": 1,
        }
        table, _ = alignment_rows(given, **settings, generator=np.random.default_rng(seed))
        intervals.append(at(table, 0, 0, "mutual_nearest_neighbors"))
    value, low, high = (
        np.array([row[key] for row in intervals]) for key in ("value", "low", "high")
    )
    assert np.mean((low <= value.mean()) & (value.mean() <= high)) >= 0.9
    # At most twice as wide as a normal one of the deviation that there is.
    assert (high - low).mean() < 2 * 2 * 1.645 * value.std()


def test_intervals_end_where_the_ranges_of_the_measures_do():
    z = np.random.default_rng(0).normal(size=(1, 14, 9))
    noisy = z + 0.05 * np.random.default_rng(1).normal(size=z.shape)
    table = rows(Views(z, noisy, is_sample=True), 0)
    neighbors = at(table, 0, 0, "mutual_nearest_neighbors")
    assert 0.8 < neighbors["value"] < 1
    assert neighbors["high"] == 1  # the jackknife alone would go beyond
    sampled = table[table["low"].notna()]
    assert (sampled["low"].abs() <= 1).all() and (sampled["high"].abs() <= 1).all()


def test_neighbors_have_no_interval_where_no_other_could_be_one():
    table, _ = alignment_rows(
        views(), **SETTINGS | {"n_neighbors": N - 1}, generator=np.random.default_rng(0)
    )
    rows = table[table["measure"] == "mutual_nearest_neighbors"]
    assert (rows["value"] == 1).all()
    assert rows[["low", "high"]].isna().all(axis=None)


def test_views_up_to_rotation_and_scale_are_one():
    x = np.random.default_rng(0).normal(size=(1, N, 6))
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(6, 6)))[0]
    table = rows(Views(x, 3 * x @ turn, is_sample=True))
    assert table["value"].to_numpy() == pytest.approx(1)


def test_values_alone_are_those_of_the_rows():
    given = views()
    alone = alignment_values(given, n_neighbors=5)
    assert alone.equals(rows(given)[list(alone.columns)])


def best_cka(x: np.ndarray, y: np.ndarray, generator: np.random.Generator, n_orders: int) -> Row:
    """Return the most similar layers by debiased CKA, beside their null."""
    n = x.shape[1]
    orders = np.stack([np.arange(n), *(generator.permutation(n) for _ in range(n_orders))])
    drawn = cka_of_orders(linear_kernels(x), linear_kernels(y), orders)
    drawn["mutual_nearest_neighbors"] = drawn["linear_cka"]
    values = {name: x[0] for name, x in drawn.items()}
    null = {name: x[1:] for name, x in drawn.items()}
    rows = {row["measure"]: row for row in best_pair_rows(values, null, 0.95)}
    return rows["debiased_linear_cka"]


def two_models(seed: int, *, share: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return four layers and three of independent models; if shared, layer 2 is also layer 1."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(4, 40, 10)), rng.normal(size=(3, 40, 8))
    if share:
        y[1] = x[2] @ rng.normal(size=(10, 8)) + 0.5 * y[1]
    return x, y


def test_a_layer_of_both_models_is_the_best_pair_above_chance():
    for seed in range(20):
        row = best_cka(*two_models(seed, share=True), np.random.default_rng(seed), 99)
        assert (row["layer"], row["other_layer"], row["is_above_null"]) == (2, 1, True)
        assert row["p_value"] == 0.01


def test_the_best_pair_of_independent_models_is_seldom_above_chance():
    """Of 200 draws: 5 % are 10, and 16 lie two standard deviations above."""
    rows = [
        best_cka(*two_models(seed, share=False), np.random.default_rng(seed), 99)
        for seed in range(200)
    ]
    assert sum(row["is_above_null"] for row in rows) <= 16
    # Held against the null of its own pair of layers, the best one would often be above.
    assert np.mean([row["value"] for row in rows]) > 0.02
