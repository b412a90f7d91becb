"""Tells how tokens, positions and segments are related, as in Luisto's tables 4 and 5."""

from string import ascii_uppercase
from typing import Any

import pandas as pd
from pydantic import NonNegativeInt, PositiveInt

from embspace.draw.page.canvas import (
    absent,
    count,
    counted,
    percent,
)
from embspace.draw.page.looks import SPACES, names
from embspace.draw.page.markdown import code, markdown_table, section, tables_page
from embspace.draw.page.saving import Results

DEVIATIONS = 3  # of a count by chance, within which another one is no more and no less
SCALARS = {"cls_position_0": "The opening token against position 0", "segment": "Segments"}
DRAWN_IN = "similarity"


def draw_interrelations(
    results: Results, label: str, *, n_listed: PositiveInt, digits: NonNegativeInt
) -> tuple[str, str]:
    """Return how many token-position pairs have a large cosine, beside chance, and tables."""
    scalars = results["json"].get("token_position", {})
    return _finding(scalars, label), _tables(results, label, n_listed, digits)


def _finding(scalars: dict[str, Any], label: str) -> str:
    if not scalars:
        return f"{label} has no position embeddings to compare with tokens"
    n, expected = scalars["n_outside"], scalars["expected_outside"]
    is_chance = abs(n - expected) <= DEVIATIONS * expected**0.5
    return (
        f"Of {counted(scalars['n_pairs'], 'token-position pair')}, "
        f"{percent(n / scalars['n_pairs'])} have a cosine beyond ±{scalars['threshold']:g}: "
        f"{count(n)}, {'about as many as ' if is_chance else ''}by chance {_rounded(expected)}"
    )


def _tables(results: Results, label: str, n_listed: int, digits: int) -> str:
    pairs, scalars = results["token_position"][:n_listed], results["json"]
    shown = results.for_readers("token_position", pairs.assign(token=pairs["token"].map(code)))
    counts = scalars.get("token_position", {})
    letters = dict(enumerate(ascii_uppercase))
    segments = results.for_readers("segments", space=names(SPACES), segment=letters)
    segments_note = "Over all positions and over all tokens."
    parts = [
        section(
            "Token-position pairs of large cosines",
            _pairs_note(counts) if counts else absent(label, "positional"),
            markdown_table(shown, digits),
        ),
        section(
            "Cosines of segments with the other vectors",
            absent(label, "segment") if segments.empty else segments_note,
            markdown_table(segments, digits),
        ),
    ]
    for key, title in SCALARS.items():
        if key in scalars:
            rows = [(name.replace("_", " "), value) for name, value in scalars[key].items()]
            body = markdown_table(pd.DataFrame(rows, columns=["quantity", "value"]), digits)
            parts.append(section(title, "As the checkpoint holds them.", body))
        elif counts and key == "cls_position_0":
            parts.append(section(title, f"No token of {label} opens every text.", "None."))
    title = f"Tokens, positions and segments of {label}"
    return tables_page(title, "measure_interrelations", *parts)


def _rounded(expected: float) -> str:
    return count(round(expected)) if expected >= 10 else f"{expected:.2g}"


def _pairs_note(counts: dict[str, Any]) -> str:
    return (
        f"Of {counted(counts['n_pairs'], 'pair')}, {count(counts['n_outside'])} have a cosine "
        f"beyond the threshold, ±{counts['threshold']:g}; chance alone would put "
        f"{_rounded(counts['expected_outside'])} there. {count(counts['n_beyond_bound'])} have one "
        f"beyond ±{counts['bound']:.4f}, the bound that random directions exceed in no pair with "
        f"probability {1 - counts['level']:g} (Bonferroni). The largest first."
    )
