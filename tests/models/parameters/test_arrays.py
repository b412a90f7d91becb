"""Tests of parameters as arrays."""

import numpy as np

from embspace.models.parameters.arrays import float_array, optional_array
from tests.lazy import torch


def test_parameters_are_float32_arrays():
    half = torch.nn.Parameter(torch.tensor([1.5, -2.0], dtype=torch.float16))
    assert float_array(half).dtype == np.float32
    assert float_array(half).tolist() == [1.5, -2]


def test_what_is_not_there_is_none():
    assert optional_array(None) is None
    array = optional_array(torch.ones(2))
    assert array is not None and array.tolist() == [1, 1]
