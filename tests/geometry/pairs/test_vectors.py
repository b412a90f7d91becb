"""Holds vectors to the forms that they may have."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from embspace.geometry.pairs.vectors import as_array, as_vectors
from tests.geometry.clouds import CLOUD
from tests.lazy import torch


@pytest.mark.parametrize(
    ("flawed", "message"),
    [
        (np.zeros(3), r"\(n, dim\), found shape \(3,\)"),
        (np.zeros((0, 3)), r"found shape \(0, 3\)"),
        (np.zeros((2, 2), dtype=complex), "real numbers, found complex128"),
        (np.array([["a"]]), "real numbers, found <U1"),
        ([[1.0, 2.0], [3.0]], "found rows of several lengths"),
        ([], r"found shape \(0,\)"),
        (np.ma.masked_less(np.eye(3), 1), "found a masked array: fill or leave out"),
        (np.full((3, 3), 1e150), r"largest magnitude of 1e-15 to 1e\+15, found 1e\+150: rescale"),
        (-np.full((3, 3), 1e-200), "found 1e-200: rescale the matrix"),
    ],
)
def test_what_are_no_vectors_is_refused(flawed: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_vectors(flawed)


def test_half_precision_of_torch_is_read() -> None:
    x = torch.tensor([[1.5, 2.0]], dtype=torch.bfloat16)
    assert as_vectors(x).tolist() == [[1.5, 2.0]]
    assert as_vectors(np.array([[1, 2]])).dtype == np.float64


def test_lists_and_data_frames_are_as_good_as_arrays() -> None:
    for x in (CLOUD.tolist(), pd.DataFrame(CLOUD), tuple(map(tuple, CLOUD))):
        assert np.array_equal(as_vectors(x), CLOUD)
        assert np.array_equal(as_array(x), CLOUD)


def test_what_stands_for_vectors_goes_through_and_a_text_does_not() -> None:
    graph = SimpleNamespace(indices=[[1], [0]])
    assert as_vectors(graph) is graph
    with pytest.raises(ValueError, match=r"larger: expected vectors, \(n, dim\), found str"):
        as_vectors("moments", "larger")
