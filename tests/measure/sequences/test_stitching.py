"""Runs the stitching of a small run of two seeds, and of runs that have nothing to stitch."""

from typing import Any

import pytest

from embspace.measure.sequences.stitching import StitchingTables, measure_stitching

SETTINGS: dict[str, Any] = {
    "ridge_strength": 0.001,
    "n_draws": 2,
    "least_count": 2,
    "n_resamples": 20,
    "level": 0.95,
    "seed": 0,
}


@pytest.fixture(scope="module")
def tables(two_seeds: Any) -> StitchingTables:
    return measure_stitching(two_seeds.run, two_seeds.texts, two_seeds.root, None, **SETTINGS)


def test_every_ordered_pair_has_its_rows(tables: StitchingTables) -> None:
    keys = ["upper_seed", "lower_seed"]
    assert tables.pairs[keys].to_numpy().tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    n_stitches = tables.layers.groupby(keys)["stitch"].nunique()
    assert n_stitches.tolist() == [3, 6, 6, 3]
    assert set(tables.layers["layer"]) == {0, 1, 2}
    assert tables.pairs["n_frequent_tokens"].nunique() == 1
    assert tables.layers["accuracy"].between(0, 1).all()
    assert tables.claims["seed"].tolist() == [0, 1, 0, 1]
    assert set(tables.claims["verdict"]) <= {"matches", "differs", "undecided"}


def test_the_same_run_gives_the_same_tables(tables: StitchingTables, two_seeds: Any) -> None:
    again = measure_stitching(two_seeds.run, two_seeds.texts, two_seeds.root, None, **SETTINGS)
    assert again.layers.equals(tables.layers)
    assert again.pairs.equals(tables.pairs)


def test_what_is_not_stitched_has_empty_tables(two_seeds: Any) -> None:
    found = measure_stitching(two_seeds.run, None, two_seeds.root, None, **SETTINGS)
    assert found.layers.empty and found.pairs.empty and found.claims.empty
    assert {"claim", "seed", "verdict"} <= {*found.claims}
    last = {"classification": two_seeds.run.phases["classification"]}
    alone = two_seeds.run.model_copy(update={"phases": last})
    found = measure_stitching(alone, two_seeds.texts, two_seeds.root, None, **SETTINGS)
    assert found.pairs.empty


def test_one_seed_alone_is_a_control(learned: Any, two_seeds: Any) -> None:
    found = measure_stitching(learned.run, two_seeds.texts, learned.root, None, **SETTINGS)
    assert found.pairs[["upper_seed", "lower_seed"]].to_numpy().tolist() == [[0, 0]]
    assert found.claims.empty
