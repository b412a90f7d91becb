import numpy as np
import pytest

from embspace.device import choose_device, on_device
from embspace.errors import InputError


def test_a_device_that_is_not_there_lists_those_that_are():
    import torch

    if not torch.cuda.is_available():
        with pytest.raises(InputError, match="key 'device': found 'cuda', here there is: cpu"):
            choose_device("cuda")
    assert choose_device("auto") in {"cpu", "cuda", "mps"}


def test_on_the_cpu_an_array_stays_what_it_is():
    x = np.ones((2, 3), dtype=np.float32)
    assert on_device(x, "cpu") is x


def test_a_device_that_is_not_there_is_named_for_arrays_too():
    import torch

    if not torch.cuda.is_available():
        with pytest.raises(InputError, match="key 'device': found 'cuda'"):
            on_device(np.ones((2, 3), dtype=np.float32), "cuda")
