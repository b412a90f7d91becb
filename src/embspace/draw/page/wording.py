"""Words numbers, samples and lists for titles, without differences that digits do not show."""

from collections.abc import Sequence
from math import floor, isfinite, log10

import pandas as pd

from embspace.draw.page.canvas import counted

MOST = 6  # digits after the point


def digits_for(values: list[float], digits: int) -> int:
    """Return `digits`, or as many after the point as show one of the largest of `values`."""
    largest = max((abs(value) for value in values if isfinite(value)), default=0.0)
    return min(MOST, max(digits, -floor(log10(largest)))) if largest else digits


def is_alike(values: list[float], digits: int) -> bool:
    """Return whether numbers are printed alike, by `side_by_side` without a known difference."""
    return len({*side_by_side(values, digits, differ=False)}) == 1


def side_by_side(values: list[float], digits: int, *, differ: bool) -> list[str]:
    """Return numbers with equally many digits after the point, at least `digits`.

    Args:
        values: Numbers of a title.
        digits: After the point; more if the largest number would be printed as 0.
        differ: Whether an interval says that the numbers differ: then enough digits to show the
            difference, 6 at most.
    """
    fewest = digits_for(values, digits)
    shown: list[str] = []
    for more in range(fewest, MOST + 1 if differ else fewest + 1):
        shown = [f"{value:.{more}f}" for value in values]
        if len({*shown}) == len({*values}):
            break
    return shown


def numeral(number: float, digits: int, *, plus: bool = False) -> str:
    """Return a number with a minus sign, never before 0; with `plus`, 0 has a plus, too."""
    return f"{number:{'+' * plus}z.{digits}f}".replace("-", "\N{MINUS SIGN}")


def random_sample(random: pd.DataFrame) -> str:
    """Return for a subtitle the number of documents read at random weights."""
    return (
        f"up to {counted(random['n'].max(), 'document')} of each" if len(random) else "not measured"
    )


def listed(words: Sequence[str], last: str = "and") -> str:
    """Return words as a list in a sentence: `a`, `a and b`, `a, b and c`; empty without words."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
