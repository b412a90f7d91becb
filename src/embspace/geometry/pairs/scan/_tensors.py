"""Telling a torch tensor from an array without importing torch."""

from typing import Any, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class Tensor(Protocol):
    """What is used here of a `torch.Tensor`."""

    @property
    def device(self) -> Any:
        """Where it lies."""

    def detach(self) -> Any:
        """The same without its history."""


def on_host(x: np.ndarray | Tensor) -> np.ndarray:
    """As an array: a tensor on the CPU as a view where it is in float32, else in float32."""
    return x.detach().cpu().float().numpy() if isinstance(x, Tensor) else x


def device_of(x: np.ndarray | Tensor) -> Any:
    """The device of a tensor that is to be scanned there, or None: mps, too, has no float64."""
    return x.device if isinstance(x, Tensor) and x.device.type not in ("cpu", "mps") else None
