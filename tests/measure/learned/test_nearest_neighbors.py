import numpy as np
import pytest
from scipy.spatial.distance import cdist

from embspace.measure.learned.nearest_neighbors import measure_nearest_neighbors
from tests.analyses import settings_of
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices, vocabulary_of

FEW = {"n_neighbors": 9, "hubness_n_neighbors": 4, "n_hubs": 3, "quantiles": [0.5]}
SETTINGS = settings_of(measure_nearest_neighbors, **FEW)


@pytest.fixture(scope="module")
def outcome():
    matrices = random_matrices()
    matrices["input"][5] = 0  # at the origin it is near to all
    regimes = regimes_of(30, outlying=[0, 7])
    return measure_nearest_neighbors(matrices, vocabulary_of(120), regimes, **SETTINGS)


def test_each_cloud_has_its_exact_graph(outcome):
    matrices = random_matrices()
    matrices["input"][5] = 0
    joint = np.concatenate([matrices["input"], matrices["positional"]]).astype(float)
    distances = cdist(joint, joint) + np.diag(np.full(150, np.inf))
    assert np.array_equal(
        outcome["safetensors"]["joint"].indices, np.argsort(distances, axis=1)[:, :9]
    )
    assert outcome["safetensors"]["structured"].n == 28
    assert list(outcome["safetensors"]) == ["joint", "joint_centered", "positional", "structured"]


def test_every_number_of_the_tables(outcome):
    for cloud, rows in outcome["summary"].groupby("cloud"):
        graph = outcome["safetensors"][cloud]
        counts = np.bincount(graph.indices[:, :4].ravel(), minlength=graph.n)
        columns = (graph.distances[:, 0], graph.distances[:, 8], counts)
        assert rows["k"].tolist() == [1, 9, 4]
        assert rows["mean"].tolist() == pytest.approx([values.mean() for values in columns])
        assert rows["n"].tolist() == [graph.n] * 3
        occurrence = outcome["occurrence"][outcome["occurrence"]["cloud"] == cloud]
        present, n = np.unique(counts, return_counts=True)
        assert occurrence[["k", "k_occurrence", "count"]].to_numpy().tolist() == [
            [4, times, vectors] for times, vectors in zip(present, n, strict=True)
        ]
        hubs = outcome["hubs"][outcome["hubs"]["cloud"] == cloud]
        assert hubs["rank"].tolist() == [1, 2, 3]
        assert hubs["k_occurrence"].tolist() == sorted(counts, reverse=True)[:3]


def test_hubness_is_the_skewness_of_the_k_occurrence(outcome):
    rows = outcome["summary"].set_index(["cloud", "quantity", "k"])
    occurrence = rows.loc["joint", "k_occurrence", 4]
    assert occurrence["mean"] == 4
    assert occurrence["skewness"] > 3  # the vector at the origin
    assert rows.loc["joint", "euclidean_distance", 9]["mean"] == pytest.approx(
        outcome["safetensors"]["joint"].distances[:, -1].mean()
    )


def test_occurrences_count_every_vector_once(outcome):
    counts = outcome["occurrence"].groupby("cloud")["count"].sum()
    assert counts["joint"] == 150
    total = (outcome["occurrence"]["k_occurrence"] * outcome["occurrence"]["count"]).groupby(
        outcome["occurrence"]["cloud"]
    )
    assert total.sum()["joint"] == 4 * 150


def test_the_hub_is_named(outcome):
    first = outcome["hubs"][outcome["hubs"]["cloud"] == "joint"].iloc[0]
    assert (first["space"], first["id"], first["token"]) == ("input", 5, "tokf5")
    assert set(outcome["hubs"].loc[outcome["hubs"]["cloud"] == "positional", "token"]) == {""}


def test_a_model_without_positions_has_its_tokens():
    outcome = measure_nearest_neighbors(
        {"input": random_matrices()["input"]}, vocabulary_of(120), regimes_of(0), **SETTINGS
    )
    assert list(outcome["safetensors"]) == ["input", "input_centered"]


def test_more_neighbors_than_there_are_means_all():
    settings = {**SETTINGS, "n_neighbors": 500}
    outcome = measure_nearest_neighbors(
        random_matrices(), vocabulary_of(120), regimes_of(30), **settings
    )
    assert outcome["safetensors"]["positional"].k == 29
