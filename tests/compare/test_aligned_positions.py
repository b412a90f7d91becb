from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.compare.aligned_positions import Positions, position_rows

N = 40


def walk(seed: int, dim: int = 8, n: int = N) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dim)).cumsum(axis=0)


def positions(x: np.ndarray | None, n: int = N, outlying: int = 0) -> Positions:
    marks = {"position": np.arange(n), "outlying": np.arange(n) < outlying, "unstructured": False}
    return Positions(x, pd.DataFrame(marks))


def rows(one: Positions, other: Positions, **change: Any) -> list[dict[str, Any]]:
    settings = {"fewest": 32, "n_surrogates": 20, "level": 0.95} | change
    return [*position_rows(one, other, **settings, generator=np.random.default_rng(0))]


def test_a_table_that_was_turned_is_alike_in_both_spaces():
    x = walk(0)
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(8, 8)))[0]
    compared = rows(positions(x), positions(2 * x @ turn, outlying=3))
    assert [row["space"] for row in compared] == ["full", "components"]
    for row in compared:
        assert row["n"] == N - 3
        assert row["hausdorff"] == pytest.approx(0, abs=1e-5)
        assert row["rms"] == pytest.approx(0, abs=1e-5)
        assert row["are_alike"] == "yes"
        assert row["hausdorff_random_walk_low"] > 0


def test_two_walks_are_seldom_alike():
    n = 0
    for seed in range(20):
        compared = rows(positions(walk(2 * seed)), positions(walk(2 * seed + 1)))
        n += compared[0]["are_alike"] == "yes"
    assert n <= 3


def test_tables_of_other_widths_have_components_alone():
    (row,) = rows(positions(walk(0)), positions(walk(0, dim=5)))
    assert row["space"] == "components"


def test_few_or_no_positions_give_no_row():
    assert rows(positions(walk(0)), positions(None)) == []
    assert rows(positions(walk(0)), positions(walk(1), outlying=20)) == []
