"""Lists which kinds of tokens lie where in a vocabulary, by runs and by blocks of ids."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import pandas as pd

# The first that fits.
KINDS = (
    "special",
    "unused",
    "byte",  # no whole character
    "ascii_character",  # one alone, as the next, whether or not it starts a word
    "other_character",
    "subword",
    "number",  # ASCII digits
    "word",  # letters of any script
    "other",
)
COLUMNS = ["kind", "first_id", "last_id", "first_token", "last_token", "n"]
COLUMNS += [*(f"n_{kind}" for kind in KINDS), "mean_n_characters", "mean_n_characters_of_words"]


def runs_of_ids(kinds: Sequence[str], shortest_run: int) -> list[tuple[str, int, int]]:
    """Return kind, first and last place of every run of one kind, or of `mixed` kinds.

    Neighboring runs shorter than `shortest_run` are joined and called `mixed`. Special and unused
    tokens are never joined.
    """
    runs: list[tuple[str, int, int]] = []
    joins = False
    for kind, places in groupby(range(len(kinds)), key=lambda place: kinds[place]):
        inside = list(places)
        joined, joins = joins, len(inside) < shortest_run and kind not in ("special", "unused")
        if joined and joins:
            runs[-1] = ("mixed", runs[-1][1], inside[-1])
        else:
            runs.append((kind, inside[0], inside[-1]))
    return runs


def blocks_of_ids(n: int, size: int) -> list[tuple[str, int, int]]:
    """Return blocks of `size` ids; the last block may be shorter."""
    return [("block", first, min(first + size, n) - 1) for first in range(0, n, size)]


def range_rows(tokens: pd.DataFrame, ranges: list[tuple[str, int, int]]) -> pd.DataFrame:
    """Return a row per range of rows of `tokens`: its ends, number of tokens by kind, and lengths.

    `tokens` has id, token, kind and n_characters, which is NaN for a token without text.
    """
    return pd.DataFrame(
        [_range_row(kind, tokens.iloc[first : last + 1]) for kind, first, last in ranges],
        columns=COLUMNS,
    )


def _range_row(kind: str, tokens: pd.DataFrame) -> dict[str, Any]:
    counts = tokens["kind"].value_counts()
    return {
        "kind": kind,
        "first_id": tokens["id"].iloc[0],
        "last_id": tokens["id"].iloc[-1],
        "first_token": tokens["token"].iloc[0],
        "last_token": tokens["token"].iloc[-1],
        "n": len(tokens),
        **{f"n_{name}": int(counts.get(name, 0)) for name in KINDS},
        "mean_n_characters": tokens["n_characters"].mean(),
        "mean_n_characters_of_words": tokens.loc[tokens["kind"] == "word", "n_characters"].mean(),
    }
