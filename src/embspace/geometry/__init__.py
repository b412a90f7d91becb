"""Pure mathematics on (n, dim) arrays: no disk, no configuration, no plot."""

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
