"""Holds vectors to the forms that they may have, and every kernel of them to taking these."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import embspace.geometry as geometry
from embspace.geometry.pairs.vectors import as_array, as_vectors, takes_vectors
from tests.geometry.clouds import CLOUD, OTHER, WORDS
from tests.lazy import torch

KERNELS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "linear_cka": (["x", "y"], {}),
    "debiased_linear_cka": (["x", "y"], {}),
    "unbiased_hsic": (["x", "y"], {}),
    "procrustes_similarity": (["x", "y"], {}),
    "procrustes_distance": (["x", "y"], {}),
    "procrustes_fit": (["x", "y"], {}),
    "mutual_nearest_neighbors": (["x", "y"], {"n_neighbors": 3}),
    "nearest_rows": (["x"], {"n_neighbors": 3}),
    "same_group_neighbor_share": (["x"], {"groups": WORDS, "n_neighbors": 3}),
}
VIEWS = {"x": CLOUD, "y": OTHER}


def numbers(found: Any) -> np.ndarray:
    parts = found if isinstance(found, tuple) else (found,)
    return np.concatenate([np.ravel(part) for part in parts])


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_takes_lists_tensors_and_data_frames(name: str) -> None:
    kernel, (names, options) = getattr(geometry, name), KERNELS[name]
    expected = numbers(kernel(*(VIEWS[each] for each in names), **options))
    for form in (np.ndarray.tolist, torch.from_numpy, pd.DataFrame):
        found = kernel(*(form(VIEWS[each]) for each in names), **options)
        assert numbers(found) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_names_the_argument_and_the_row_of_a_flaw(name: str) -> None:
    kernel, (names, options) = getattr(geometry, name), KERNELS[name]
    for flawed in names:
        given = {each: VIEWS[each].copy() for each in names}
        given[flawed][5, 2] = np.nan
        message = f"^{flawed}: expected finite values, found NaN or infinity in row 5"
        with pytest.raises(ValueError, match=message):
            kernel(**given, **options)
        with pytest.raises(
            ValueError, match=rf"^{flawed}: expected vectors, \(n, dim\), found str"
        ):
            kernel(**{**given, flawed: "vectors"}, **options)


def test_arguments_of_other_names_are_left_as_they_are() -> None:
    @takes_vectors("y")
    def both(x: Any, y: Any) -> tuple[Any, Any]:
        return x, y

    x, y = both("x", y=[[1, 2]])
    assert x == "x" and y.tolist() == [[1.0, 2.0]]


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
        (np.full((3, 3), 1e150), r"largest magnitude of 1e-60 to 1e\+60, found 1e\+150: rescale"),
        (-np.full((3, 3), 1e-200), "found 1e-200: rescale the vectors"),
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


def test_what_is_neither_array_nor_tensor_goes_through() -> None:
    assert as_vectors("moments") == "moments"
