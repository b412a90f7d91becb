"""Pure mathematics on (n, dim) arrays: no disk, no configuration, no plot.

A name is loaded when it is first used, so that importing one measure does not compile another.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from embspace.geometry.directions import cosine_bound, cosine_tail, norms, unit_rows
    from embspace.geometry.distribution import Distribution
    from embspace.geometry.extremes import ExtremePairs
    from embspace.geometry.pairs import PairScan, scan_pairs

__all__ = [
    "Distribution",
    "ExtremePairs",
    "PairScan",
    "cosine_bound",
    "cosine_tail",
    "norms",
    "scan_pairs",
    "unit_rows",
]

_HOMES = {
    "Distribution": "distribution",
    "ExtremePairs": "extremes",
    "PairScan": "pairs",
    "cosine_bound": "directions",
    "cosine_tail": "directions",
    "norms": "directions",
    "scan_pairs": "pairs",
    "unit_rows": "directions",
}


def __getattr__(name: str) -> Any:
    """A public name, from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
