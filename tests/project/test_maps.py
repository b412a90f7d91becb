import numpy as np
import pytest
from sklearn.manifold import trustworthiness

from embspace.clouds.learned import clouds_of
from embspace.files.tables import Tables
from embspace.project.maps import maps_of
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices, vocabulary_of
from tests.project.settings import graphs_of


def mapped(n_axes: int = 2, n_neighbors: int = 6) -> Tables:
    clouds = clouds_of(random_matrices(), regimes_of(30, outlying=[4]))
    rng = np.random.default_rng(0)
    layouts = {name: rng.normal(size=(len(c.vectors), n_axes)) for name, c in clouds.items()}
    layouts["structured"][:, 0] = np.arange(29)
    layouts["structured"][:, 1:] = 0
    return maps_of(
        clouds,
        layouts,
        graphs_of(clouds),
        vocabulary_of(120),
        quality_n_neighbors=n_neighbors,
        n_shuffles=20,
        rng=rng,
    )


def test_coordinates_say_what_each_point_is():
    table = mapped()["parquet"]
    joint = table[table["cloud"] == "joint"]
    assert len(joint) == 150
    assert joint.iloc[3][["space", "id", "token"]].tolist() == ["input", 3, "tokd3"]
    assert joint.iloc[120][["space", "id", "token"]].tolist() == ["positional", 0, ""]
    structured = table[table["cloud"] == "structured"]
    assert structured["id"].tolist() == [0, 1, 2, 3, *range(5, 30)]
    assert structured["x"].tolist() == list(range(29))
    assert table["x"].dtype == np.float32
    assert "z" not in table


def test_quality_is_that_of_the_map_beside_chance():
    maps = mapped()
    vectors = clouds_of(random_matrices(), regimes_of(30))["joint"].vectors
    row = maps["quality"].set_index("cloud").loc["joint"]
    rows = maps["parquet"][maps["parquet"]["cloud"] == "joint"]
    expected = trustworthiness(vectors, rows[["x", "y"]].to_numpy(), n_neighbors=6)
    assert row["trustworthiness"] == pytest.approx(expected, abs=1e-6)
    assert row["trustworthiness"] == pytest.approx(row["chance_trustworthiness"], abs=0.05)
    assert row["chance_neighbor_recall"] == pytest.approx(6 / 149)


def test_three_axes_of_positions_are_judged_with_and_without_the_third():
    n_axes = mapped(3)["quality"].groupby("cloud")["n_axes"].apply(list)
    assert n_axes["joint"] == n_axes["joint_centered"] == [2]
    assert n_axes["positional"] == n_axes["structured"] == [2, 3]
    assert "z" in mapped(3)["parquet"]


def test_a_cloud_too_small_for_so_many_neighbors_is_judged_by_fewer():
    k = mapped(n_neighbors=40)["quality"].set_index("cloud")["k"]
    assert k.to_dict() == {"joint": 40, "joint_centered": 40, "positional": 14, "structured": 14}


def test_positions_on_a_line_are_found_to_be_so():
    lines = mapped()["one_dimensionality"].set_index("cloud")
    assert list(lines.index) == ["positional", "structured"]
    assert lines.loc["structured", "order_correlation"] == pytest.approx(1)
    assert lines.loc["structured", "adjacent_neighbor_share"] == 1
    assert lines.loc["positional", "adjacent_neighbor_share"] < 0.2


def test_a_model_without_positions_has_no_lines():
    clouds = clouds_of({"input": random_matrices()["input"]}, regimes_of(0))
    layouts = {name: cloud.vectors[:, :2] for name, cloud in clouds.items()}
    maps = maps_of(
        clouds,
        layouts,
        graphs_of(clouds),
        vocabulary_of(120),
        quality_n_neighbors=5,
        n_shuffles=3,
        rng=np.random.default_rng(0),
    )
    assert maps["one_dimensionality"].empty
    assert len(maps["quality"]) == 2
