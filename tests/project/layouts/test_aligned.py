"""Holds aligned layouts to layouts that are known to be one another's, turned."""

from typing import Any

import numpy as np
import pytest

from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.pairs import scan_pairs
from embspace.project.layouts.aligned import (
    aligned_layouts,
    mean_displacement,
    repeated_layouts,
    turned_onto,
    unit_spread,
)
from embspace.project.layouts.umap import umap_layout


def plane(n: int = 40, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, 2))


def turn(angle: float, *, mirrored: bool = False) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]]) @ np.diag([1.0, -1.0 if mirrored else 1.0])


def graph_of(x: np.ndarray) -> NeighborGraph:
    graph = scan_pairs(x.astype(np.float32), n_neighbors=3).neighbors
    assert graph is not None
    return graph


def test_a_unit_spread_has_its_middle_at_0_and_forgets_place_and_scale() -> None:
    x = plane()
    spread = unit_spread(x)
    assert spread.mean(axis=0) == pytest.approx([0, 0], abs=1e-12)
    assert np.square(spread).sum(axis=1).mean() == pytest.approx(1)
    assert unit_spread(7 * x + 3) == pytest.approx(spread)
    assert (unit_spread(np.ones((4, 2))) == 0).all()


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_layout_that_was_turned_is_turned_back(mirrored: bool) -> None:
    x = unit_spread(plane())
    assert turned_onto(x @ turn(2.2, mirrored=mirrored), x) == pytest.approx(x)


def test_a_turn_keeps_distances_and_brings_no_layout_farther_away() -> None:
    x, y = unit_spread(plane()), unit_spread(plane(seed=1))
    turned = turned_onto(x, y)
    assert turned @ turned.T == pytest.approx(x @ x.T)
    assert np.square(turned - y).sum() <= np.square(x - y).sum()


def test_a_displacement_is_a_mean_distance() -> None:
    x = plane()
    assert mean_displacement(x, x) == 0
    assert mean_displacement(x, x + [3, 4]) == pytest.approx(5)


def test_each_map_starts_from_the_one_before_and_is_turned_onto_it() -> None:
    x = plane()
    graph, starts, seeds = graph_of(x), [], []

    def layout(_: NeighborGraph, start: np.ndarray, *, seed: int) -> np.ndarray:
        starts.append(start)
        seeds.append(seed)
        return 5 + 2 * start @ turn(1.0 + len(starts))  # UMAP turns, moves and scales, too

    maps = aligned_layouts([graph] * 3, x, layout, layout, seed=4)
    assert starts[0] is x and starts[1] is maps[0] and starts[2] is maps[1]
    assert seeds == [4, 4, 4]
    for later in maps[1:]:
        assert later == pytest.approx(maps[0])


def test_a_repetition_starts_where_its_map_did_and_is_turned_onto_it() -> None:
    x, y = plane(), plane(seed=1)
    graph, given = graph_of(x), []

    def first(_: NeighborGraph, start: np.ndarray, *, seed: int) -> np.ndarray:
        given.append(("first", start, seed))
        return start @ turn(0.3)

    def following(_: NeighborGraph, start: np.ndarray, *, seed: int) -> np.ndarray:
        given.append(("following", start, seed))
        return 3 * start @ turn(1.0) + 2

    maps = [unit_spread(layout) for layout in (x, y, x + y)]
    repeated = repeated_layouts([graph] * 3, maps, x, first, following, seed=9)
    assert [name for name, *_ in given] == ["first", "following", "following"]
    assert [
        start is expected for (_, start, _), expected in zip(given, [x, *maps], strict=False)
    ] == [True] * 3
    assert {seed for *_, seed in given} == {9}
    assert repeated[0] == pytest.approx(maps[0])
    for layout, of, start in zip(repeated[1:], maps[1:], maps, strict=False):
        assert layout == pytest.approx(turned_onto(unit_spread(start), of))


def test_a_small_step_from_a_finished_map_moves_it_less_than_a_large_one() -> None:
    x = plane(80)
    graph = scan_pairs(x.astype(np.float32), n_neighbors=9).neighbors
    assert graph is not None
    settings: dict[str, Any] = {
        "n_neighbors": 8,
        "min_dist": 0.1,
        "n_epochs": 50,
        "negative_sample_rate": 5,
        "jitter": 0.01,
        "seed": 0,
    }
    start = unit_spread(umap_layout(graph, x, **settings))
    small, large = (
        turned_onto(unit_spread(umap_layout(graph, start, learning_rate=rate, **settings)), start)
        for rate in (0.01, 1.0)
    )
    assert mean_displacement(small, start) < mean_displacement(large, start)
