"""Finds numbers that look like results and have no mark.

These are all with decimals, thousands or per cent.
"""

import re
from collections.abc import Iterator

from tests.prose.marks import MARK, line_of

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
ELSEWHERE = (
    re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE),
    re.compile(r"`[^`\n]*`"),
    re.compile(r"\]\([^)\s]*\)"),
    re.compile(r"\d+(?:\.\d+){2,}"),  # versions, sections
    MARK,
    COMMENT,
)
EXCEPTIONS = {
    "docs/attention.md": (
        "3.12 is head 12",
        # Means over heads or layers, which no table has.
        "is 0.66, of",
        "0.29; without",
        "0.51 and 0.43",
        "are 0.35 to 0.71",
        "weights 2.4 and",
        "(1.6, 2.3, 2.4)",
        "arXiv:2502.12033",
        "a row, over all visible keys | 0.9",
        "at most 3.0",
        "above 0.83",
    ),
    "docs/token_tracker.md": ("95 % of draws",),
    "README.md": ("Python 3.11",),
    "docs/analyses.md": (),
    "docs/conventions.md": ("99 % of stationary",),
    "docs/examples.md": ("(95 % interval", "(chance: 50 %)"),
    "docs/layers.md": ("of 4,096", "95 % interval", "within 5 %", "1,000 at most"),
    "docs/parameters.md": (
        "15 % of their hundred",
        "about 5 % of pairs",
        "95 % of these",
        "section 5.1",
        "section 5.2",
    ),
    "docs/rna_model.md": ("arXiv:2502.12033",),
    "docs/training.md": ("arXiv 2311.05928", "(4.1)", "(4.2)", "(4.3)"),
    "docs/your_models.md": (),
    "docs/your_texts.md": (),
}
"""What names a setting or a version, by page."""
RESULT = re.compile(r"(?<![\w.-])[-+±]?(?:\d+(?:(?:,\d{3})+(?:\.\d+)?|\.\d+(?: ?%)?| ?%)|\.\d+)")


def comments_behind_nothing(text: str) -> Iterator[str]:
    """Yield each comment of a page that is no mark of a number, behind its line."""
    ends = {match.end() for match in MARK.finditer(text)}
    for comment in COMMENT.finditer(text):
        if comment.end() not in ends:
            line = line_of(text, comment.start())
            yield f"{line}: {comment[0]}: stands directly behind no number"


def numbers_without_mark(page: str, text: str) -> Iterator[str]:
    """Yield each number of a page that a mark should stand behind, behind its line."""
    text = _without(text, ELSEWHERE)
    for exception in EXCEPTIONS[page]:
        text = text.replace(exception, " " * len(exception))
    for number in RESULT.finditer(text):
        yield f"{line_of(text, number.start())}: {number[0]}: has no mark"


def _without(text: str, patterns: tuple[re.Pattern[str], ...]) -> str:
    for pattern in patterns:
        text = pattern.sub(lambda match: _blank(match[0]), text)
    return text


def _blank(text: str) -> str:
    """Return spaces in the place of a text, in as many lines."""
    return re.sub(r"[^\n]", " ", text)
