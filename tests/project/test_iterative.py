import numpy as np
import pytest

from embspace.clouds.learned import clouds_of
from embspace.files.tables import Tables
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.project.iterative import iterative_maps
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices, vocabulary_of
from tests.project.settings import graphs_of

Layout = np.ndarray


def only_noise(neighbors: NeighborGraph, start: Layout, *, seed: int) -> Layout:
    """What a method would give that looks at nothing but its seed."""
    return np.random.default_rng(seed).normal(size=start.shape)


def only_start(neighbors: NeighborGraph, start: Layout, *, seed: int) -> Layout:
    """What a method would give that looks at nothing but its start."""
    return start


def mapped(layout, seed: int = 0) -> Tables:
    clouds = clouds_of(random_matrices(n_tokens=400), regimes_of(30))
    graphs = graphs_of(clouds, k=9)
    return iterative_maps(
        clouds,
        graphs,
        vocabulary_of(400),
        layout,
        method="a method",
        quality_n_neighbors=5,
        n_shuffles=5,
        n_seeds=4,
        n_seed_points=300,
        parts_gap=5.0,
        smallest_part=0.05,
        seed=seed,
    )


def test_maps_that_are_all_seed_share_neighbors_by_chance():
    seeds = mapped(only_noise)["seeds"]
    assert seeds["cloud"].tolist() == ["joint", "joint_centered", "positional", "structured"]
    assert seeds["n"].tolist() == [300, 300, 30, 30]  # the larger ones by random points
    assert (seeds["n_seeds"] == 4).all()
    chance = seeds["chance_neighbor_overlap"]
    assert chance.tolist() == [5 / 299, 5 / 299, 5 / 29, 5 / 29]
    assert (abs(seeds["neighbor_overlap"] - chance) < 0.5 * chance).all()
    assert (seeds["smallest_neighbor_overlap"] <= seeds["neighbor_overlap"]).all()
    assert (seeds["largest_neighbor_overlap"] >= seeds["neighbor_overlap"]).all()


def test_maps_that_are_all_start_share_all_neighbors():
    assert (mapped(only_start)["seeds"]["neighbor_overlap"] == 1).all()


def test_lines_are_looked_for_in_every_map_of_positions():
    seeds = mapped(only_noise)["seeds"].set_index("cloud")
    assert seeds["median_order_correlation"].notna().tolist() == [False, False, True, True]
    row = seeds.loc["positional"]
    low, middle, high = (
        row[f"{which}_order_correlation"] for which in ("smallest", "median", "largest")
    )
    assert 0 <= low < middle < high <= 1


def test_the_seeds_come_from_the_one_door():
    one, same, other = mapped(only_noise), mapped(only_noise), mapped(only_noise, seed=1)
    assert one["seeds"].equals(same["seeds"])
    assert not one["seeds"].equals(other["seeds"])


def test_the_start_is_two_principal_components_of_each_cloud():
    maps = mapped(only_start)
    rows = maps["parquet"][maps["parquet"]["cloud"] == "joint"]
    joint = clouds_of(random_matrices(n_tokens=400), regimes_of(30))["joint"].vectors
    centered = joint - joint.mean(axis=0)
    singular = np.linalg.svd(centered, compute_uv=False)[:2]
    assert np.linalg.norm(rows[["x", "y"]], axis=0) == pytest.approx(singular, rel=1e-4)
