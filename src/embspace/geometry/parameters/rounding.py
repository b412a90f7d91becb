"""Tells weights rounded to a shorter format from weights that moved."""

from collections.abc import Callable, Collection, Iterable, Mapping

import numpy as np
from jaxtyping import Float, UInt32

Weights = Float[np.ndarray, "..."]
KEPT_BITS = np.uint32(0xFFFF0000)  # of a float32, those that bfloat16 has
SIGNIFICANT_BITS = {"bfloat16": 8, "float16": 11, "float32": 24}
"""Bits of the significand, the first included: rounding moves x by at most 2^-bits |x|."""
SMALLEST_STEP = {"bfloat16": 2.0**-133, "float16": 2.0**-24, "float32": 2.0**-149}
"""The distance of two neighbors near 0, half of which rounding moves the smallest numbers."""


def to_bfloat16(weights: Weights) -> Weights:
    """Return float32 weights rounded to the nearest bfloat16, ties to even, as float32."""
    bits = _bits(weights)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    return _floats((bits + np.uint32(0x7FFF) + odd) & KEPT_BITS)


def cut_to_bfloat16(weights: Weights) -> Weights:
    """Return float32 weights without the bits that bfloat16 lacks, as some programs store them."""
    return _floats(_bits(weights) & KEPT_BITS)


def to_float16(weights: Weights) -> Weights:
    """Return float32 weights rounded to the nearest float16, as float32; infinite above 65,504."""
    with np.errstate(over="ignore"):
        return np.asarray(weights, np.float32).astype(np.float16).astype(np.float32)


ROUNDINGS: Mapping[str, Callable[[Weights], Weights]] = {
    "float16": to_float16,
    "bfloat16": to_bfloat16,
    "bfloat16, cut off": cut_to_bfloat16,
}


def rounding_between(
    weights: Weights, others: Weights, formats: Collection[str] = tuple(SIGNIFICANT_BITS)
) -> str:
    """Return the name in `ROUNDINGS` of the rounding between two weights; "" without a rounding.

    Equal weights were not rounded: "". Only roundings to `formats` count.
    """
    if np.array_equal(weights, others):
        return ""
    for name, rounded in ROUNDINGS.items():
        if name.partition(",")[0] not in formats:
            continue
        if np.array_equal(rounded(weights), others) or np.array_equal(rounded(others), weights):
            return name
    return ""


def stored_format(weights: Weights) -> str:
    """Return the shortest format of `SIGNIFICANT_BITS` that holds all weights exactly."""
    if np.array_equal(cut_to_bfloat16(weights), weights):
        return "bfloat16"
    return "float16" if np.array_equal(to_float16(weights), weights) else "float32"


def coarser(one: str, other: str) -> str:
    """Return the format of fewer significant bits."""
    return min(one, other, key=SIGNIFICANT_BITS.__getitem__)


def finer(one: str, other: str) -> str:
    """Return the format of more significant bits."""
    return max(one, other, key=SIGNIFICANT_BITS.__getitem__)


def common_format(weights: Iterable[Weights]) -> str:
    """Return the shortest format that holds each of several weights exactly.

    Single weights may lie in a shorter format by chance, as gains of 1 do.
    """
    short = {name: ROUNDINGS[name] for name in ("bfloat16", "float16")}
    for values in weights:
        short = {name: to for name, to in short.items() if np.array_equal(to(values), values)}
        if not short:
            return "float32"
    return next(iter(short))


def _bits(weights: Weights) -> UInt32[np.ndarray, "..."]:
    return np.ascontiguousarray(weights, dtype=np.float32).view(np.uint32)


def _floats(bits: UInt32[np.ndarray, "..."]) -> Weights:
    return bits.view(np.float32)
