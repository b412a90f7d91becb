import numpy as np
import pytest

from embspace.measure.neighbors import measure_neighbors
from embspace.project.umap import project_umap
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices, vocabulary_of
from tests.project.settings import UMAP


def two_groups() -> dict[str, np.ndarray]:
    """Tokens in two groups far apart; positions nearer to the second."""
    matrices = random_matrices()
    matrices["input"][:60] += 3
    return matrices


def projected(matrices: dict[str, np.ndarray]):
    vocabulary, regimes = vocabulary_of(120), regimes_of(30, outlying=[0])
    graphs = measure_neighbors(
        matrices,
        vocabulary,
        regimes,
        n_neighbors=20,
        hubness_n_neighbors=5,
        n_hubs=2,
        quantiles=[0.5],
        device="cpu",
    ).graphs
    return project_umap(matrices, vocabulary, regimes, graphs, **UMAP)


@pytest.fixture(scope="module")
def found():
    return projected(two_groups())


def test_groups_far_apart_stay_apart(found):
    rows = found.maps.coordinates.query("cloud == 'joint'")
    first, second = (rows.iloc[part][["x", "y"]].to_numpy() for part in (range(60), range(60, 150)))
    apart = np.linalg.norm(first.mean(axis=0) - second.mean(axis=0))
    assert apart > 2 * first.std(axis=0).max()


def test_maps_are_better_than_chance(found):
    quality = found.maps.quality
    assert (quality["neighbor_recall"] > quality["chance_neighbor_recall"]).all()
    assert list(quality["cloud"]) == ["joint", "joint_centred", "positional", "structured"]


def test_maps_of_other_seeds_share_more_than_chance(found):
    large = found.seeds.query("cloud in ['joint', 'joint_centred']")
    assert (large["neighbor_overlap"] > 3 * large["chance_neighbor_overlap"]).all()


def test_equal_input_gives_equal_maps(found):
    again = projected(two_groups())
    assert again.maps.coordinates.equals(found.maps.coordinates)
    assert again.seeds.equals(found.seeds)
