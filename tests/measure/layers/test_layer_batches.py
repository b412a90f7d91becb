"""Holds measures of batches to the measure of each, and batches to sharing no vector."""

from typing import Any

import numpy as np
import pytest

from embspace.clouds.layers import LayerCloud
from embspace.geometry import abide, top_variance_share, two_nn
from embspace.geometry.inference.half_samples import estimate_over_texts
from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.layers.layer_batches import (
    IN_ORDER,
    SPREAD,
    batches_of,
    in_order,
    measures_of_batches,
)
from tests.measure.layer_corpora import protocol


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def cloud(n_texts: int = 20, n_tokens: int = 12) -> LayerCloud:
    text = np.repeat(np.arange(n_texts), n_tokens)
    return LayerCloud(rng().normal(size=(len(text), 4)), text, None, None)


def rows_of(size: int, of: LayerCloud, **given: Any) -> dict[str, dict[str, Any]]:
    settings = protocol("intrinsic_dimension", batch_size=size, **given)
    rows = measures_of_batches(of, settings, rng(), with_slow=True)
    return {row["measure"]: row for row in rows}


def test_batches_share_no_vector_and_are_of_equal_size() -> None:
    batches = batches_of(cloud(50, 20), 300, rng())
    assert [len(batch) for batch in batches] == [300, 300, 300]
    rows = np.concatenate(batches)
    assert len(set(rows.tolist())) == 900 and rows.min() >= 0 and rows.max() < 1000
    assert any(batch.max() - batch.min() > 500 for batch in batches)  # shuffled


@pytest.mark.parametrize("size", [None, 10, 11])
def test_few_vectors_are_one_batch(size: int | None) -> None:
    assert [batch.tolist() for batch in batches_of(cloud(5, 2), size, rng())] == [list(range(10))]


def test_exact_multiples_leave_none_out() -> None:
    assert sorted(np.concatenate(batches_of(cloud(5, 4), 10, rng())).tolist()) == list(range(20))


def test_one_vector_short_of_a_batch_is_no_batch() -> None:
    (batch,) = batches_of(LayerCloud(np.eye(19), np.arange(19), None, None), 10, rng())
    assert len(batch) == 10


def members(of: LayerCloud, size: int) -> list[set[int]]:
    """The vectors of each batch, by their numbers among all vectors of the corpus."""
    number = np.arange(len(of.x)) if of.kept is None else np.flatnonzero(of.kept)
    return [set(number[rows].tolist()) for rows in batches_of(of, size, rng())]


def test_one_distinct_vector_more_moves_one_vector_of_each_batch_at_most() -> None:
    every = cloud(50, 20)
    whole = members(every, 90)
    for left_out in (0, 437, 999):
        without = members(every.among(np.delete(np.arange(1000), left_out)), 90)
        assert len(without) == len(whole) == 11
        changed = [len(a - b) for a, b in zip(whole, without, strict=True)]
        assert max(changed) <= 1 and not any(left_out in batch for batch in without)


def test_of_many_equal_vectors_the_rest_is_in_the_order_of_all() -> None:
    every = cloud(50, 20)
    order = rng().permutation(1000).tolist()
    left = np.arange(0, 1000, 3)
    part = members(every.among(left), 100)
    expected = [row for row in order if row % 3 == 0]
    assert part == [set(expected[first : first + 100]) for first in (0, 100, 200)]


def test_the_same_cloud_has_the_same_batches() -> None:
    part = cloud(50, 20).among(np.arange(7, 900))
    assert members(part, 90) == members(part, 90)
    whole = [rows.tolist() for rows in batches_of(cloud(50, 20), 90, rng())]
    assert whole[1] == sorted(rng().permutation(1000)[90:180])


def test_the_value_is_the_mean_over_batches() -> None:
    x = cloud()
    row = rows_of(70, x)["two_nn"]
    values = [two_nn(x.x[rows]).value for rows in batches_of(x, 70, rng())]
    assert len(values) == 3
    assert row["value"] == pytest.approx(np.mean(values))
    assert row[SPREAD] == pytest.approx(np.std(values))
    assert (row["n"], row["n_texts"], row["n_batches"]) == (210, 20, 3)
    assert row["low"] < row["value"] < row["high"]


def test_one_batch_is_measured_as_any_cloud() -> None:
    x = cloud()
    chosen = [
        measure
        for measure in profiled_measures().values()
        if measure.family == "intrinsic_dimension"
    ]
    rows = rows_of(1000, x)
    expected = estimate_over_texts(
        x.x, x.text, measures=chosen, n_half_samples=8, level=0.95, tolerance=0.05, rng=rng()
    )
    assert rows.keys() == expected.keys()
    for name, estimate in expected.items():
        for fact in ("value", "low", "high", "of_half", "standard_error"):
            assert rows[name][fact] == pytest.approx(getattr(estimate, fact), nan_ok=True), name
        assert rows[name]["n_batches"] == 1 and rows[name][SPREAD] == 0


def test_measures_of_few_batches_have_the_first_of_them() -> None:
    x = cloud()
    few = rows_of(70, x, few_batches=["abide"], n_batches_of_changes=2)
    assert (few["abide"]["n"], few["abide"]["n_batches"]) == (140, 2)
    assert (few["two_nn"]["n"], few["two_nn"]["n_batches"]) == (210, 3)
    values = [abide(x.x[rows]).value for rows in batches_of(x, 70, rng())[:2]]
    assert few["abide"]["value"] == pytest.approx(np.mean(values), rel=1e-6)
    assert few["abide"]["low"] < few["abide"]["value"] < few["abide"]["high"]
    assert few["two_nn"] == rows_of(70, x)["two_nn"]
    assert rows_of(70, x, n_batches_of_changes=2)["abide"]["n_batches"] == 3


def test_vectors_left_out_are_counted_over_batches() -> None:
    x = cloud()
    x.x[10:20] = x.x[:10]  # equals: their ratio is not defined
    whole = rows_of(1000, x)["two_nn"]
    assert whole["dropped"] > 0
    batches = batches_of(x, 70, rng())
    expected = sum(two_nn(x.x[rows]).dropped for rows in batches)
    assert rows_of(70, x)["two_nn"]["dropped"] == expected


def test_slow_measures_have_a_value_alone_and_only_where_they_are_asked_for() -> None:
    slow = rows_of(1000, cloud(), value_only=["correlation_dimension"])["correlation_dimension"]
    assert slow["value"] == pytest.approx(4, abs=1)
    assert np.isnan([slow[fact] for fact in ("low", "high", "of_half")]).all()
    settings = protocol("intrinsic_dimension", batch_size=99, value_only=["correlation_dimension"])
    without = measures_of_batches(cloud(), settings, rng(), with_slow=False)
    assert "correlation_dimension" not in {row["measure"] for row in without}


def test_without_halves_there_is_no_interval() -> None:
    row = rows_of(70, cloud(), n_half_samples=0)["two_nn"]
    assert np.isnan([row["low"], row["high"], row["of_half"]]).all() and row["value"] > 0


def test_batches_in_order_are_of_so_many_and_the_last_has_the_rest() -> None:
    # Of each batch a known share of the variance lies along the first axis: .8, .5 and .9.
    flat, round_, thin = (
        np.array([[a, 0.0], [-a, 0.0], [0.0, 1.0], [0.0, -1.0]]) for a in (2.0, 1.0, 3.0)
    )
    row = in_order(np.vstack([flat, round_, thin]), "top_variance_share", 4)
    assert row["n_batches"] == 3
    assert row[IN_ORDER] == pytest.approx((0.8 + 0.5 + 0.9) / 3)
    assert row[SPREAD] == pytest.approx(np.std([0.8, 0.5, 0.9]))
    rest = in_order(np.vstack([flat, round_, thin])[:11], "top_variance_share", 4)
    both = top_variance_share(np.vstack([round_, thin])[:7])
    assert (rest["n_batches"], rest[IN_ORDER]) == (2, pytest.approx((0.8 + both) / 2))


@pytest.mark.parametrize("size", [5, 100])
def test_fewer_than_two_batches_are_one(size: int) -> None:
    x = cloud().x[:9]
    row = in_order(x, "top_variance_share", size)
    assert (row["n_batches"], row[SPREAD]) == (1, 0)
    assert row[IN_ORDER] == pytest.approx(top_variance_share(x))


def test_no_interval_of_a_dimension_holds_negative_ones() -> None:
    line = np.linspace(0, 1, 200)[:, None] + 1e-9 * rng().normal(size=(200, 30))
    x = np.concatenate([line, 100 + rng().normal(size=(100, 30))])
    rows = rows_of(400, LayerCloud(x, np.repeat(np.arange(6), 50), None, None))
    assert rows["gride"]["low"] == 0 < rows["gride"]["value"] < rows["gride"]["high"]


def test_three_vectors_have_counts_and_no_measure_and_four_have_both() -> None:
    few = LayerCloud(rng().normal(size=(3, 4)), np.array([0, 0, 1]), None, None)
    rows = rows_of(70, few)
    assert rows.keys() == rows_of(70, cloud()).keys()
    for row in rows.values():
        counts = ("n", "n_texts", "dropped", "n_batches")
        assert [row[name] for name in counts] == [3, 2, 0, 0]
        assert row["converged"] is False
        assert np.isnan([row[name] for name in ("value", "low", "high", "of_half", SPREAD)]).all()
    enough = rows_of(70, LayerCloud(rng().normal(size=(4, 4)), np.arange(4), None, None))
    assert enough["two_nn"]["value"] > 0 and enough["two_nn"]["n_batches"] == 1
