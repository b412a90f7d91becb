"""Checks the description of a loaded model by a few forward passes, before it is believed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from embspace.errors import RefusedModel
from embspace.models.probe.passes import TokenRow, output_of
from embspace.models.probe.positions import adds_positions
from embspace.models.probe.together import needed_batches
from embspace.models.windows import Window
from embspace.settings.model import Batches

PASSED: "WeakKeyDictionary[Any, Batches]" = WeakKeyDictionary()
"""The rule that a module was found to follow, kept as long as the module."""
SHORT, LONG = 5, 12  # tokens
FEW = 8  # windows
LONGEST = 512  # tokens of the longest window that is tried
RULES: tuple[Batches, ...] = ("any", "equal_lengths", "alone")  # from the least strict on
ROWS_OF_PADDING = 3  # that a table of positions may have


@dataclass(frozen=True)
class Probe:
    """How a model has to be read."""

    batches: Batches
    window: int | None
    """How many tokens the model reads at once: the longest window tried; None without a bound."""
    adds_positions: bool
    """Whether layer 0 hangs on the position, by a table or a formula."""


def probe(module: Any, tokens: Sequence[int], largest_window: int | None) -> Probe:
    """Read some of the `tokens` in equivalent ways, and return the needed rules.

    The states are layers 0 to L, already checked by `check_states`.

    Raises:
        RefusedModel: if a window cannot be read.
    """
    short, other, long = rows_of(tokens, largest_window)
    return Probe(
        window=_readable(module, tokens, largest_window),
        batches=needed_batches(module, (short, other, long)),
        adds_positions=adds_positions(module, int(tokens[0])),
    )


def check_probe(outcome: Probe, batches: Batches, positional: str | None) -> None:
    """Stop at a description that contradicts a probe.

    Raises:
        RefusedModel: naming the key and the right value.
    """
    if RULES.index(batches) < RULES.index(outcome.batches):
        raise RefusedModel(_unsaid(batches, outcome.batches))
    if positional is not None and not outcome.adds_positions:
        raise RefusedModel(
            f"key 'matrices.positional': found '{positional}', but layer 0 is the same at every "
            "position"
        )


def check_batches(module: Any, tokens: Sequence[int], batches: Batches) -> None:
    """Stop if windows in one batch, by the rule `batches`, would change each other.

    A module that has passed is not probed again.

    Raises:
        RefusedModel: naming the needed rule.
    """
    if batches == RULES[-1] or PASSED.get(module) == batches:
        return
    needed = needed_batches(module, rows_of(tokens, None))
    if RULES.index(batches) < RULES.index(needed):
        raise RefusedModel(_unsaid(batches, needed))
    PASSED[module] = batches


def tokens_of(windows: Sequence[Window]) -> list[int]:
    """Return a few ordinary tokens of windows; any tokens if none is ordinary."""
    ids = np.concatenate([window.ids[~window.special] for window in windows[:FEW]])
    if not len(ids):
        ids = np.concatenate([window.ids for window in windows[:FEW]])
    return list(dict.fromkeys(ids.tolist()))[:LONG]


def rows_of(
    tokens: Sequence[int], largest_window: int | None
) -> tuple[TokenRow, TokenRow, TokenRow]:
    """Return two short rows of tokens and a long one, no longer than a window."""
    most = largest_window or LONG
    ids = np.resize(np.array(tokens, dtype=np.int64), SHORT + LONG)
    short, long = min(SHORT, max(most - 1, 1)), min(LONG, most)
    return ids[:short], ids[short : 2 * short], ids[-long:]


def _readable(module: Any, tokens: Sequence[int], largest_window: int | None) -> int | None:
    """Return the longest readable window; less than the table for tables with padding rows.

    Raises:
        RefusedModel: if no window is readable.
    """
    if largest_window is None or largest_window > LONGEST:
        return largest_window
    for length in range(largest_window, max(largest_window - ROWS_OF_PADDING, 1), -1):
        try:
            output_of(module, [np.resize(np.array(tokens, dtype=np.int64), length)])
            return length
        except RefusedModel as error:
            failed = error
    raise failed


def _unsaid(said: Batches, needed: Batches) -> str:
    how = "alone" if needed == "alone" else "beside others of their own length"
    return (
        f"key 'batches': found '{said}', but texts have their own states only when they are read "
        f"{how}; say so in the model's file:\n  batches: {needed}"
    )
