"""Holds marked numbers against the results, and fills them."""

import re
from collections.abc import Iterator
from decimal import Decimal

from embspace.published.numbers import agrees
from tests.prose.results import MarkError, Results

MARK = re.compile(
    r"(?P<number>(?<![\w.])[-+]?\d+(?:,\d{3})*(?:\.\d+)?)<!-- (?!verdict )(?P<mark>.+?) -->"
)


def numbers_that_fail(text: str, results: Results) -> Iterator[str]:
    """Yield what is wrong with each marked number that does not hold, behind its line."""
    for match in MARK.finditer(text):
        wrong = _wrong(match, results)
        if wrong:
            yield f"{line_of(text, match.start())}: {match[0]}: {wrong}"


def _wrong(match: re.Match[str], results: Results) -> str:
    try:
        ours = results.number(match["mark"])
    except MarkError as error:
        return str(error)
    return "" if _holds(ours, match["number"]) else f"the results have {ours:f}"


def _holds(ours: Decimal, printed: str) -> bool:
    return agrees(str(ours), printed.replace(",", ""), factor=1, tolerance=None)


def line_of(text: str, place: int) -> int:
    """Return the number of the line, from 1 on, that a place in a text is in."""
    return text.count("\n", 0, place) + 1


def filled(text: str, results: Results) -> str:
    """Return the text with the present results in the place of the marked numbers."""
    return MARK.sub(lambda match: _filled(match, results), text)


def _filled(match: re.Match[str], results: Results) -> str:
    try:
        ours = results.number(match["mark"])
    except MarkError:
        return match[0]
    holds = _holds(ours, match["number"])  # a half may be rounded either way: let it stand
    number = match["number"] if holds else printed_like(match["number"], ours)
    return f"{number}<!-- {match['mark']} -->"


def printed_like(printed: str, ours: Decimal) -> str:
    """Return our number with the digits, commas and plus sign of what was printed."""
    exponent = Decimal(printed.replace(",", "")).as_tuple().exponent
    rounded = ours.quantize(Decimal(1).scaleb(int(exponent))) + 0  # + 0: no -0.0
    sign = "+" if printed.startswith("+") and rounded > 0 else ""
    return f"{sign}{rounded:{',' if ',' in printed else ''}f}"
