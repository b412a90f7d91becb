"""`vocabulary_ranks`: the counts of a plain loop, ties, shifts, and what has no nearness."""

from typing import Any

import numpy as np
import pytest

from embspace.geometry.pairs import vocabulary_ranks as module
from embspace.geometry.pairs.vocabulary_ranks import NEARNESSES, vocabulary_ranks


def clouds(n: int = 23, rows: int = 61, dim: int = 7) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x, table = (rng.normal(size=(size, dim)).astype(np.float32) for size in (n, rows))
    return x, rng.integers(0, rows, n), table


def plain(x: np.ndarray, row: np.ndarray, nearness: str, bias: float = 0.0) -> float:
    """Return the nearness of a row; the nearer, the larger."""
    x, row = x.astype(np.float64), row.astype(np.float64)
    if nearness == "cosine":
        return float(x @ row / np.linalg.norm(x) / np.linalg.norm(row))
    return float(-np.linalg.norm(x - row)) if nearness == "euclidean_distance" else x @ row + bias


@pytest.mark.parametrize("nearness", NEARNESSES)
@pytest.mark.parametrize("shifted", [False, True])
def test_ranks_are_those_of_a_plain_loop(
    nearness: Any, shifted: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "ROWS", 5)
    monkeypatch.setattr(module, "COLUMNS", 9)
    x, own, table = clouds()
    rng = np.random.default_rng(1)
    shift = rng.normal(size=(4, table.shape[1])) if shifted else None
    shift_of = rng.integers(0, 4, len(x)) if shifted else None
    bias = rng.normal(size=len(table)) if nearness == "dot_product" else None
    ranks = vocabulary_ranks(
        x, own, table, nearness=nearness, k=6, shift=shift, shift_of=shift_of, bias=bias
    )
    for number, state in enumerate(x):
        moved = table if shift is None else table + shift[shift_of[number]]  # type: ignore[index]
        row_values = np.array(
            [
                plain(state, row, nearness, 0.0 if bias is None else bias[at])
                for at, row in enumerate(moved)
            ]
        )
        assert ranks.rank[number] == np.sum(row_values > row_values[own[number]])
        assert ranks.nearest[number].tolist() == np.argsort(-row_values)[:6].tolist()
        sign = -1 if nearness == "euclidean_distance" else 1
        assert np.allclose(ranks.nearest_value[number], sign * np.sort(row_values)[::-1][:6])
        own_row = moved[own[number]]
        assert ranks.cosine[number] == pytest.approx(plain(state, own_row, "cosine"))
        distance = -plain(state, own_row, "euclidean_distance")
        assert ranks.euclidean_distance[number] == pytest.approx(distance)


def test_the_row_itself_has_rank_0_and_its_negative_the_last():
    _, _, table = clouds()
    own = np.arange(len(table))
    for nearness in ("cosine", "euclidean_distance"):
        assert (vocabulary_ranks(table, own, table, nearness=nearness).rank == 0).all()
    assert (vocabulary_ranks(-table, own, table).rank == len(table) - 1).all()


def test_equal_rows_count_half():
    table = np.array([[1.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    x, own = np.array([[1.0, 0.5]]), np.array([0])
    assert vocabulary_ranks(x, own, table).rank[0] == 1  # two have its direction
    assert vocabulary_ranks(x, own, table, nearness="euclidean_distance").rank[0] == 0.5
    assert vocabulary_ranks(x, own, table, nearness="dot_product").rank[0] == 1.5


def test_what_float32_cannot_tell_apart_is_counted_in_float64():
    table = np.repeat(np.array([[1.0, 0.0]]), 5, axis=0)
    table[:, 1] = np.arange(5) * 1e-9
    x = np.array([[1.0, 1.0]])
    assert vocabulary_ranks(x, np.array([2]), table).rank[0] == 2


def test_a_random_direction_has_a_middle_rank():
    rng = np.random.default_rng(2)
    x, table = rng.normal(size=(400, 30)), rng.normal(size=(500, 30))
    ranks = vocabulary_ranks(x, rng.integers(0, 500, 400), table).rank
    assert ranks.mean() == pytest.approx(249.5, abs=4 * 500 / np.sqrt(12 * 400))


def test_neither_scale_nor_order_nor_rotation_moves_a_rank():
    x, own, table = clouds()
    ranks = vocabulary_ranks(x, own, table).rank
    order = np.random.default_rng(3).permutation(len(table))
    rotation = np.linalg.qr(np.random.default_rng(4).normal(size=(7, 7)))[0]
    assert (vocabulary_ranks(100 * x, own, table / 7).rank == ranks).all()
    assert (vocabulary_ranks(x, np.argsort(order)[own], table[order]).rank == ranks).all()
    assert (vocabulary_ranks(x @ rotation, own, table @ rotation).rank == ranks).all()


def test_zero_vectors_have_no_cosine():
    x, own, table = clouds()
    x[0], table[3] = 0, 0
    own[:3] = [5, 3, 6]
    ranks = vocabulary_ranks(x, own, table, k=len(table))
    assert np.isnan(ranks.rank[:2]).all() and np.isfinite(ranks.rank[2])
    assert (ranks.nearest[0] == -1).all() and np.isnan(ranks.nearest_value[0]).all()
    assert ranks.nearest[2, -1] == -1 and 3 not in ranks.nearest[2]
    assert np.isfinite(ranks.euclidean_distance).all()


def test_a_shift_that_cancels_a_row_leaves_it_without_a_cosine():
    x, own, table = clouds()
    own[0] = 4
    shift, shift_of = -table[[4]], np.zeros(len(x), dtype=np.int64)
    ranks = vocabulary_ranks(x, own, table, shift=shift, shift_of=shift_of)
    assert np.isnan(ranks.rank[0]) and np.isfinite(ranks.rank[own != 4]).all()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"own": np.array([61])}, "numbers of rows, 0 to 60"),
        ({"shift": np.ones((1, 7))}, "both or neither"),
        ({"bias": np.ones(61)}, "'dot_product' alone"),
    ],
)
def test_what_does_not_fit_is_named(changed: dict[str, Any], message: str):
    x, _, table = clouds(n=1)
    given: dict[str, Any] = {"x": x, "own": np.array([0]), "table": table} | changed
    with pytest.raises(ValueError, match=message):
        vocabulary_ranks(given.pop("x"), given.pop("own"), given.pop("table"), **given)


def test_rounding_leaves_no_cosine_beyond_1():
    _, _, table = clouds(rows=200)
    own = np.arange(200)
    cosine = vocabulary_ranks(table, own, table, nearness="cosine", k=1).cosine
    opposite = vocabulary_ranks(-table, own, table, nearness="cosine", k=1).cosine
    assert cosine.max() == 1 and opposite.min() == -1
