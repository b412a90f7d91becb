"""Chooses the device to compute on: the setting `device` of params.yaml."""

from typing import Any, Literal

import numpy as np

from embspace.errors import InputError

Device = Literal["auto", "cpu", "cuda", "mps"]


def choose_device(device: Device) -> str:
    """The torch device of a setting; `auto` takes a GPU if present.

    A loaded model may be on one of several, as `cuda:1`.

    Raises:
        InputError: if the device is missing.
    """
    import torch

    available = {"cpu": True, "cuda": torch.cuda.is_available()}
    available["mps"] = torch.backends.mps.is_available()
    if device == "auto":
        return next(name for name in ("cuda", "mps", "cpu") if available[name])
    if not available.get(device.partition(":")[0]):
        there = ", ".join(name for name, is_there in available.items() if is_there)
        raise InputError(f"the device: found '{device}', here there is: {there}")
    return device


def on_device(x: np.ndarray, device: Device) -> Any:
    """Return `x` for `embspace.geometry`: a tensor on a CUDA device, else `x` itself.

    Other devices lack float64, which sums need.

    Raises:
        InputError: if the device is missing.
    """
    if device == "cpu" or choose_device(device) != "cuda":
        return x
    import torch

    return torch.tensor(x, device="cuda")
