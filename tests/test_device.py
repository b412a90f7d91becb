import numpy as np
import pytest

from embspace.device import choose_device, on_device
from embspace.errors import InputError
from tests.lazy import torch

X = np.ones((2, 3), dtype=np.float32)


@pytest.fixture(params=[(True, True), (True, False), (False, True), (False, False)])
def there(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> dict[str, bool]:
    """Machines with and without the two kinds of GPU, whatever this one has."""
    cuda, mps = request.param
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    return {"cpu": True, "cuda": cuda, "mps": mps}


def test_auto_takes_a_gpu_where_there_is_one(there: dict[str, bool]):
    expected = "cuda" if there["cuda"] else "mps" if there["mps"] else "cpu"
    assert choose_device("auto") == expected


@pytest.mark.parametrize("device", ["cpu", "cuda", "mps"])
def test_a_device_that_is_not_there_lists_those_that_are(there: dict[str, bool], device: str):
    if there[device]:
        assert choose_device(device) == device
        return
    here = ", ".join(name for name in there if there[name])
    with pytest.raises(InputError, match=f"the device: found '{device}', here there is: {here}$"):
        choose_device(device)


def test_on_the_cpu_an_array_stays_what_it_is():
    assert on_device(X, "cpu") is X


def test_without_float64_an_array_stays_what_it_is(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert on_device(X, "mps") is X
    assert on_device(X, "auto") is X


def test_a_device_that_is_not_there_is_named_for_arrays_too(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match="the device: found 'cuda'"):
        on_device(X, "cuda")


@pytest.mark.parametrize("device", ["cuda", "auto"])
def test_on_a_gpu_an_array_becomes_a_tensor_there(device: str):
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    x = X.copy()
    x.flags.writeable = False
    there = on_device(x, device)
    assert there.device.type == "cuda"
    assert np.array_equal(there.cpu().numpy(), x)
