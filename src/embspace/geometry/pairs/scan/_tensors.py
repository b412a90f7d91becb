"""Telling a torch tensor from an array without importing torch."""

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Tensor(Protocol):
    """The methods of a `torch.Tensor` that are used here."""

    @property
    def device(self) -> Any:
        """Return the tensor's device."""

    def detach(self) -> Any:
        """Return the tensor without its history."""


def device_of(x: Any) -> Any:
    """Return the device on which a tensor is to be scanned, or None; mps, too, has no float64."""
    return x.device if isinstance(x, Tensor) and x.device.type not in ("cpu", "mps") else None
