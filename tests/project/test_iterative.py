import numpy as np
import pytest

from embspace.clouds import clouds_of
from embspace.geometry.neighbors import NeighborGraph
from embspace.geometry.pairs import scan_pairs
from embspace.project.iterative import IterativeMaps, iterative_maps
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices, vocabulary_of

Layout = np.ndarray


def only_noise(neighbors: NeighborGraph, start: Layout, *, seed: int) -> Layout:
    """What a method would give that looks at nothing but its seed."""
    return np.random.default_rng(seed).normal(size=start.shape)


def only_start(neighbors: NeighborGraph, start: Layout, *, seed: int) -> Layout:
    """What a method would give that looks at nothing but its start."""
    return start


def mapped(layout) -> IterativeMaps:
    clouds = clouds_of(random_matrices(n_tokens=400), regimes_of(30))
    graphs = {
        name: scan_pairs(cloud.vectors, n_neighbors=9).neighbors for name, cloud in clouds.items()
    }
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
        seed=0,
    )


def test_maps_that_are_all_seed_share_neighbours_by_chance():
    seeds = mapped(only_noise).seeds
    assert seeds["cloud"].tolist() == ["joint", "joint_centred"]  # the larger ones
    assert (seeds["n_seeds"] == 4).all()
    assert seeds["neighbor_overlap"].to_numpy() == pytest.approx(5 / 299, abs=0.008)
    assert (seeds["chance_neighbor_overlap"] == 5 / 299).all()
    assert (seeds["smallest_neighbor_overlap"] <= seeds["neighbor_overlap"]).all()
    assert (seeds["largest_neighbor_overlap"] >= seeds["neighbor_overlap"]).all()


def test_maps_that_are_all_start_share_all_neighbours():
    assert (mapped(only_start).seeds["neighbor_overlap"] == 1).all()


def test_the_start_is_two_principal_components_of_each_cloud():
    maps = mapped(only_start).maps
    rows = maps.coordinates[maps.coordinates["cloud"] == "joint"]
    joint = clouds_of(random_matrices(n_tokens=400), regimes_of(30))["joint"].vectors
    centred = joint - joint.mean(axis=0)
    singular = np.linalg.svd(centred, compute_uv=False)[:2]
    assert np.linalg.norm(rows[["x", "y"]], axis=0) == pytest.approx(singular, rel=1e-4)
