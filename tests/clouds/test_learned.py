import numpy as np
import pytest

from embspace.clouds.learned import clouds_of, one_space, structured_positions
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices

INPUT, POSITIONAL = np.ones((5, 4)), np.ones((3, 4))


def test_structured_positions_are_neither_outlying_nor_noise():
    regimes = regimes_of(6, outlying=[0], unstructured=[4, 5])
    assert structured_positions(regimes).tolist() == [1, 2, 3]


def test_clouds_know_where_their_rows_come_from():
    matrices = random_matrices()
    clouds = clouds_of(matrices, regimes_of(30, outlying=[3]))
    joint, structured = clouds["joint"], clouds["structured"]
    assert np.array_equal(joint.vectors[:120], matrices["input"])
    assert np.array_equal(joint.vectors[120:], matrices["positional"])
    assert (joint.spaces[119], joint.spaces[120]) == ("input", "positional")
    assert (joint.ids[119], joint.ids[120]) == (119, 0)
    assert structured.ids.tolist() == [0, 1, 2, *range(4, 30)]
    assert np.array_equal(structured.vectors, matrices["positional"][structured.ids])


def test_distances_of_centered_vectors_order_as_their_cosines():
    matrices = random_matrices()
    x = clouds_of(matrices, regimes_of(30))["joint_centered"].vectors
    joint = np.concatenate([matrices["input"], matrices["positional"]]).astype(float)
    centered = joint - joint.mean(axis=0)
    cosine = centered[3] @ centered[8] / np.linalg.norm(centered[3]) / np.linalg.norm(centered[8])
    assert np.linalg.norm(x[3] - x[8]) ** 2 == pytest.approx(2 - 2 * cosine, rel=1e-5)
    assert np.linalg.norm(x, axis=1) == pytest.approx(1, abs=1e-6)


def test_a_model_without_positions_has_clouds_of_tokens():
    clouds = clouds_of({"input": random_matrices()["input"]}, regimes_of(0))
    assert list(clouds) == ["input", "input_centered"]


def test_a_cloud_of_few_points_is_left_out():
    regimes = regimes_of(30, unstructured=range(3, 30))
    assert list(clouds_of(random_matrices(), regimes)) == ["joint", "joint_centered", "positional"]


def test_tables_of_one_width_are_themselves():
    tables = one_space({"input": INPUT, "positional": POSITIONAL, "other": INPUT})
    assert list(tables) == ["input", "positional"]
    assert tables["input"] is INPUT


def test_tokens_are_mapped_where_positions_have_another_width():
    mapped, wide = np.zeros((5, 8)), np.ones((3, 8))
    tables = one_space({"input": INPUT, "input_mapped": mapped, "positional": wide})
    assert tables["input"] is mapped
    assert tables["positional"] is wide


def test_tokens_stay_raw_where_positions_have_their_width_or_are_none():
    # ALBERT adds them up before its linear layer.
    mapped = np.zeros((5, 8))
    for more in ({"positional": POSITIONAL}, {}):
        assert one_space({"input": INPUT, "input_mapped": mapped, **more})["input"] is INPUT
