import numpy as np

from embspace.geometry.positional.smooth_nulls import NULLS
from embspace.measure.tables.table_nulls import against_nulls
from tests.geometry.planted import noise

N = 40


def step(x: np.ndarray) -> dict[tuple[str, ...], float]:
    """The mean length of a step: as of the table in a walk, longer in random order."""
    return {("step",): float(np.linalg.norm(np.diff(x, axis=0), axis=1).mean())}


def compared(seed: int = 0):
    x = noise(N, 8).cumsum(axis=0)
    table = against_nulls(
        x,
        np.arange(N),
        step,
        ["measure"],
        n_tables=30,
        level=0.9,
        rng=np.random.default_rng(seed),
    )
    return table.set_index("null")


def test_a_value_stands_beside_every_null():
    table = compared()
    assert [*table.index] == [*NULLS]
    assert (table["measure"] == "step").all()
    assert (table["n_draws"] == 30).all()
    walk, order = table.loc["random_walk"], table.loc["shuffled"]
    assert np.isclose(walk["null_value"], walk["value"])
    assert walk["p_value"] == 1  # a draw that equals the value is as large
    assert order["null_value_low"] > order["value"]
    assert (order["null_value_low"] < order["null_value"] < order["null_value_high"]).all()


def test_the_seed_decides_the_nulls_alone():
    first, again, other = compared(), compared(), compared(seed=1)
    assert first.equals(again)
    assert not first["null_value"].equals(other["null_value"])
    assert first["value"].equals(other["value"])
