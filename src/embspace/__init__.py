"""Geometry of the embedding spaces of BERT-family models."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from embspace.api import Spaces, spaces
    from embspace.errors import InputError
    from embspace.vectors import report_vectors

# Loaded when they are asked for: a stage that imports embspace needs none of them.
EXPORTED = {
    "InputError": "embspace.errors",
    "Spaces": "embspace.api",
    "report_vectors": "embspace.vectors",
    "spaces": "embspace.api",
}

__all__ = ["InputError", "Spaces", "report_vectors", "spaces"]


def __getattr__(name: str) -> Any:
    if name in EXPORTED:
        return getattr(import_module(EXPORTED[name]), name)
    raise AttributeError(f"module 'embspace' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*globals(), *EXPORTED]
