"""Finds the windows that a model may read in one batch without changed states.

An encoder without a mask (FNet), a convolution over tokens or blocks of padding (ConvBERT,
Nystromformer) changes the states of a short text beside a longer text.
"""

from collections.abc import Sequence
from typing import Any

from embspace.errors import RefusedModel
from embspace.geometry.pairs.square_memory import available_memory
from embspace.models.probe.passes import TokenRow, states_of
from embspace.settings.model import Batches

BYTES = 8  # of a number in float64
CLEAR = 1e-3  # a difference of states that is no rounding, however deep the model
# For models with parts that know no float64, as the products of grouped experts: in a DeepSeek V2
# rounding reaches 4e-5, and differs from run to run.
ROUNDED = 1e-4
SAME = 1e-5  # of the largest value of a layer: rounding is a tenth of it


def needed_batches(module: Any, rows: Sequence[TokenRow], largest: float = SAME) -> Batches:
    """Return the least strict rule that leaves the states of every row as alone.

    `rows` are three: two of equal length, and a longer row. Two states are the same if the
    difference is less than `largest` of the largest value of the layer; where that is in doubt and
    the model knows no float64, less than `ROUNDED`.
    """
    rule = _needed(module, rows, largest)
    if rule == "any" or _needed(module, rows, CLEAR) != "any":
        return rule
    try:  # rounding of deep models can be as large
        return _needed(_in_double(module), rows, largest)
    except RefusedModel:
        return _needed(module, rows, max(ROUNDED, largest))


def _needed(module: Any, rows: Sequence[TokenRow], largest: float) -> Batches:
    short, other, long = rows
    alone = [states_of(module, [row])[0] for row in rows]
    if _differ(states_of(module, [short, other]), alone[:2]) > largest:
        return "alone"
    mixed = states_of(module, [long, short, other])
    return "any" if _differ(mixed, [alone[2], *alone[:2]]) <= largest else "equal_lengths"


def _in_double(module: Any) -> Any:
    """Return a copy in float64, or the module itself if the copy would not fit into memory."""
    from copy import deepcopy

    n_bytes = sum(parameter.numel() for parameter in module.parameters()) * (BYTES + BYTES // 2)
    return deepcopy(module).double() if n_bytes < available_memory() else module


def _differ(rows: list[list[Any]], expected: list[list[Any]]) -> float:
    """Return the largest difference of two lists of rows, relative to the layer's largest value."""
    return max(
        float((one - other).abs().max() / other.abs().max().clamp_min(1e-30))
        for row, same_row in zip(rows, expected, strict=True)
        for one, other in zip(row, same_row, strict=True)
    )
