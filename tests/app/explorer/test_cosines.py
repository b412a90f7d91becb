from pathlib import Path

import numpy as np
import pytest

from embspace.app.explorer.cosines import in_hundredths, learned_vectors
from tests.app.explorer.trees import N_POSITIONS, N_TOKENS, vectors, write_tree


def test_cosines_are_those_of_the_definition():
    x = np.array([[2.0, 0], [0, 3], [-1, 0], [1, 1]])
    hundredths = in_hundredths(x, np.array([[1, 2], [3, 0], [0, 1], [0, 2]]))
    assert hundredths.tolist() == [[100, 0], [171, 100], [0, 100], [171, 29]]


@pytest.mark.parametrize("cloud", ["joint", "joint_centered", "positional"])
def test_vectors_are_those_of_the_cloud(tmp_path: Path, cloud: str):
    rows = learned_vectors(write_tree(tmp_path), "tiny", cloud)
    x = vectors("joint").astype(np.float64)
    expected = {"joint": x, "joint_centered": x - x.mean(axis=0), "positional": x[N_TOKENS:]}
    assert rows is not None
    np.testing.assert_allclose(rows, expected[cloud], atol=1e-6)
    assert len(rows) == (N_POSITIONS if cloud == "positional" else N_TOKENS + N_POSITIONS)


def test_a_model_without_vectors_has_none(tmp_path: Path):
    assert learned_vectors(tmp_path, "tiny", "joint") is None
