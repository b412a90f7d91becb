"""Telling a torch tensor from an array without importing torch."""

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Tensor(Protocol):
    """The used methods of a `torch.Tensor`."""

    @property
    def device(self) -> Any:
        """Return the tensor's device."""

    def detach(self) -> Any:
        """Return the tensor without the history."""


def device_of(x: Any) -> Any:
    """Return the device for the scan of a tensor, or None: mps, too, has no float64."""
    return x.device if isinstance(x, Tensor) and x.device.type not in ("cpu", "mps") else None
